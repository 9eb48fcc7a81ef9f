"""Threshold sampling (Firat et al. 2020): the questions that CART asks at each node, on many samples of the rows.

A tree is grown by CART's rule (Gini impurity, the tree's depth) on all rows, and many more on random shares of them.
For every node of the complete tree the questions are counted that stood there, and the most frequent ones are kept. A
solver that chooses among these has a short list at every node, and can always return CART's own tree.

Trees are grown by the native code, on ranks; :class:`sklearn.tree.DecisionTreeClassifier` scores splits by the same
formula. Ties between columns are broken at random, as there, except in the tree on all rows: the first column wins.

Where the rows at a node leave out some values, several cuts split them alike. CART cuts halfway between the two values
at hand, and so do we: the cut kept is the one between the neighbouring values of the whole table that enclose this
threshold. It sends every training row, sampled or not, where CART's own threshold would.

On large tables most of the rows say the same as all of them: every tree asks what CART asks, and lists stay short. With
several shares, those that have room are filled with what trees on fewer rows ask.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from time import monotonic
from typing import Any

import numpy as np
from joblib import delayed

from exactree.arrays import Floats, Ints
from exactree.encode.encoded import Encoded
from exactree.errors import InputError
from exactree.kernel import grow
from exactree.parallel import results_of

DEEPEST = 12  # of complete trees: there is a list for each of the 2^depth - 1 nodes
ALL_AT_ROOT, ALL_ELSEWHERE = 150, 100  # questions over all nodes, as in the paper
LARGEST_SUM = 2.0**52  # of whole weights; others only rank splits by impurity, so forty bits in all are plenty
SCALED_SUM = 2.0**40
ROUNDING = 1e-9  # by which a leaf may be too light: weights are rounded, far more finely

Question = tuple[int, int]  # column and rank
Tell = Callable[[int], bool | None]  # given the number of trees; True asks to stop
Grown = dict[int, Question]  # what a tree asks, by node in heap order


@dataclass(frozen=True, slots=True)
class CartSampling:
    """How many trees to sample questions from, and how many of these to keep.

    Examples
    --------
    >>> CartSampling().kept(3), CartSampling(root=5).kept(2)
    ((21, 14), (5, 33))
    >>> CartSampling(share=(0.9, 0.5)).shares
    (0.9, 0.5)
    """

    trees: int = 300  # a fixed number, so that the result is the same every time
    share: float | tuple[float, ...] = 0.9  # of the rows that each tree sees; further ones while a list has room
    root: int | None = None  # most questions kept at the root; None: floor(150 / inner nodes)
    other: int | None = None  # at every other node; None: floor(100 / inner nodes)
    seed: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.share, (list, np.ndarray)):
            object.__setattr__(self, "share", tuple(np.asarray(self.share).ravel().tolist()))
        _check_integer("trees", self.trees, at_least=0)
        _check_integer("seed", self.seed, at_least=0)
        for name, kept in (("root", self.root), ("other", self.other)):
            if kept is not None:
                _check_integer(name, kept, at_least=1)
        if not self.shares or not all(_is_share(share) for share in self.shares):
            raise InputError(
                "share must be a number above 0 and at most 1, such as 0.9, or several, such as (0.9, 0.5); "
                f"got {self.share!r}."
            )

    @property
    def shares(self) -> tuple[float, ...]:
        """All shares, in the order in which lists are filled."""
        return self.share if isinstance(self.share, tuple) else (self.share,)

    def standing(self, n_trees: int) -> str:
        """Describe how far sampling has come.

        Examples
        --------
        >>> CartSampling().standing(120)
        'sampling questions, 120 of 300 trees'
        """
        return f"sampling questions, {n_trees} of {self.trees * len(self.shares)} trees"

    def kept(self, depth: int) -> tuple[int, int]:
        """Most questions to keep at the root and at every other node of a tree, beside those of CART on all rows."""
        inner = max(1, 2**depth - 1)
        root, other = max(1, ALL_AT_ROOT // inner), max(1, ALL_ELSEWHERE // inner)
        return (root if self.root is None else self.root, other if self.other is None else self.other)


@dataclass(frozen=True, slots=True, eq=False)
class Splits:
    """Questions that may be asked at each inner node of a complete tree.

    Nodes are in heap order: the children of node j are 2j + 1 (yes side) and 2j + 2 (no side). The first question of a
    node is that of CART on all rows where it has a node there, so that the first questions of all nodes make a tree
    that is no worse than CART's. Every node has one, unless the data has no question at all.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.table import Table
    >>> data = encode(Table.of([[1.0], [2.0], [3.0], [4.0]]), list("aabb"))
    >>> sampled_splits(data, 1, CartSampling(trees=50)).nodes
    (array([[0, 1],
           [0, 2]]),)
    """

    depth: int
    nodes: tuple[Ints, ...]  # per inner node: (n, 2) rows of (column, rank) of the data
    trees: int = 0  # sampled before time was up, beside the one on all rows
    wanted: int = 0  # trees to be sampled, more than there are if time was up first

    @property
    def shortage(self) -> str:
        """How many of the trees were sampled, as text; empty if all.

        Examples
        --------
        >>> Splits(0, (), trees=12, wanted=300).shortage, Splits(0, (), trees=300, wanted=300).shortage
        (' (12 of 300 trees)', '')
        """
        return _shortage(self.trees, self.wanted)


@dataclass(frozen=True, slots=True)
class Sample:
    """What sampled trees ask, at those nodes that any of them has."""

    depth: int
    on_all_rows: Grown
    nodes: dict[int, list[Question]]  # the most frequent first
    trees: int  # as in Splits
    wanted: int

    @property
    def shortage(self) -> str:
        """How many of the trees were sampled, as text; empty if all."""
        return _shortage(self.trees, self.wanted)

    def splits(self, data: Encoded) -> Splits:
        """Lists for all nodes of the complete tree."""
        nodes = tuple(_kept(node, self, data) for node in range(2**self.depth - 1))
        return Splits(self.depth, nodes, self.trees, self.wanted)


def sample(
    data: Encoded,
    depth: int,
    sampling: CartSampling,
    *,
    jobs: int = 1,
    seconds: float | None = None,
    least_rows: int = 1,
    least_share: float = 0.0,
    tell: Tell | None = None,
) -> Sample:
    """Sample the questions for a tree of some depth; the same ones whatever the number of ``jobs``.

    Jobs are threads, which share the data: the native code lets others run beside it. Within
    ``joblib.parallel_config(backend="loky")`` they are processes.

    After ``seconds`` no further tree is begun, and those at hand are counted; the one on all rows is always grown.
    A leaf of a sampled tree has ``least_rows`` rows at least, and ``least_share`` of the weight of the tree's own rows.
    Both are read as scikit-learn reads ``min_samples_leaf`` and ``min_weight_fraction_leaf`` on these rows. A limit on
    leaves would change no question, only leave some out. ``tell`` is called with the number of trees sampled so far; if
    it returns True, sampling stops as if time were up.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.table import Table
    >>> data = encode(Table.of([[1.0], [2.0], [3.0], [4.0], [5.0]]), list("aabbb"))
    >>> sample(data, 1, CartSampling(trees=50)).splits(data).nodes[0].tolist()
    [[0, 1], [0, 2]]
    """
    _check_integer("depth", depth, at_least=0)
    _check_integer("jobs", jobs, at_least=1)
    _check_integer("least_rows", least_rows, at_least=1)
    end = np.inf if seconds is None else monotonic() + seconds
    sampler = _Sampler(data, depth, sampling.seed, least_rows, least_share)
    return _filled(sampler, sampling, partial(_grow_all, jobs=jobs, end=end, tell=tell))


def sampled_splits(data: Encoded, depth: int, sampling: CartSampling, **how: Any) -> Splits:
    """Sample the questions for each node of a complete tree; further arguments as in :func:`sample`.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.table import Table
    >>> data = encode(Table.of([[1.0], [2.0], [3.0], [4.0]]), list("aabb"))
    >>> sampled_splits(data, 1, CartSampling(trees=50), jobs=2).nodes[0].tolist()
    [[0, 1], [0, 2]]
    """
    if is_integer(depth, DEEPEST + 1):
        raise InputError(
            f"Questions are sampled for each node of a tree of depth {DEEPEST} at most; got depth {depth}. "
            f"Choose a smaller depth, or other thresholds."
        )
    return sample(data, depth, sampling, **how).splits(data)


def _filled(sampler: "_Sampler", sampling: CartSampling, grow_all: Callable[..., list[Grown]]) -> Sample:
    """Fill the lists from the tree on all rows, then share by share while one has room."""
    depth = sampler.depth
    root, other = sampling.kept(depth)
    nodes: dict[int, list[Question]] = {}
    n_trees = wanted = 0
    for share in sampling.shares:
        if len(nodes) == 2**depth - 1 and all(len(asked) >= (other if at else root) for at, asked in nodes.items()):
            break
        grown = grow_all(partial(sampler.on_some_rows, share), range(n_trees, n_trees + sampling.trees))
        for node in set[int]().union(*grown):
            nodes[node] = _longer(nodes.get(node, []), node, grown)
        n_trees, wanted = n_trees + len(grown), wanted + sampling.trees
    kept = {node: asked[: other if node else root] for node, asked in nodes.items()}
    return Sample(depth, sampler.on_all_rows(), kept, n_trees, wanted)


def _grow_all(
    one: Callable[[int], Grown],
    numbers: Sequence[int],
    jobs: int,
    end: float,
    tell: Callable[[int], bool | None] | None,
) -> list[Grown]:
    """Grow trees until time is up, by our own clock: joblib takes a task when a worker is free."""
    trees: list[Grown] = []
    tasks = (delayed(one)(number) for number in takewhile(lambda _: monotonic() < end, numbers))
    with closing(results_of(tasks, jobs, prefer="threads", batch_size=1)) as results:
        for tree in results:
            trees.append(tree)
            if tell is not None and tell(numbers[0] + len(trees)):
                break
    return trees


def _shortage(trees: int, wanted: int) -> str:
    return f" ({trees} of {wanted} trees)" if trees < wanted else ""


def _longer(asked: list[Question], node: int, grown: Sequence[Grown]) -> list[Question]:
    """Append what trees ask at a node, the most frequent first; of those as frequent, by column and rank."""
    counts = Counter(tree[node] for tree in grown if node in tree)
    return list(dict.fromkeys([*asked, *sorted(counts, key=lambda question: (-counts[question], question))]))


def _kept(node: int, found: Sample, data: Encoded) -> Ints:
    """List CART's question on all rows, then the others."""
    first = found.on_all_rows
    kept = list(dict.fromkeys([*([first[node]] if node in first else []), *found.nodes.get(node, [])]))
    if not kept and data.columns:
        kept = [first.get(0, (0, 0))]  # all rows here are of one class whatever is asked
    return np.array(kept, dtype=np.int64).reshape(-1, 2)


class _Sampler:
    """Grows trees on shares of the rows."""

    def __init__(self, data: Encoded, depth: int, seed: int, least_rows: int, least_share: float) -> None:
        self.data, self.depth, self.seed = data, depth, seed
        self.least_rows, self.least_share = least_rows, least_share
        whole = np.array_equal(data.weights, np.rint(data.weights)) and data.total_weight < LARGEST_SUM
        self.scale = 1.0 if whole else SCALED_SUM / data.total_weight

    def on_all_rows(self) -> Grown:
        """Grow the tree on all rows."""
        return self._grown(self.data.point_weights, self.data.point_counts, np.arange(len(self.data.columns)))

    def on_some_rows(self, share: float, number: int) -> Grown:
        """Grow one of the trees on a share of the rows; the same one for the same number."""
        data = self.data
        random = np.random.default_rng([self.seed, number])
        n_rows = max(1, int(share * data.n_rows))
        rows = random.permutation(data.n_rows)[:n_rows]
        points = data.point_of[rows]
        weights = np.bincount(points, weights=data.weights[rows], minlength=data.n_points).astype(np.float64)
        counts = np.bincount(points, minlength=data.n_points)
        return self._grown(weights, counts, random.permutation(len(data.columns)))

    def _grown(self, weights: Floats, counts: Ints, order: Ints) -> Grown:
        """Grow a tree on points by their weights and counts, none where they are zero; earlier columns win ties."""
        data = self.data
        whole = np.rint(weights * self.scale).astype(np.int64)
        grown = grow(
            np.ascontiguousarray(data.ranks[order]),
            data.point_labels,
            whole,
            np.stack([counts, whole], axis=1),
            n_classes=data.n_classes,
            max_depth=min(self.depth, data.n_points),
            max_leaves=min(2**self.depth, data.n_points),
            min_rows=self.least_rows,
            min_weight=int(np.ceil(self.least_share * int(whole.sum()) * (1 - ROUNDING))),
        )
        return self._questions(grown.nodes.tolist(), np.flatnonzero(counts), order)

    def _questions(self, nodes: list[list[int]], points: Ints, order: Ints) -> Grown:
        """Return what a tree asks at each node, with the cut that CART's threshold means for all rows."""
        found: Grown = {}
        waiting = [(0, 0, points)]
        while waiting:
            place, number, at = waiting.pop()
            asked, rank, yes, no, _ = nodes[number]
            if asked < 0:
                continue
            column = int(order[asked])
            ranks = self.data.ranks[column][at]
            is_yes = ranks <= rank
            found[place] = column, self.data.columns[column].between(rank, int(ranks[~is_yes].min()))
            waiting += [(2 * place + 1, yes, at[is_yes]), (2 * place + 2, no, at[~is_yes])]
        return found


def _is_share(value: object) -> bool:
    return not isinstance(value, bool) and isinstance(value, (int, float, np.number)) and bool(0 < value <= 1)


def is_integer(value: object, at_least: int) -> bool:
    """Whether a value is an integer that is large enough.

    Examples
    --------
    >>> is_integer(3, 1), is_integer(0, 1), is_integer(1.0, 1), is_integer(True, 1)
    (True, False, False, False)
    """
    return not isinstance(value, bool) and isinstance(value, (int, np.integer)) and bool(value >= at_least)


def _check_integer(name: str, value: object, at_least: int) -> None:
    if not is_integer(value, at_least):
        raise InputError(f"{name} must be an integer, {at_least} or more; got {value!r}.")
