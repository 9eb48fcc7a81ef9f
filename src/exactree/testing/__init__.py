"""Checks that every solver must pass; solvers of others may run them too."""

from exactree.testing.conformance import CHECKS, DIAGRAM_CHECKS, admits_when_stopped, admits_when_stopped_with_diagrams
from exactree.testing.diagram_problems import large_diagram_problem, tiny_diagram_problems
from exactree.testing.problems import large_problem, tiny_problems

__all__ = [
    "CHECKS",
    "DIAGRAM_CHECKS",
    "admits_when_stopped",
    "admits_when_stopped_with_diagrams",
    "large_diagram_problem",
    "large_problem",
    "tiny_diagram_problems",
    "tiny_problems",
]
