"""Why a solver does not support a problem, derived from its capabilities."""

import math

from exactree.problem import DiagramProblem, Problem
from exactree.solve.interface import DiagramSolver, Solver


def refusal(solver: Solver, problem: Problem) -> str | None:
    """Return why a solver does not support a problem, or ``None`` if it does."""
    handles, limits, n_questions = solver.handles, problem.limits, problem.data.n_questions
    if limits.max_depth is None and (reason := _depth_needed(solver, problem)):
        return reason
    if not handles.leaf_limit and limits.most_leaves < 2**limits.deepest:
        return f"it does not support a limit on leaves (max_leaf_nodes={limits.max_leaf_nodes})"
    if limits.deepest > handles.deepest:
        return f"it does not support trees deeper than {handles.deepest:.0f} (max_depth={limits.max_depth})"
    if not handles.leaf_sizes and (limits.min_samples_leaf > 1 or limits.min_weight_fraction_leaf > 0):
        return "it does not support a least size of leaves"
    if not handles.any_costs and not problem.objective.one_cost_per_class:
        return "it does not support costs that depend on the wrong answer"
    if problem.objective.is_worst_leaf and not handles.worst_leaf:
        return f"it does not support worst-leaf objectives (objective {problem.objective.name!r})"
    if not problem.objective.is_worst_leaf and not handles.sums:
        return f"it supports worst-leaf objectives only (objective {problem.objective.name!r})"
    if problem.objective.z and not handles.confidence:
        return "it supports objective='leaf_accuracy' only; the search supports 'leaf_confidence' too"
    if problem.objective.is_worst_leaf and limits.ccp_alpha > 0:
        return "worst-leaf objectives have no price per leaf (ccp_alpha must be 0)"
    if problem.on_answers and not handles.constraints:
        return f"it does not support constraints on the answers, such as the {problem.on_answers[0].text}"
    if problem.soft and not handles.soft_limits:
        return f"it does not support constraints with a price, such as that on the {problem.soft[0].text}"
    if problem.on_answers and problem.objective.is_worst_leaf and handles.proves and not handles.deepest < math.inf:
        return "worst-leaf objectives allow no constraints on the answers"
    if problem.on_leaves and not handles.leaf_limits:
        return f"it does not support constraints on each leaf, such as the {problem.on_leaves[0].text}"
    if problem.priced_on_leaves and not handles.leaf_prices:
        return f"it does not support a price on leaves, such as on the {problem.priced_on_leaves[0].text}"
    if (problem.on_leaves or problem.priced_on_leaves) and problem.objective.is_worst_leaf:
        return "worst-leaf objectives allow no further constraints on each leaf"
    if n_questions > handles.most_questions:
        return f"there are {n_questions} questions, more than {handles.most_questions:.0f}"
    # The logarithm, as the number itself may overflow.
    leaves = min(limits.deepest, problem.data.n_points) * math.log10(max(2 * n_questions, 1))
    if leaves > math.log10(handles.most_leaves_scored):
        return f"it would score 1e{leaves:.0f} leaves, more than {handles.most_leaves_scored:.0e}"
    return None


def _depth_needed(solver: Solver, problem: Problem) -> str | None:
    """Return why a problem without a limit of depth is refused; where leaves are limited, they limit the depth."""
    if problem.limits.max_leaf_nodes is not None:
        return None
    if not solver.handles.any_depth:
        return "it needs a limit of depth (max_depth=None); set max_depth or max_leaf_nodes"
    limited = problem.objective.is_worst_leaf or problem.constraints
    if limited and solver.handles.deepest == math.inf and solver.handles.most_leaves_scored == math.inf:
        what = "worst-leaf objectives" if problem.objective.is_worst_leaf else "constraints"
        return f"with {what} it needs a limit of depth (max_depth=None); set max_depth or max_leaf_nodes"
    return None


def diagram_refusal(solver: DiagramSolver, problem: DiagramProblem) -> str | None:
    """Return why a solver does not support a problem, or ``None`` if it does."""
    handles, limits = solver.handles, problem.limits
    if problem.objective.is_worst_leaf:
        return f"diagrams have no worst-leaf objectives (objective {problem.objective.name!r})"
    if problem.on_answers and not handles.constraints:
        return f"it does not support constraints on the answers, such as the {problem.on_answers[0].text}"
    if problem.soft and not handles.soft_limits:
        return f"it does not support constraints with a price, such as that on the {problem.soft[0].text}"
    if limits.multivariate and not handles.multivariate:
        return "it does not support oblique splits (multivariate=True)"
    if problem.data.n_points > handles.most_points:
        return f"there are {problem.data.n_points} rows, more than {handles.most_points:.0f}"
    if limits.depth > handles.most_depth:
        return f"there are {limits.depth} layers, more than {handles.most_depth:.0f}"
    return None
