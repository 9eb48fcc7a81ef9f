"""How much columns vary: the usual step of numbers, the counts of levels and of missing values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactree.errors import InputError
from exactree.table import Column, Kind, Spread, Table, spread_of
from exactree.table.spread import step_of_counts, usual_step

BIG = 2**60


def by_definition(values):
    """Median absolute deviation, or 1.48 standard deviations, or 1."""
    if values.min() == values.max():
        return 1.0  # where rounding would leave a little of a deviation
    step = float(np.median(np.abs(values - np.median(values))))
    return step or 1.48 * float(values.std()) or 1.0


some_values = st.one_of(
    st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=30),
    st.lists(st.floats(-1e3, 1e3).map(lambda value: round(value, 6)), min_size=1, max_size=30),
    st.lists(st.sampled_from([0.1, 0.4]), min_size=1, max_size=12),
)


@settings(deadline=None, max_examples=300)
@given(values=some_values)
def test_the_usual_step_is_the_median_absolute_deviation(values):
    ordered = np.sort(np.array(values))
    assert usual_step(ordered) == pytest.approx(by_definition(ordered), rel=1e-9, abs=1e-11)
    assert step_of_counts(*np.unique(ordered, return_counts=True)) == usual_step(ordered)


def test_neighbours_beyond_floats_stay_apart():
    assert usual_step(np.array([BIG, BIG + 1, BIG + 2, BIG + 3, BIG + 4])) == 1.0


def test_huge_and_tiny_values_have_a_price():
    for values in (
        [-1.7e308, 1.7e308],
        [-1.7e308, 0.0, 1.7e308],
        [1.5e308, 1.7e308],
        [0.0, 0.0, 0.0, 1.7e308, -1.7e308],
    ):
        assert 0 < usual_step(np.sort(np.array(values))) < np.inf
    assert 0 < 1 / usual_step(np.array([0.0, 5e-324])) < np.inf


@pytest.mark.parametrize(
    ("column", "spread"),
    [
        (Column("x", Kind.NUMBER, np.array([1.0, np.nan, 2.0, 9.0])), Spread(4, 1, 1.0)),
        (Column("x", Kind.NUMBER, np.array([1, 2, 9], dtype=np.int32)), Spread(3, 0, 1.0)),
        (Column("x", Kind.NUMBER, np.array([np.nan, np.nan])), Spread(2, 2, 1.0)),
        (Column("x", Kind.BOOLEAN, np.array([0.0, 1.0, 1.0, 0.0, np.nan])), Spread(5, 1, 0.5)),
        (Column("x", Kind.CATEGORY, np.array([2, 0, 2, -1, -2]), ("a", "b", "c")), Spread(5, 1, counts=(1, 0, 2))),
        (Column("x", Kind.ORDERED, np.array([0, 0, 2, 2, -1, -2]), ("a", "b", "c")), Spread(6, 1, 1.0)),
        (Column("x", Kind.INTEGER, np.array([BIG, BIG + 2, BIG + 3])), Spread(3, 0, 1.0)),
    ],
    ids=["gap", "whole", "empty", "boolean", "category", "ordered", "integer"],
)
def test_every_kind_of_column(column, spread):
    assert spread_of(column) == spread


def test_a_schema_has_spreads_only_if_they_were_measured():
    table = Table.of([[1.0], [2.0]])
    assert table.schema.columns[0].spread is None
    measured = Table(table.columns, table.n_rows, table.named, (Spread(2, 0, 0.5),))
    assert measured.schema.columns[0].spread == Spread(2, 0, 0.5)
    assert measured.schema == table.schema
    assert hash(measured.schema) == hash(table.schema)


@pytest.mark.each(
    ("fields", "message"),
    [
        ({"rows": 0, "missing": 0}, r"missing is 0 of 0 rows\. Expected one row or more"),
        ({"rows": 2, "missing": 3}, r"missing is 3 of 2 rows"),
        ({"rows": 2, "missing": 0, "step": 0.0}, r"step is 0\.0\. Expected a finite number above 0"),
        ({"rows": 2, "missing": 0, "step": np.nan}, r"step is nan\. Expected a finite number above 0"),
        ({"rows": 2, "missing": 0, "step": 1.0, "counts": (1,)}, r"no counts of levels with it"),
        ({"rows": 2, "missing": 1, "counts": (1, 1)}, r"counts do not add up: there are 2 rows, 1 of them missing"),
        ({"rows": 2, "missing": 0, "counts": (-1, 1)}, r"counts do not add up"),
    ],
)
def test_wrong_spreads(fields, message):
    with pytest.raises(InputError, match=message):
        Spread(**fields)
