"""The draft's MIP of XCT as printed, one slip at a time: each gives nonsense, and ours does not.

Six points on a line, classes 0 0 1 1 0 0. No single cut helps: with one question the best is one leaf, 4 of 6 right;
with two questions every leaf is right. Ours is OCT's and XCT's program on ranks; the draft's is on values in 0..1.
"""

import numpy as np
import pytest

from exactree import OCT, XCT, Search
from exactree.encode import encode
from exactree.mip import Kind, Mip, MipStatus, solve
from exactree.problem import Limits, Problem, accuracy, leaf_accuracy
from exactree.solve import Budget
from exactree.solve.trees.complete_tree import Shape
from exactree.table import Table

SIX = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 1.0]), np.array([0, 0, 1, 1, 0, 0])
# Two rows alike, of different classes: whoever parts them is wrong.
TWINS = np.array([0.0, 0.5, 0.5, 1.0]), np.array([0, 0, 1, 1])
N_CLASSES = 2


def smallest_gap(x):
    """As it should be: values in ascending order, gaps above zero."""
    gaps = np.diff(np.sort(x))
    return float(gaps[gaps > 0].min())


class Draft:
    """The draft's MIP for one column of values; what is passed by name is where it errs."""

    def __init__(self, x, y, depth, *, min_rows=1, gap=None, left="corrected", asks=None, cuts="branch", answers=None):
        self.x, self.y, self.shape, self.mip = x, y, Shape(depth), Mip()
        self.gap = smallest_gap(x) if gap is None else gap
        n, leaves, branches = len(x), self.shape.n_leaves, self.shape.n_branches
        columns, binary = self.mip.columns, Kind.INTEGER
        self.d = columns("d", branches, kind=binary, low=1 if asks == "always" else 0, high=1)
        self.a = columns("a", branches, kind=binary, high=1)
        self.b = columns("b", leaves if cuts == "leaf" else branches, high=1)
        self.z = columns("z", (n, leaves), kind=binary, high=1)
        self.l = columns("l", leaves, kind=binary, high=1)
        self.c = columns("c", (leaves, N_CLASSES), kind=Kind.CONTINUOUS if answers == "fractions" else binary, high=1)
        self._add_structure(min_rows, cuts)
        for t in range(leaves):
            for m in range(branches):
                self._add_routing(t, m, left, self.b[t if cuts == "leaf" else m])

    def _add_structure(self, min_rows, cuts):
        mip = self.mip
        mip.family("one_column", [(1, self.a), (-1, self.d)], at_least=0, at_most=0)
        if cuts != "leaf":
            mip.family("no_cut", [(1, self.b), (-1, self.d)], at_most=0)
        children = np.arange(1, self.shape.n_branches)
        mip.family("below", [(1, self.d[children]), (-1, self.d[(children - 1) // 2])], at_most=0)
        mip.family("one_leaf", [(1, self.z)], at_least=1, at_most=1)
        mip.family("holds", [(1, self.z.ravel()), (-1, np.tile(self.l, len(self.x)))], at_most=0)
        mip.family("enough", [(1, self.z.T), (-float(min_rows), self.l)], at_least=0)
        mip.family("one_label", [(1, self.c), (-1, self.l)], at_least=0, at_most=0)

    def _add_routing(self, t, m, left, b):
        x, z, gap = self.x, self.z[:, t], self.gap
        a, b = np.full(len(x), self.a[m]), np.full(len(x), b)
        if t in self.shape.leaves_below(m, False):
            # a x >= b - (1 - z)
            self.mip.family(f"right_{t}_{m}", [(x, a), (-1, b), (-1, z)], at_least=-1)
        if t in self.shape.leaves_below(m, True):
            # published: a (x + gap) <= b + (1 + gap) (1 - z); corrected: a x + gap <= ...
            inside = gap if left == "published" else 0.0
            outside = 0.0 if left == "published" else gap
            terms = [(x + inside, a), (-1, b), (1 + gap, z)]
            self.mip.family(f"left_{t}_{m}", terms, at_most=1 + gap - outside)

    def errors(self, upper=0):
        """OCT's objective: errors over those of a single leaf; ``upper`` is the sign of n c in the upper row."""
        mip, n = self.mip, len(self.x)
        fewest = n - np.bincount(self.y).max()
        loss = mip.columns("loss", len(self.l), cost=1 / fewest)
        for k in range(N_CLASSES):
            others = (self.y != k).astype(float)[None, :]
            # loss >= N - N_k - n (1 - c_k), and as an upper row loss <= N - N_k + sign n c_k
            mip.family(f"loss_{k}", [(others, self.z.T), (n, self.c[:, k]), (-1, loss)], at_most=n)
            if upper:
                mip.family(f"upper_{k}", [(others, self.z.T), (upper * n, self.c[:, k]), (-1, loss)], at_least=0)
        return self.solve()

    def worst_leaf(self, unit="draft", relaxed=False):
        """XCT's objective: the accuracy of the worst leaf."""
        mip, n, leaves = self.mip, len(self.x), len(self.l)
        self.q = mip.columns("q", 1, high=1, cost=-1)
        r, s, right = mip.columns("r", leaves, high=1), *(mip.columns(v, (n, leaves), high=1) for v in ("s", "S"))
        mip.family("all_shares", [(1, s.T), (-1, self.l)], at_least=0, at_most=0)
        mip.family("share_here", [(1, s.ravel()), (-1, self.z.ravel())], at_most=0)
        if unit == "pairs":
            self._add_pairs(s)
        else:
            each, z = np.tile(r, n), self.z.ravel()
            mip.family("unit_low", [(1, each), (-1, s.ravel()), (1, z)], at_most=1)
            tight = unit == "tight"  # s <= r, where the draft has s <= r + 1 - z
            mip.family("unit_high", [(1, s.ravel()), (-1, each), (0 if tight else 1, z)], at_most=0 if tight else 1)
        mip.family("right_share", [(1, right.ravel()), (-1, s.ravel())], at_most=0)
        mip.family("right_label", [(1, right.ravel()), (-1, self.c[:, self.y].T.ravel())], at_most=0)
        mip.family("worst", [(1, np.full(leaves, self.q[0])), (-1, right.T), (1, self.l)], at_most=1)
        return -self.solve(relaxed)

    def _add_pairs(self, s):
        for i in range(len(self.x)):
            for h in range(i):
                for name, one, other in ((f"{i}_{h}", i, h), (f"{h}_{i}", h, i)):
                    # s_i <= s_h + 2 - z_i - z_h
                    self.mip.family(name, [(1, s[one]), (-1, s[other]), (1, self.z[i]), (1, self.z[h])], at_most=2)

    def solve(self, relaxed=False):
        program = self.mip.program()
        if relaxed:
            program.kind[:] = Kind.CONTINUOUS
        answer = solve(program, backend="highs")
        self.status, self.values = answer.status, answer.values
        return answer.objective


def our_errors(x, y, depth, **limits):
    data = encode(Table.of(x[:, None]), y)
    return OCT(backend="highs").solve(Problem(data, accuracy(data), Limits(depth, **limits)), Budget()).cost


def our_worst_leaf(x, y, depth, strategy="warm", **limits):
    data = encode(Table.of(x[:, None]), y)
    problem = Problem(data, leaf_accuracy(data), Limits(depth, **limits))
    return 1 - XCT(strategy, backend="highs").solve(problem, Budget()).cost


@pytest.mark.parametrize(("depth", "least", "worth"), [(1, 1, 4 / 6), (2, 1, 1.0), (2, 2, 1.0), (2, 3, 4 / 6)])
def test_with_all_slips_corrected_the_draft_is_right(depth, least, worth):
    corrected = Draft(*SIX, depth, min_rows=least, asks="always")
    assert corrected.worst_leaf() == pytest.approx(worth, abs=1e-6)
    for strategy in ("warm", "halving"):
        ours = our_worst_leaf(*SIX, depth, strategy, min_samples_leaf=least)
        assert ours == pytest.approx(worth, abs=1e-6)


def test_the_upper_row_of_losses_contradicts_the_lower():
    draft, right = Draft(*SIX, 1), Draft(*SIX, 1)
    draft.errors(upper=-1)
    assert (draft.status, draft.values) == (MipStatus.INFEASIBLE, None)
    assert right.errors(upper=1) == pytest.approx(1.0)
    assert our_errors(*SIX, 1) == 2  # as many as a single leaf makes: 1.0 of those


def test_the_left_row_without_its_gap_outside_lets_rows_choose():
    draft = Draft(*SIX, 1, left="published")
    assert draft.errors() == pytest.approx(0.0, abs=1e-6)
    assert draft.values[draft.d].sum() == 0  # nothing is asked, and every row is right
    assert Draft(*SIX, 1).errors() == pytest.approx(1.0)
    assert our_errors(*SIX, 1) == 2


def test_the_full_model_printed_without_the_correction_errs_at_depth_two_as_well():
    # With two questions there is a right tree; the draft does without any.
    draft, right = Draft(*SIX, 2, left="published"), Draft(*SIX, 2)
    assert draft.errors() == right.errors() == our_errors(*SIX, 2) == pytest.approx(0.0, abs=1e-6)
    price = {"ccp_alpha": 0.01}
    data = encode(Table.of(SIX[0][:, None]), SIX[1])
    ours = OCT(backend="highs").solve(Problem(data, accuracy(data), Limits(2, **price)), Budget())
    for program, asked in ((Draft(*SIX, 2, left="published"), 0), (Draft(*SIX, 2), 2)):
        program.mip.columns("price", 1, high=3, cost=0.01)
        price_row = [(1, program.mip.blocks["price"][:, None]), (-1, program.d[None, :])]
        program.mip.family("price", price_row, at_least=0, at_most=0)
        assert program.errors() == pytest.approx(0.01 * asked, abs=1e-6)
    assert ours.model.n_leaves - 1 == 2


def test_a_threshold_for_each_leaf_takes_siblings_apart():
    draft = Draft(*SIX, 1, asks="always", cuts="leaf")
    assert draft.worst_leaf() == pytest.approx(1.0)
    low, high = draft.values[draft.b]
    assert low > high + 0.2  # left of one, right of the other: rows between them choose
    assert Draft(*SIX, 1, asks="always").worst_leaf() == pytest.approx(4 / 6)
    assert our_worst_leaf(*SIX, 1) == pytest.approx(4 / 6)


def test_branches_that_may_ask_nothing_make_every_leaf_right():
    draft = Draft(*SIX, 1, left="published")  # d is free, although the text drops it
    assert draft.worst_leaf() == pytest.approx(1.0)
    assert draft.values[draft.d].sum() == 0
    assert Draft(*SIX, 1, left="published", asks="always").worst_leaf() == pytest.approx(4 / 6)
    assert Draft(*SIX, 1).worst_leaf() == pytest.approx(4 / 6)
    assert our_worst_leaf(*SIX, 1) == pytest.approx(4 / 6)


def test_half_an_answer_is_right_for_everyone():
    draft = Draft(*SIX, 1, asks="always", answers="fractions")
    assert draft.worst_leaf() == pytest.approx(1.0)
    assert 0.1 < draft.values[draft.c].max() < 0.9
    assert Draft(*SIX, 1, asks="always", answers="fractions").errors() == pytest.approx(0.0, abs=1e-6)
    assert (our_worst_leaf(*SIX, 1), our_errors(*SIX, 1)) == (pytest.approx(4 / 6), 2)


def test_gaps_in_the_wrong_order_are_negative():
    x, y = TWINS
    gap = float(np.diff(np.sort(x)[::-1]).min())  # from the i-th largest to the next, as printed
    assert gap == -0.5
    assert smallest_gap(x) == 0.5
    # A row at the threshold may then go either options, and rows that are alike are parted.
    draft = Draft(x, y, 1, gap=gap, asks="always")
    assert draft.worst_leaf() == pytest.approx(1.0)
    assert not np.array_equal(draft.values[draft.z[1]], draft.values[draft.z[2]])
    assert Draft(x, y, 1, asks="always").worst_leaf() == pytest.approx(2 / 3)
    assert our_worst_leaf(x, y, 1) == pytest.approx(2 / 3)


@pytest.mark.parametrize("depth", [1, 2])
def test_the_loose_row_of_units_has_the_same_optimum(depth):
    loose, tight = (Draft(*SIX, depth, asks="always").worst_leaf(unit) for unit in ("draft", "tight"))
    assert loose == pytest.approx(tight)
    assert our_worst_leaf(*SIX, depth) == pytest.approx(loose)


def test_a_unit_in_place_of_all_pairs_changes_neither_optimum_nor_relaxation():
    for unit in ("pairs", "draft", "tight"):
        assert Draft(*SIX, 1, asks="always").worst_leaf(unit) == pytest.approx(4 / 6)
        assert Draft(*SIX, 1, asks="always").worst_leaf(unit, relaxed=True) == pytest.approx(1.0)


def test_the_worst_leaf_alone_leaves_ties_open():
    # Three pure leaves are enough, four can be had: to the draft they are the same.
    leaves = {}
    for sign in (1, -1):
        draft = Draft(*SIX, 2, asks="always")
        draft.mip.columns("held", 1, high=4, cost=1e-3 * sign)
        draft.mip.family(
            "held", [(1, draft.mip.blocks["held"][:, None]), (-1, draft.l[None, :])], at_least=0, at_most=0
        )
        draft.worst_leaf()
        assert draft.values[draft.q[0]] == pytest.approx(1.0)
        leaves[sign] = round(draft.values[draft.l].sum())
    assert leaves == {1: 3, -1: 4}
    data = encode(Table.of(SIX[0][:, None]), SIX[1])
    found = Search().solve(Problem(data, leaf_accuracy(data), Limits(2)), Budget())
    assert (found.model.n_leaves, found.cost) == (3, 0.0)
