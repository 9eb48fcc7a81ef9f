"""Checks that every solver must pass; solvers of others may run them too."""

from exactree.testing.conformance import (
    CHECKS,
    DIAGRAM_CHECKS,
    admits_when_stopped,
    admits_when_stopped_with_diagrams,
    conforms,
)
from exactree.testing.diagram_problems import large_diagram_problem, tiny_diagram_problems
from exactree.testing.problems import large_problem, tiny_problems
from exactree.testing.selection import diagram_problems_for, n_problems_tested, problems_for
from exactree.testing.worst_leaf_problems import tiny_worst_leaf_problems

__all__ = [
    "CHECKS",
    "DIAGRAM_CHECKS",
    "admits_when_stopped",
    "admits_when_stopped_with_diagrams",
    "conforms",
    "diagram_problems_for",
    "large_diagram_problem",
    "large_problem",
    "n_problems_tested",
    "problems_for",
    "tiny_diagram_problems",
    "tiny_problems",
    "tiny_worst_leaf_problems",
]
