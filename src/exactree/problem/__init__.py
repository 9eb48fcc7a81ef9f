"""Stage 3. Problem = encoded data + what to minimise + what is allowed."""

from exactree.problem.constraints import (
    Constraint,
    Fairness,
    FalseNegatives,
    LeafAccuracy,
    Limit,
)
from exactree.problem.diagram import SKELETONS, DiagramLimits, DiagramProblem
from exactree.problem.leaf_limit import LeafLimit
from exactree.problem.limits import Limits
from exactree.problem.linear_limit import LinearLimit, SoftLimit
from exactree.problem.objective import (
    Objective,
    accuracy,
    balanced_accuracy,
    cost_sensitive,
    leaf_accuracy,
    leaf_confidence,
)
from exactree.problem.problem import RESOLUTION, Problem, Scored
from exactree.problem.scope import is_restricted, scope_text

__all__ = [
    "RESOLUTION",
    "SKELETONS",
    "Constraint",
    "DiagramLimits",
    "DiagramProblem",
    "Fairness",
    "FalseNegatives",
    "LeafAccuracy",
    "LeafLimit",
    "Limit",
    "Limits",
    "LinearLimit",
    "Objective",
    "Problem",
    "Scored",
    "SoftLimit",
    "accuracy",
    "balanced_accuracy",
    "cost_sensitive",
    "is_restricted",
    "leaf_accuracy",
    "leaf_confidence",
    "scope_text",
]
