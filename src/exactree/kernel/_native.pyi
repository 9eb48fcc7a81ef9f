"""Native kernel: ranking, exact search, and prediction."""

from collections.abc import Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


def apply(columns: list[object], test: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], code: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing_yes: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], yes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], no: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """
    Leaf of each row. Columns are 1-D arrays of float64, int64 or int32 codes, of any stride; nothing is copied or converted.
    """

@overload
def rank_two_values(columns: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)]], ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu')], values: Annotated[NDArray[numpy.float64], dict(shape=(None, 2), order='C', device='cpu')]) -> list[bool]: ...

@overload
def rank_two_values(columns: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)]], ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu')], values: Annotated[NDArray[numpy.float64], dict(shape=(None, 2), order='C', device='cpu')]) -> list[bool]: ...

@overload
def rank_two_values(columns: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)]], ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu')], values: Annotated[NDArray[numpy.float64], dict(shape=(None, 2), order='C', device='cpu')]) -> list[bool]:
    """
    Rank the columns that hold exactly two values and no NaN, into rows of `ranks` (0 for the lower) and of `values` (lower, higher); tell which those are.
    """

def rank_numbers(column: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))] | None] | None:
    """
    Write the rank of each value among the distinct ones into `ranks`; return the values in ascending order, and the distinct ones if some are equal. None if one is NaN.
    """

def number_rows(keys: Sequence[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]], n_rows: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    Number rows by first appearance: two share a number if and only if all their keys are equal.
    """

def take_rows(columns: Sequence[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]], rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Write some rows of columns into the rows of `out`."""

class Outcome:
    """
    Best tree found, its cost, the lower bound, the status and the history of the search.
    """

    @property
    def cost(self) -> int: ...

    @property
    def bound(self) -> int: ...

    @property
    def status(self) -> str: ...

    @property
    def nodes(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, 5), writable=False)]:
        """Rows of (column, rank, yes, no, label), root first."""

    @property
    def history(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, 3))]:
        """Rows of (seconds, cost, bound)."""

    @property
    def counters(self) -> dict[str, int]: ...

def search(ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], gains: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], bases: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), device='cpu', writable=False)], *, n_classes: int, max_depth: int, max_leaves: int, min_rows: int, min_weight: int, leaf_price: int, offset: int, seconds: float | None, memory: int | None, gap: float, start: Annotated[NDArray[numpy.int32], dict(shape=(None, 5), order='C', device='cpu', writable=False)] | None, point_ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], point_labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], point_weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], point_sizes: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), device='cpu', writable=False)], callback: object | None, engine: str, threads: int, seed: int, without: Sequence[str]) -> Outcome:
    """
    Find the tree of lowest cost. The points are the rows as CART sees them: the search never returns a worse tree than CART's rule grows from them.
    """

def grow(ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), device='cpu', writable=False)], *, n_classes: int, max_depth: int, max_leaves: int, min_rows: int, min_weight: int) -> Outcome:
    """Grow a tree greedily by Gini impurity."""

class ConstrainedOutcome:
    """
    The cheapest allowed tree, if it is cheaper than the one known, and what is proved.
    """

    @property
    def cost(self) -> float: ...

    @property
    def bound(self) -> float: ...

    @property
    def status(self) -> str: ...

    @property
    def nodes(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, 5), writable=False)] | None:
        """
        Rows of (column, rank, yes, no, label), root first; none if no cheaper tree was found.
        """

    @property
    def counters(self) -> dict[str, int]: ...

def search_constrained(ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], gains: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], bases: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), device='cpu', writable=False)], channels: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], least: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], most: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, n_classes: int, max_depth: int, max_leaves: int, min_rows: int, min_weight: int, leaf_price: int, channel_price: int, soft: Sequence[tuple[float, Sequence[tuple[int, float, float, float]]]], leaf_limits: Sequence[tuple[float, float, float, float, float, float]], ratio: float, shift: float, step: float, known_bound: float, known_cost: float, seconds: float | None, memory: int | None, callback: object | None) -> ConstrainedOutcome:
    """
    Find the cheapest tree whose predictions keep sums over rows within limits.
    """

def search_constrained_diagrams(ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], gains: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], bases: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), device='cpu', writable=False)], channels: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], least: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], most: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, n_classes: int, widths: Sequence[int], max_nodes: int, min_rows: int, min_weight: int, node_price: int, channel_price: int, tree: bool, soft: Sequence[tuple[float, Sequence[tuple[int, float, float, float]]]], ratio: float, shift: float, step: float, known_bound: float, known_cost: float, reach: int, seconds: float | None, memory: int | None, callback: object | None) -> ConstrainedOutcome:
    """
    Find the cheapest diagram whose predictions keep sums over rows within limits.
    """

class RelaxedTree:
    """The best tree of a relaxed problem, and the bound that it proves."""

    @property
    def bound(self) -> float: ...

    @property
    def status(self) -> str: ...

    @property
    def nodes(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, 5), writable=False)]:
        """
        Rows of (column, rank, yes, no, label), root first; none if it was stopped.
        """

class PathSearch:
    """
    Sums over the paths of all trees of depth three at most: relaxed problems and listing.
    """

    @staticmethod
    def of(ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], channels: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], least: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], most: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, n_classes: int, max_depth: int, max_leaves: int, min_rows: int, min_weight: int, channel_price: int, soft: Sequence[tuple[float, Sequence[tuple[int, float, float, float]]]], leaf_limits: Sequence[tuple[float, float, float, float, float, float]], memory: int, steps: float) -> PathSearch:
        """
        Prepare a search over groups; None if its sums take more bytes or more steps than given.
        """

    def fill(self, *, seconds: float | None, callback: object | None) -> str:
        """Add up the groups."""

    def relax(self, by_sum: Sequence[float], constant: float, *, depth: int, seconds: float | None, callback: object | None) -> RelaxedTree:
        """Solve the relaxed problem in which a unit of each sum has a price."""

    def search(self, by_sum: Sequence[float], constant: float, *, step: float, known_bound: float, known_cost: float, seconds: float | None, memory: int | None, callback: object | None) -> ConstrainedOutcome:
        """
        Find the cheapest tree whose predictions keep sums over rows within limits.
        """

def dl85(ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], gains: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], bases: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), device='cpu', writable=False)], *, n_classes: int, max_depth: int, min_rows: int, min_weight: int, leaf_price: int, bounds: bool, cache_partial: bool, order: str, count_itemsets: bool, seconds: float | None, memory: int | None, start: Annotated[NDArray[numpy.int32], dict(shape=(None, 5), order='C', device='cpu', writable=False)] | None, callback: object | None) -> Outcome:
    """Find the tree of lowest cost as DL8 or DL8.5 do."""

class ConstructedDiagrams:
    """
    Diagrams of the heuristic, the best one or all distinct ones, and the cost of the best.
    """

    @property
    def cost(self) -> int: ...

    @property
    def starts(self) -> int: ...

    @property
    def interrupted(self) -> bool: ...

    @property
    def n_diagrams(self) -> int: ...

    def nodes(self, which: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None, 5), writable=False)]:
        """Rows of (column, rank, yes, no, label), root first."""

def construct_diagrams(ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), order='C', device='cpu', writable=False)], impurity_weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, widths: Sequence[int], lowest: int, node_price: int, max_nodes: int, min_rows: int, min_weight: int, tree: bool, seed: int, starts: int, every: bool, seconds: float | None, given: Annotated[NDArray[numpy.int32], dict(shape=(None, 5), order='C', device='cpu', writable=False)] | None) -> ConstructedDiagrams:
    """
    Build diagrams layer by layer, improve them by local search, and keep the best.
    """

def search_diagram(ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], gains: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], bases: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), device='cpu', writable=False)], *, n_classes: int, widths: Sequence[int], max_nodes: int, min_rows: int, min_weight: int, node_price: int, tree: bool, offset: int, start_cost: int, seconds: float | None, memory: int | None, gap: float, callback: object | None, beam: int, effort: int, reach: int) -> Outcome:
    """Find the diagram of lowest cost."""

LEAF_COST_UNIT: float = 1125899906842624.0

FEW_RANKS: int = 64

def search_leaves(ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), device='cpu', writable=False)], *, n_classes: int, max_depth: int, max_leaves: int, min_rows: int, min_weight: int, z: float, unit: float, seconds: float | None, memory: int | None, gap: float, callback: object | None) -> Outcome:
    """Find the tree whose worst leaf has the highest score."""

class FrontPoint:
    """A tree that no tree found dominates in worst leaf and errors."""

    @property
    def score(self) -> float: ...

    @property
    def wrong(self) -> float: ...

    @property
    def proved(self) -> bool: ...

    @property
    def nodes(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, 5), writable=False)]:
        """Rows of (column, rank, yes, no, label), root first."""

class FrontOutcome:
    """
    The Pareto front of worst leaf against errors, and the status of the search.
    """

    @property
    def points(self) -> list[FrontPoint]: ...

    @property
    def status(self) -> str: ...

    @property
    def seconds(self) -> float: ...

    @property
    def sets(self) -> int: ...

def search_front(ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), device='cpu', writable=False)], *, n_classes: int, max_depth: int, max_leaves: int, min_rows: int, min_weight: int, z: float, unit: float, starts: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None, 5), order='C', device='cpu', writable=False)]], seconds: float | None, memory: int | None) -> FrontOutcome:
    """Find the Pareto front of worst leaf against errors."""

class FreeRows:
    """Rows, costs and scale of the search without limits on leaves."""

    def __init__(self, ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], gains: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], bases: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), device='cpu', writable=False)], *, offset: int, leaf_price: int, min_weight: int, scale: float) -> None: ...

INFINITE_COST: int = 2305843009213693951

def search_limited(ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], amounts: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), device='cpu', writable=False)], *, n_classes: int, matrix: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], class_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], limits: Annotated[NDArray[numpy.float64], dict(shape=(None, 6), order='C', device='cpu', writable=False)], unavoidable: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], free: FreeRows, max_depth: int, max_leaves: int, min_rows: int, min_weight: float, leaf_price: float, unit: float, noise: float, bound: float, starts: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None, 5), order='C', device='cpu', writable=False)]], seconds: float | None, memory: int | None, gap: float, callback: object | None) -> Outcome:
    """
    Find the cheapest tree whose leaves obey limits, each by itself, or pay for breaking them.
    """

def pair_splits(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], change: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], pairs: Annotated[NDArray[numpy.int32], dict(shape=(None, 2), order='C', device='cpu', writable=False)], *, min_count: int, most_rows: int, n_angles: int, seconds: float | None) -> Annotated[NDArray[numpy.float64], dict(shape=(None, 3))]:
    """
    Find the best linear split of rows for each pair of columns, (n_pairs, 3): change of cost, and the lowest and the highest angle of its direction; NaN where time ran out.
    """

class PricedPaths:
    """The paths of lowest reduced cost to each leaf."""

    @property
    def best(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def leaf(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...

    @property
    def label(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...

    @property
    def cost(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def choices(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None), writable=False)]:
        """Numbers of choices, root first, (n_paths, depth)."""

    @property
    def all(self) -> bool:
        """Whether no path below the limit was left out."""

    @property
    def visits(self) -> int: ...

    @property
    def ended(self) -> str | None:
        """Why it was stopped, if it was."""

class ChosenTree:
    """The cheapest tree from given choices."""

    @property
    def cost(self) -> float: ...

    @property
    def choice(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...

    @property
    def visits(self) -> int: ...

    @property
    def ended(self) -> str | None:
        """Why it was stopped, if it was."""

class PathRows:
    """Rows, and the choices of each branch of a complete tree."""

    def __init__(self, ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], begin: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rank: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, depth: int, n_classes: int, least_rows: float, least_weight: float) -> None: ...

    @property
    def depth(self) -> int: ...

    def price(self, *, cost: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], leaf_dual: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], link_dual: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], open: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], known: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], price: float, below: float, most: int, seconds: float | None) -> PricedPaths:
        """Find the paths of lowest reduced cost to each leaf."""

    def best_tree(self, *, cost: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], open: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], price: float, seconds: float | None) -> ChosenTree:
        """Find the cheapest tree by exhaustive recursion."""

    def sums(self, amounts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], leaf: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], choices: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """Sum amounts over the rows that follow each path."""
