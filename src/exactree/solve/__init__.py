"""Stage 4. Problem -> Solution. One folder per method; ``interface`` says what a solver is."""

from exactree.solve.brute_force import Exhaustive, ExhaustiveDiagram
from exactree.solve.column_generation import ColumnGeneration
from exactree.solve.diagram_heuristic import DiagramHeuristic
from exactree.solve.dl85 import DL8, DL85
from exactree.solve.formulations.binoct import BinOCT
from exactree.solve.formulations.flow_oct import FlowOCT
from exactree.solve.formulations.oct import OCT
from exactree.solve.formulations.odd import ODD
from exactree.solve.formulations.xct import XCT
from exactree.solve.interface import (
    Budget,
    Callback,
    Capabilities,
    DiagramCapabilities,
    DiagramSolver,
    Progress,
    Solution,
    Solver,
    Status,
    relative_gap,
)
from exactree.solve.refusal import diagram_refusal, refusal
from exactree.solve.registry import (
    DIAGRAM_SOLVERS,
    SOLVERS,
    diagram_solver_for,
    solve,
    solve_diagram,
    solver_named,
)
from exactree.solve.search import DiagramSearch, Search

__all__ = [
    "DIAGRAM_SOLVERS",
    "DL8",
    "DL85",
    "OCT",
    "ODD",
    "SOLVERS",
    "XCT",
    "BinOCT",
    "Budget",
    "Callback",
    "Capabilities",
    "ColumnGeneration",
    "DiagramCapabilities",
    "DiagramHeuristic",
    "DiagramSearch",
    "DiagramSolver",
    "Exhaustive",
    "ExhaustiveDiagram",
    "FlowOCT",
    "Progress",
    "Search",
    "Solution",
    "Solver",
    "Status",
    "diagram_refusal",
    "diagram_solver_for",
    "refusal",
    "relative_gap",
    "solve",
    "solve_diagram",
    "solver_named",
]
