"""Which models a fit allows, in words: what a proof covers."""

from exactree.encode import Encoded
from exactree.problem.constraints import Limit
from exactree.problem.diagram import DiagramProblem
from exactree.problem.problem import Problem

NAMED = 4  # constraints that the text names
MARGIN = " whose oblique splits "  # begins the restriction of a solver of oblique splits


def scope_text(problem: Problem | DiagramProblem, restriction: str = "") -> str:
    """Say which models the parameters allow.

    Parameters
    ----------
    problem : Problem or DiagramProblem
        What was put to the solver.
    restriction : str, default=""
        The scope of its solution, which tells the margin of oblique splits.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.problem import Limits, accuracy
    >>> from exactree.table import Table
    >>> data = encode(Table.of([[0], [1], [2]]), ["a", "b", "a"], thresholds="quantiles(1)")
    >>> scope_text(Problem(data, accuracy(data), Limits(max_depth=2, max_leaf_nodes=3)))
    'trees of depth 2 at most, with 3 leaves at most; questions about 1 column with thresholds quantiles(1)'
    """
    shape = _trees(problem) if isinstance(problem, Problem) else _diagrams(problem)
    parts = [", with ".join(part for part in (shape[0], " and ".join(shape[1:])) if part), _questions(problem.data)]
    if restriction.startswith(MARGIN):
        parts.append(f"oblique splits that {restriction.removeprefix(MARGIN)}")
    return "; ".join([*parts, *_constraints(problem.constraints)])


def is_restricted(problem: Problem) -> bool:
    """Whether anything but the depth keeps trees from being allowed.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.problem import Limits, accuracy
    >>> from exactree.table import Table
    >>> data = encode(Table.of([[0], [1], [2]]), ["a", "b", "a"])
    >>> [is_restricted(Problem(data, accuracy(data), limits)) for limits in (Limits(2), Limits(2, min_samples_leaf=5))]
    [False, True]
    """
    return bool(_trees(problem)[1:] or problem.constraints or not problem.data.complete)


def _trees(problem: Problem) -> list[str]:
    limits = problem.limits
    any_depth = limits.max_depth is None
    texts = ["trees of any depth" if any_depth else f"trees of depth {limits.max_depth} at most"]
    if limits.max_leaf_nodes is not None:
        texts.append(f"{limits.max_leaf_nodes} leaves at most")
    if limits.min_samples_leaf > 1:
        texts.append(f"{limits.min_samples_leaf} rows or more in each leaf")
    if limits.min_weight_fraction_leaf > 0:
        texts.append(f"{limits.min_weight_fraction_leaf:.6g} of the weight or more in each leaf")
    return texts


def _diagrams(problem: DiagramProblem) -> list[str]:
    limits = problem.limits
    noun = "diagrams without nodes that have two parents" if limits.tree else "diagrams"
    texts = [f"{noun} of widths {', '.join(map(str, limits.widths))}"]
    if limits.max_nodes is not None:
        texts.append(f"{limits.max_nodes} nodes that ask at most")
    if limits.min_samples_node > 1:
        texts.append(f"{limits.min_samples_node} rows or more at each node below the root")
    if limits.min_weight_fraction_leaf > 0:
        texts.append(f"{limits.min_weight_fraction_leaf:.6g} of the weight or more on each side that ends")
    return texts


def _questions(data: Encoded) -> str:
    n_columns = len(data.table.columns)
    columns = f"questions about {n_columns} column{'' if n_columns == 1 else 's'}"
    return f"all {columns}" if data.complete else f"{columns} with thresholds {data.thresholds}"


def _constraints(limits: tuple[Limit, ...]) -> list[str]:
    texts = [limit.text for limit in limits[:NAMED]]
    more = len(limits) - len(texts)
    return [f"limits on {', '.join(texts)}{f' and {more} more' if more else ''}"] if texts else []
