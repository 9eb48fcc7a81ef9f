"""Which questions each branch may ask in column generation: sampled ones, fewer thresholds, or all."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.arrays import Ints
from exactree.encode import CartSampling, Encoded, Splits, sampled_splits
from exactree.encode.sampling import DEEPEST, is_integer
from exactree.encode.thresholds import ClassChanges, Ranking
from exactree.errors import InputError
from exactree.problem import Problem
from exactree.solve.interface import BETWEEN_CLASSES
from exactree.solve.run_state import RunState

ALL, CLASS_CHANGES = "all", "class-changes"
SAMPLED = " with questions sampled for each branch"
SAMPLING_SHARE = 1 / 3  # of the time
PAUSE = 0.1  # seconds between two calls of the callback

Sampling = CartSampling | Splits | str


def check_sampling(sampling: Sampling) -> None:
    """Refuse an invalid sampling option."""
    if isinstance(sampling, (CartSampling, Splits)):
        return
    if not isinstance(sampling, str) or sampling not in (ALL, CLASS_CHANGES):
        raise InputError(
            f"sampling must be CartSampling(...), Splits(...), 'class-changes' or 'all'; got {sampling!r}."
        )


def sample_of(sampling: Sampling, shortage: str = "", *, cut: bool = False, whole: bool = False) -> str:
    """Which of the allowed trees are searched, as text; empty if they are all.

    ``shortage`` says that time was up before all trees were sampled, ``cut`` that deeper trees are allowed than are
    searched, ``whole`` that the lists of questions hold all questions.

    Examples
    --------
    >>> sample_of("all"), sample_of(CartSampling(), " (12 of 300 trees)")
    ('', ' with questions sampled for each branch (12 of 300 trees)')
    >>> sample_of("all", cut=True), sample_of(CartSampling(), cut=True)
    (' of depth 12 at most', ' with questions sampled for each branch, of depth 12 at most')
    """
    deepest = f" of depth {DEEPEST} at most" if cut else ""
    if sampling == ALL or whole:
        return deepest
    kept = BETWEEN_CLASSES if sampling == CLASS_CHANGES else f"{SAMPLED}{shortage}"
    return f"{kept},{deepest}" if cut else kept


def holds_all(splits: Splits, data: Encoded) -> bool:
    """Whether every branch has all questions of the data."""
    everything = sum(column.n_ranks - 1 for column in data.columns)
    # Lists are long where all questions are asked; most are too short to hold them.
    return all(len(node) >= everything and len(np.unique(node, axis=0)) == everything for node in splits.nodes)


def splits_of(problem: Problem, depth: int, sampling: Sampling, state: RunState) -> Splits:
    """Questions for each branch of a complete tree."""
    data = problem.data
    if isinstance(sampling, CartSampling):
        return _sampled(problem, depth, sampling, state)
    if isinstance(sampling, Splits):
        return _checked(data, depth, sampling)
    kept = [_kept(data, number, sampling) for number in range(len(data.columns))]
    questions = np.concatenate([np.empty((0, 2), dtype=np.int64), *kept])
    return Splits(depth, (questions,) * (2**depth - 1))


def _sampled(problem: Problem, depth: int, sampling: CartSampling, state: RunState) -> Splits:
    left, reported = state.left(), state.elapsed()

    def report(n_trees: int) -> None:
        nonlocal reported
        if state.elapsed() >= reported + PAUSE:
            reported = state.elapsed()
            state.report_details(sampling.standing(n_trees), "sampling")

    return sampled_splits(
        problem.data,
        depth,
        sampling,
        jobs=state.budget.threads,
        seconds=None if left is None else SAMPLING_SHARE * left,
        least_rows=problem.limits.min_samples_leaf,
        least_share=problem.limits.min_weight_fraction_leaf,
        tell=report,
    )


def _checked(data: Encoded, depth: int, splits: Splits) -> Splits:
    """Return the caller's own questions, of the upper levels if a tree can use no more."""
    nodes = _well_formed(splits)
    if splits.depth < depth:
        raise InputError(
            f"The splits are for depth {splits.depth}, but trees of depth {depth} are requested. Set "
            f"max_depth={splits.depth}, or sample splits for depth {depth}."
        )
    n_ranks = np.array([column.n_ranks for column in data.columns])
    for column, rank in np.concatenate(nodes).tolist():
        if not (0 <= column < len(n_ranks) and 0 <= rank < n_ranks[column] - 1):
            raise InputError(
                f"The splits have the question {(column, rank)}, which the data does not have: its columns are 0 to "
                f"{len(n_ranks) - 1}, with a rank for every value but the last. Sample splits of the same table."
            )
    return replace(splits, depth=depth, nodes=nodes[: 2**depth - 1])


def _well_formed(splits: Splits) -> tuple[Ints, ...]:
    """Return the questions of each node, checked."""
    if not is_integer(splits.depth, at_least=1):
        raise InputError(f"The depth of splits must be an integer, 1 or more; got {splits.depth!r}.")
    n_nodes = 2 ** int(splits.depth) - 1
    if not isinstance(splits.nodes, Sequence) or len(splits.nodes) != n_nodes:
        got = f"{len(splits.nodes)} lists" if isinstance(splits.nodes, Sequence) else repr(splits.nodes)
        raise InputError(
            f"Splits of depth {splits.depth} have a list of questions for each of {n_nodes} nodes, children of node j "
            f"at 2j + 1 and 2j + 2; got {got}."
        )
    nodes = [_as_array(node) for node in splits.nodes]
    for number, node in enumerate(nodes):
        if node.shape[1:] != (2,) or node.dtype.kind not in "iu":
            raise InputError(
                f"The splits of node {number} must be integers of shape (n, 2), a column and a rank of the data "
                f"in each row; got {node.dtype} of shape {node.shape}."
            )
        above = (number - 1) // 2
        if number and len(node) and len(nodes[above]) == 0:
            raise InputError(
                f"The splits have questions for node {number}, but none for node {above} above it. "
                f"A node without questions is a leaf: leave out the nodes below."
            )
    return tuple(node.astype(np.int64) for node in nodes)


def _as_array(node: Any) -> NDArray[Any]:
    """Questions of a node as an array, whatever was given."""
    try:
        array = np.asarray(node)
    except ValueError:  # lists of different lengths
        array = np.array([None])
    return np.empty((0, 2), dtype=np.int64) if array.shape == (0,) else array


def _kept(data: Encoded, number: int, sampling: str) -> Ints:
    column = data.columns[number]
    ranks = np.arange(column.n_ranks - 1)
    if sampling == CLASS_CHANGES:
        ranking = Ranking(column.ranks, column.n_ranks, data.point_labels, data.point_weights)
        ranks = ranks[ClassChanges().keep(ranking)]
    return np.column_stack([np.full(len(ranks), number), ranks]).astype(np.int64)
