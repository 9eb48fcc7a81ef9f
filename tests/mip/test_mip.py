"""MIPs are written in bulk, each block and family once."""

import numpy as np
import pytest

from exactree.errors import InputError
from exactree.mip import NO_COLUMN, Kind, Mip


def test_entries_at_the_same_place_are_added_and_zeros_dropped():
    mip = Mip()
    x = mip.columns("x", 3)
    mip.family("twice", [(1, x[None, :]), (2, x[None, [0]]), ([[-1, 0]], x[None, 1:])], at_most=5)
    program = mip.program()
    assert (program.index.tolist(), program.value.tolist()) == ([0, 2], [3.0, 1.0])
    assert program.activity(np.array([1.0, 7.0, 2.0])).tolist() == [5.0]


def test_rows_of_different_lengths():
    mip = Mip()
    x = mip.columns("x", 4)
    ragged = np.array([[0, 1, 2], [3, NO_COLUMN, NO_COLUMN]])
    mip.family("ragged", [(1, ragged)], at_least=1)
    program = mip.program()
    assert program.begin.tolist() == [0, 3, 4]
    assert program.families == {"ragged": 2}
    assert program.blocks["x"] is x


def test_the_smallest_big_m():
    mip = Mip()
    on = mip.columns("on", 2, kind=Kind.INTEGER, high=1)
    x = mip.columns("x", (2, 2), low=-1, high=[[3, 4], [5, 6]])
    mip.indicator("rows", on, [([1, -1], x)], at_most=2)
    program = mip.program()
    # largest left-hand sides: 3 + 1 and 5 + 1
    assert program.row_high.tolist() == [2 + 2, 2 + 4]
    assert program.value.tolist() == [2, 1, -1, 4, 1, -1]


def test_sides_and_bounds_are_spread():
    mip = Mip()
    x = mip.columns("x", (2, 3), low=[[0], [1]], high=4, cost=[1, 2, 3], priority=7)
    mip.family("rows", [(1, x)], at_least=[1, 2], at_most=9)
    program = mip.program()
    assert program.low.tolist() == [0, 0, 0, 1, 1, 1]
    assert program.cost.tolist() == [1, 2, 3, 1, 2, 3]
    assert (program.row_low.tolist(), program.row_high.tolist()) == ([1, 2], [9, 9])
    assert set(program.priority.tolist()) == {7}


def test_violation_is_by_how_much():
    mip = Mip()
    x = mip.columns("x", 2, kind=Kind.INTEGER, high=1)
    mip.family("sum", [(1, x[None, :])], at_most=1)
    program = mip.program()
    assert program.violation(np.array([1.0, 0.0])) == 0
    assert program.violation(np.array([1.0, 1.0])) == 1
    assert program.violation(np.array([0.25, 0.0])) == 0.25
    assert program.violation(np.array([-2.0, 0.0])) == 2


def test_a_second_family_or_block_of_the_same_name():
    mip = Mip()
    x = mip.columns("x", 1)
    mip.family("row", [(1, x)], at_most=1)
    with pytest.raises(InputError, match=r"There is a family of rows 'row' already; a constraint is added once\."):
        mip.family("row", [(1, x)], at_most=1)
    with pytest.raises(InputError, match=r"There is a block of columns 'x' already; give this one another name\."):
        mip.columns("x", 1)


def test_wrong_columns_bounds_and_offsets():
    mip = Mip()
    x = mip.columns("x", 2)
    with pytest.raises(InputError, match=r"Column 1 of 'y' has the bounds 2 to 1: they are infeasible\."):
        mip.columns("y", 2, low=[0, 2], high=1)
    with pytest.raises(InputError, match=r"Family 'far' names column 9; there are 2\."):
        mip.family("far", [(1, np.array([[9]]))])
    with pytest.raises(InputError, match=r"Indicator rows 'free' need finite bounds on their columns"):
        mip.indicator("free", x[:1], [(1, x[1:, None])], at_most=0)
    mip.offset = float("nan")
    with pytest.raises(InputError, match=r"The offset of the cost must be finite; got nan\."):
        mip.program()


def test_a_million_entries_without_a_loop():
    mip = Mip()
    x = mip.columns("x", (1000, 1000), kind=Kind.IMPLIED, high=1)
    mip.family("rows", [(2, x)], at_most=3)
    assert mip.program().n_entries == 1_000_000


def test_whole_columns_have_whole_bounds():
    mip = Mip()
    mip.columns("whole", 2, kind=Kind.INTEGER, low=[-1.5, 0.2], high=[0.5, 3.0])
    mip.columns("any", 1, low=-1.5, high=0.5)
    program = mip.program()
    assert program.low.tolist() == [-1.0, 1.0, -1.5]
    assert program.high.tolist() == [0.0, 3.0, 0.5]


def in_blocks(monkeypatch, large, check=None, check_size=None):
    """Write a family whose parts are for rows 0 to 3, 4 to 9, and all of them, with pieces left out and doubled."""
    monkeypatch.setattr("exactree.mip.mip.LARGE", large)
    random = np.random.default_rng(0)
    mip = Mip(check, check_size)
    x = mip.columns("x", (10, 6))
    rows = [np.repeat(np.arange(4), 30), np.repeat(np.arange(4, 10), 20), np.arange(10), np.array([0, 9, 5])]
    columns = [random.integers(-1, 60, len(part)) for part in rows[:2]] + [x[:, 0], x[:3, 1]]
    values = [random.normal(size=len(part)) for part in rows]
    mip.sparse_family("parts", 10, rows, columns, values, at_most=np.arange(10.0))
    return mip.program()


@pytest.mark.each("large", [0, 2, 5, 50])
def test_a_family_written_in_blocks_is_the_same(monkeypatch, large):
    whole, blocks = in_blocks(monkeypatch, 10**6), in_blocks(monkeypatch, large)
    for name in ("begin", "index", "value", "row_low", "row_high"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(blocks, name))


def test_between_blocks_the_clock_is_asked(monkeypatch):
    asked, sizes = [], []
    in_blocks(monkeypatch, 50, lambda: asked.append(1), lambda size, seconds: sizes.append((size, seconds)))
    few = len(asked)
    assert [size.rows for size, _ in sizes] == [10, 6]  # the family, and its second block
    assert sizes[0][0].entries == 253
    assert all(seconds > 0 for _, seconds in sizes)
    asked.clear()
    in_blocks(monkeypatch, 10**6, lambda: asked.append(1))
    assert few == len(asked) + 1


def test_a_size_that_was_announced_is_reported_with_every_family(monkeypatch):
    monkeypatch.setattr("exactree.mip.mip.LARGE", 2)
    sizes = []
    mip = Mip(check_size=lambda size, seconds: sizes.append(size))
    x = mip.columns("x", 5)
    mip.expect(rows=7, columns=5, entries=1000)
    mip.family("sum", [(1, x[None, :])], at_most=1)
    assert set(sizes) == {(7, 5, 1000)}
    assert str(sizes[0]) == "7 rows, 5 columns and 1,000 entries"
