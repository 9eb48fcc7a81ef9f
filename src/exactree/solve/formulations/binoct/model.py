"""BinOCT as a MIP: thresholds found by binary search over bits (Verwer and Zhang, AAAI 2019), corrected.

=========  ==============================================  ==================
in code    meaning                                         in the paper
=========  ==============================================  ==================
ask        [n, f] branch n asks about column f             f_{n,f}, binary
bit        [n, d] bit d of branch n's threshold            t_{n,d}, binary
predicts   [l, k] leaf l predicts class k                  p_{l,c}, binary
reach      [r, l] row r ends in leaf l                     l_{r,l}
error      [l, c] cost of the rows of class c in leaf l    e_{l,c}
=========  ==============================================  ==================

Cut k of a column with T cuts (k = 0 .. T - 1) sends ranks up to k to yes. Its bits are the steps of a binary search:
1 goes on in the lower half of the cuts, 0 in the upper half. For every interval of cuts a..b, halved after m, that the
search can meet at bit d, there is one ``CutInterval``:

- rows with ranks m + 1 .. b cannot go to yes once bit d is 1: the cut is then m at most;
- rows with ranks a + 1 .. m + 1 cannot go to no once bit d is 0: the cut is then m + 1 at least.

The first stays true for all smaller cuts, so besides bit d only the bits that led to a *lower* half must be 1; for the
second only those that led to an *upper* half must be 0. The paper exchanges the two ranges in its general form and
uses one set of bits for both; either error lets rows go where no threshold sends them, and neither shows in the paper's
own example.

Columns without cuts are left out. All big-Ms are the smallest valid ones: the number of rows concerned.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from exactree.arrays import Bools, Floats, Ints, UInt32s
from exactree.mip import Kind, Mip, Term
from exactree.problem import Problem
from exactree.solve.formulations.common.leaf_constraints import (
    add_constraints,
    add_errors,
    add_leaf_sizes,
    kind_of_totals,
    start_leaf_constraints,
)
from exactree.solve.mip_runs.costs import MipCosts
from exactree.solve.trees.complete_tree import NO_QUESTION, CompleteTree, Shape


@dataclass(frozen=True, slots=True)
class CutInterval:
    """One interval of cuts that the binary search can meet."""

    yes_ranks: tuple[int, int]  # first and last rank of the rows that cannot go to yes
    no_ranks: tuple[int, int]  # the same for no
    ones: tuple[int, ...]  # bits that must be 1 for the first
    zeros: tuple[int, ...]  # bits that must be 0 for the second


def cut_intervals(n_cuts: int) -> list[CutInterval]:
    """All intervals of a binary search among so many cuts: one less than there are cuts.

    Examples
    --------
    >>> for record in cut_intervals(4):
    ...     print(record.yes_ranks, record.no_ranks, record.ones, record.zeros)
    (2, 3) (1, 2) (0,) (0,)
    (1, 1) (1, 1) (1, 0) (1,)
    (3, 3) (3, 3) (1,) (1, 0)
    """
    return list(_intervals(0, n_cuts - 1, 0, (), ()))


def _intervals(a: int, b: int, d: int, ones: tuple[int, ...], zeros: tuple[int, ...]) -> Iterator[CutInterval]:
    if a >= b:
        return
    m = a + (b - a) // 2
    yield CutInterval((m + 1, b), (a + 1, m + 1), (d, *ones), (d, *zeros))
    yield from _intervals(a, m, d + 1, (d, *ones), zeros)
    yield from _intervals(m + 1, b, d + 1, ones, (d, *zeros))


def n_bits(n_cuts: int) -> int:
    """Bits that the binary search among so many cuts needs at most.

    Examples
    --------
    >>> n_bits(1), n_bits(4), n_bits(5)
    (0, 2, 3)
    """
    return (n_cuts - 1).bit_length()


def decode_cut(bits: Bools, n_cuts: int) -> int:
    """Cut of a bit pattern; every pattern has one."""
    low, high, d = 0, n_cuts - 1, 0
    while low < high:
        middle = low + (high - low) // 2
        low, high = (low, middle) if bits[d] else (middle + 1, high)
        d += 1
    return low


def encode_cut(cut: int, n_cuts: int, width: int) -> Bools:
    """Bits of a cut; unused bits are 0."""
    bits = np.zeros(width, dtype=np.bool_)
    low, high, d = 0, n_cuts - 1, 0
    while low < high:
        middle = low + (high - low) // 2
        bits[d] = cut <= middle
        low, high = (low, middle) if bits[d] else (middle + 1, high)
        d += 1
    return bits


class BinOctModel:
    """The MIP, its warm start from a tree, and the decoding of its solutions."""

    def __init__(
        self, mip: Mip, problem: Problem, costs: MipCosts, shape: Shape, *, strengthen: bool, score: bool
    ) -> None:
        self.problem, self.costs, self.shape = problem, costs, shape
        self.cuts = np.array([column.n_ranks - 1 for column in problem.data.columns])
        self.width = n_bits(int(self.cuts.max()))
        self.score = score
        sizes_matter = problem.limits.min_samples_leaf > 1 or problem.min_leaf_weight > 0
        few_leaves = problem.limits.most_leaves < shape.n_leaves
        # A leaf may be feasible where neither of two halves is, so a branch must be allowed to ask nothing.
        self.may_skip = problem.leaf_price > 0 or few_leaves or sizes_matter or bool(problem.on_leaves)
        # Two small leaves may be feasible where their union is not: then siblings may have equal labels.
        self.may_agree = any(limit.small > 0 for limit in problem.on_leaves)
        self.mip = mip
        self._add_columns()
        self._add_routing()
        if self.may_skip:
            self._add_empty_branches(few_leaves, strengthen)
        if strengthen:
            self._add_unused_bits()
        if score:
            self._add_scores()
        else:
            self.error = add_errors(self.mip, costs, self.reach, self.predicts, strengthen=strengthen)
            add_leaf_sizes(self.mip, problem, costs, self.reach)
            add_constraints(self.mip, problem, costs, self.reach, self.predicts)
        self.mip.offset += costs.offset + costs.leaf_price

    @property
    def n_asks(self) -> int:
        """Number of columns to ask about; the last stands for no question, if that is allowed."""
        return len(self.cuts) + self.may_skip

    def _add_columns(self) -> None:
        """Add the columns, and the rows that choose exactly one of each."""
        mip, shape = self.mip, self.shape
        levels = np.array([shape.level(n) for n in range(shape.n_branches)])[:, None]
        # Branching from the root down, columns before bits, labels last.
        binary, implied = Kind.INTEGER, Kind.IMPLIED
        self.ask = mip.columns("ask", (shape.n_branches, self.n_asks), kind=binary, high=1, priority=101 - 2 * levels)
        self.bit = mip.columns("bit", (shape.n_branches, self.width), kind=binary, high=1, priority=100 - 2 * levels)
        self.predicts = mip.columns(
            "predicts", (shape.n_leaves, self.costs.n_classes), kind=binary, high=1, priority=10
        )
        self.reach = mip.columns("reach", (self.costs.n_rows, shape.n_leaves), kind=implied, high=1)
        # one_column[n]: sum_f ask[n, f] = 1
        mip.family("one_column", [(1, self.ask)], at_least=1, at_most=1)
        # one_leaf[r]: sum_l reach[r, l] = 1; with form="score" only correct rows are routed
        mip.family("one_leaf", [(1, self.reach)], at_least=-np.inf if self.score else 1, at_most=1)
        # one_label[l]: sum_k predicts[l, k] = 1
        mip.family("one_label", [(1, self.predicts)], at_least=1, at_most=1)

    def _add_routing(self) -> None:
        """Rows cannot be on a side to which the threshold does not send them."""
        cells = [_RowsByRank(self.costs.ranks[f], int(self.cuts[f])) for f in range(len(self.cuts))]
        found = [(f, record) for f in range(len(self.cuts)) for record in cut_intervals(int(self.cuts[f]))]
        asks = np.array([f for f, _ in found], dtype=np.int64)
        yes, no = ([cells[f].rows(*ranks) for f, ranks in each] for each in _ranks_of(found))
        highest, lowest = [c.rows(c.n_cuts, c.n_cuts) for c in cells], [c.rows(0, 0) for c in cells]
        self._expect(sum(map(len, [*yes, *no, *highest, *lowest])), len(found))
        # not_yes[n, g]: M ask[n, f] + sum_{LEFT(g)} reach + M sum_{ones} bit <= M + M |ones|
        self._add_interval_rows("not_yes", True, asks, yes, [record.ones for _, record in found])
        # not_no[n, g]: M ask[n, f] + sum_{RIGHT(g)} reach - M sum_{zeros} bit <= M
        self._add_interval_rows("not_no", False, asks, no, [record.zeros for _, record in found])
        # ends[n, f]: M ask[n, f] + sum_{highest rank} reach on yes + sum_{rank 0} reach on no <= M
        n_rows = self.shape.n_branches * len(cells)
        entries = [self._reach_entries(n, True, highest) for n in range(self.shape.n_branches)]
        entries += [self._reach_entries(n, False, lowest) for n in range(self.shape.n_branches)]
        most = np.tile(
            [float(len(h) + len(low)) for h, low in zip(highest, lowest, strict=True)], self.shape.n_branches
        )
        rows, columns = ([entry[i] for entry in entries] for i in (0, 1))
        switch = self.ask[:, : len(cells)].ravel()
        self.mip.sparse_family(
            "ends",
            n_rows,
            [*rows, np.arange(n_rows)],
            [*columns, switch],
            [*(np.ones(len(part)) for part in rows), most],
            at_most=most,
        )

    def _expect(self, reached: int, n_intervals: int) -> None:
        """Announce the size: of ``reached`` rows at all intervals and ends of columns, each on one side."""
        n_rows, n_leaves, n_branches = self.costs.n_rows, self.shape.n_leaves, self.shape.n_branches
        on_a_side = self.shape.depth * n_leaves // 2  # leaves on one side of each branch, added up
        self.mip.expect(
            rows=n_rows + 2 * n_branches * n_intervals,
            columns=self.mip.n_columns,
            entries=on_a_side * reached + n_rows * n_leaves * self.costs.n_classes,
        )

    def _add_interval_rows(
        self, name: str, yes: bool, asks: Ints, ranges: list[Ints], bits: list[tuple[int, ...]]
    ) -> None:
        """Add a family with one row for each branch and interval."""
        n_branches, n_intervals = self.shape.n_branches, len(asks)
        if n_intervals == 0:
            self.mip.sparse_family(name, 0, [], [], [])
            return
        most = np.array([float(len(rows)) for rows in ranges])
        sign = 1.0 if yes else -1.0
        n_set = np.array([len(chosen) for chosen in bits])
        interval_of, levels = np.repeat(np.arange(n_intervals), n_set), np.concatenate(bits).astype(np.int64)
        entries = [self._reach_entries(n, yes, ranges) for n in range(n_branches)]
        first = np.arange(n_branches)[:, None] * n_intervals
        rows = [part[0] for part in entries] + [(first + np.arange(n_intervals)).ravel(), (first + interval_of).ravel()]
        columns = [part[1] for part in entries] + [self.ask[:, asks].ravel(), self.bit[:, levels].ravel()]
        ones = [np.ones(len(part[0])) for part in entries]
        values = [*ones, np.tile(most, n_branches), np.tile(sign * most[interval_of], n_branches)]
        side = np.tile(most * (1 + n_set) if yes else most, n_branches)
        self.mip.sparse_family(name, n_branches * n_intervals, rows, columns, values, at_most=side)

    def _reach_entries(self, branch: int, yes: bool, ranges: list[Ints]) -> tuple[Ints, Ints]:
        """Entries of ``reach`` for some rows and the leaves below one side of a branch."""
        self.mip.check()
        below = self.shape.leaves_below(branch, yes)
        lengths = [len(rows) for rows in ranges]
        row = np.repeat(np.arange(len(ranges)), lengths) + branch * len(ranges)
        columns = self.reach[np.concatenate(ranges)][:, below.start : below.stop]
        return np.repeat(row, len(below)), columns.ravel()

    def _add_empty_branches(self, few_leaves: bool, strengthen: bool) -> None:
        """Let a branch ask nothing: all its rows go to yes, and no branch below asks."""
        mip, shape, n_rows = self.mip, self.shape, self.costs.n_rows
        skip = self.ask[:, -1]
        for_no = [self.reach[:, r.start : r.stop].ravel() for r in self._no_sides()]
        # skipped[n]: R skip[n] + sum_r reach on no <= R
        rows = [np.full(len(part), n) for n, part in enumerate(for_no)]
        ones = [np.ones(len(part)) for part in for_no]
        every = np.arange(shape.n_branches)
        mip.sparse_family(
            "skipped",
            shape.n_branches,
            [*rows, every],
            [*for_no, skip],
            [*ones, np.full(shape.n_branches, float(n_rows))],
            at_most=n_rows,
        )
        # skipped_below[n]: skip[n] <= skip[child]
        inner = every[: shape.n_branches // 2]
        parents = np.concatenate([inner, inner])
        children = np.concatenate([2 * inner + 1, 2 * inner + 2])
        mip.family("skipped_below", [(1, skip[parents]), (-1, skip[children])], at_most=0)
        if few_leaves:
            # most_leaves: number of branches that ask <= leaves allowed - 1
            asked = shape.n_branches - (self.problem.limits.most_leaves - 1)
            mip.family("most_leaves", [(1, skip[None, :])], at_least=asked)
        if self.costs.leaf_price > 0:
            self._add_leaf_price(skip)
        if strengthen and not self.may_agree:
            self._add_differing_siblings(skip)

    def _add_differing_siblings(self, skip: Ints) -> None:
        """Sibling leaves below a branch that asks predict different classes: this breaks symmetries."""
        bottom = np.repeat(skip[self.shape.n_branches // 2 :], self.costs.n_classes)
        # siblings_differ[n, k]: predicts[l, k] + predicts[l + 1, k] <= 1 + skip[n]
        terms = [(1, self.predicts[0::2].ravel()), (1, self.predicts[1::2].ravel()), (-1, bottom)]
        self.mip.family("siblings_differ", terms, at_most=1)

    def _add_leaf_price(self, skip: Ints) -> None:
        """Each branch that asks adds a leaf: price * (1 - skip)."""
        saved = self.mip.columns("saved", 1, kind=Kind.IMPLIED, high=self.shape.n_branches, cost=-self.costs.leaf_price)
        # leaves_saved: saved = sum of skip
        self.mip.family("leaves_saved", [(1, saved[None, :]), (-1, skip[None, :])], at_least=0, at_most=0)
        self.mip.offset += self.costs.leaf_price * self.shape.n_branches

    def _no_sides(self) -> list[range]:
        return [self.shape.leaves_below(n, False) for n in range(self.shape.n_branches)]

    def _add_unused_bits(self) -> None:
        """Bits that a column does not use are 0: this breaks symmetries."""
        unused = [range(n_bits(int(cuts)), self.width) for cuts in self.cuts]
        unused += [range(self.width)] * self.may_skip
        chosen = [(f, bits) for f, bits in enumerate(unused) if len(bits)]
        for_rows = [np.repeat(self.ask[:, [f]], len(bits), axis=1).ravel() for f, bits in chosen]
        for_bits = [self.bit[:, bits.start : bits.stop].ravel() for _, bits in chosen]
        if chosen and self.width:
            # unused_bit[n, f, d]: ask[n, f] + bit[n, d] <= 1, d a bit that f does not use
            columns = np.column_stack([np.concatenate(for_rows), np.concatenate(for_bits)])
            self.mip.family("unused_bit", [(1, columns)], at_most=1)

    def _add_scores(self) -> None:
        """Maximise the weight of correct rows, instead of minimising the cost of errors."""
        costs, mip = self.costs, self.mip
        gain = costs.cost.max(axis=1)
        for c in range(costs.n_classes):
            rows = np.flatnonzero(costs.labels == c)
            # right[l] of class c: sum_{r of class c} reach[r, l] <= M predicts[l, c]
            most = float(len(rows))
            mip.family(f"right_{c}", [(1, self.reach[rows].T), (-most, self.predicts[:, c])], at_most=0)
        gained = mip.columns("gained", 1, kind=kind_of_totals(gain), high=float(gain.sum()), cost=-1.0)
        each = np.repeat(gain, self.shape.n_leaves)
        # all_gained: gained = sum of gain * reach
        terms: list[Term] = [(1, gained[None, :]), (-each[None, :], self.reach.reshape(1, -1))]
        mip.family("all_gained", terms, at_least=0, at_most=0)
        mip.offset += float(gain.sum())

    def set_start(self, tree: CompleteTree) -> None:
        """Set a tree as complete warm start."""
        mip, shape = self.mip, self.shape
        ask, bit = np.zeros(self.ask.shape), np.zeros(self.bit.shape)
        for n in range(shape.n_branches):
            column = int(tree.column[n])
            if column == NO_QUESTION and not self.may_skip:
                column = 0  # an arbitrary question: its sides have the same label
            ask[n, column] = 1  # the last index stands for no question
            if column != NO_QUESTION:
                bit[n] = encode_cut(int(tree.rank[n]), int(self.cuts[column]), self.width)
        mip.set_start(self.ask, ask)
        mip.set_start(self.bit, bit)
        real = self.read_arrays(ask, bit, tree.label)
        leaf = real.route(self.costs.ranks)
        label = self._labels(tree, leaf)
        mip.set_start(self.predicts, np.eye(self.costs.n_classes)[label])
        reach = np.zeros(self.reach.shape)
        reach[np.arange(len(leaf)), leaf] = 1.0
        self._start_rest(reach, label, ask)

    def _labels(self, tree: CompleteTree, leaf: Ints) -> Ints:
        """Labels of the leaves; siblings below a branch that asks must differ, so an empty one is changed."""
        label = tree.label.copy()
        if self.may_skip and self.costs.n_classes > 1:
            empty = np.bincount(leaf, minlength=self.shape.n_leaves) == 0
            for even in range(0, self.shape.n_leaves, 2):
                asks = tree.column[(self.shape.n_branches + even) // 2] != NO_QUESTION
                if asks and label[even] == label[even + 1] and (empty[even] or empty[even + 1]):
                    label[even + int(empty[even + 1])] = (label[even] + 1) % self.costs.n_classes
        return label

    def _start_rest(self, reach: Floats, label: Ints, ask: Floats) -> None:
        """Set the warm start of what follows from routing and labels."""
        costs, blocks = self.costs, self.mip.blocks
        if self.score:
            reach *= costs.labels[:, None] == label[None, :]
            gained = (reach * costs.cost.max(axis=1)[:, None]).sum()
            self.mip.set_start(blocks["gained"], gained)
        self.mip.set_start(self.reach, reach)
        if "saved" in blocks:
            self.mip.set_start(blocks["saved"], ask[:, -1].sum())
        if not self.score:
            start_leaf_constraints(self.mip, self.problem, costs, reach, label)

    def read_solution(self, values: Floats) -> CompleteTree:
        """Decode the tree of a solution."""
        return self.read_arrays(values[self.ask], values[self.bit], values[self.predicts].argmax(axis=1))

    def read_arrays(self, ask: Floats, bit: Floats, label: Ints) -> CompleteTree:
        """Decode columns and bits into questions."""
        column = ask.argmax(axis=1)
        rank = np.zeros(len(column), dtype=np.int64)
        for n, f in enumerate(column.tolist()):
            if f < len(self.cuts):
                rank[n] = decode_cut(bit[n] > 0.5, int(self.cuts[f]))
        column[column == len(self.cuts)] = NO_QUESTION
        return CompleteTree(self.shape, column, rank, label)


def _ranks_of(found: list[tuple[int, CutInterval]]) -> tuple[list[tuple[int, tuple[int, int]]], ...]:
    """Columns with the ranks that each interval sends to yes, and to no."""
    return [(f, record.yes_ranks) for f, record in found], [(f, record.no_ranks) for f, record in found]


class _RowsByRank:
    """Rows of one column, sorted by rank."""

    def __init__(self, ranks: UInt32s, n_cuts: int) -> None:
        self.order = np.argsort(ranks, kind="stable")
        self.begin = np.searchsorted(ranks[self.order], np.arange(n_cuts + 2))
        self.n_cuts = n_cuts

    def rows(self, first: int, last: int) -> Ints:
        """Rows with ranks from first to last."""
        return self.order[self.begin[first] : self.begin[last + 1]]
