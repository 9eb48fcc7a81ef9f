"""New data against the table a model was fitted on."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.errors import InputError
from exactree.table import MISSING_CODE, UNKNOWN_CODE, Column, Kind, Table
from exactree.table.conform import conform_column


def validate_table(X, fitted, **options):
    (column,) = Table.of(X).conform(Table.of(fitted, **options).schema).columns
    return column


def test_levels_are_recoded_and_unknown_ones_marked():
    column = validate_table([["red"], ["green"], [None], ["blue"]], [["blue"], ["red"], ["yellow"]])
    assert column.values.tolist() == [1, UNKNOWN_CODE, MISSING_CODE, 0]
    assert column.levels == ("blue", "red", "yellow")


def test_conforming_twice_changes_nothing():
    schema = Table.of([["blue"], ["red"]]).schema
    once = Table.of([["green"], [None], ["red"]]).conform(schema)
    assert once.conform(schema).columns[0].values.tolist() == [UNKNOWN_CODE, MISSING_CODE, 1]


def test_numbers_that_are_levels():
    column = validate_table([[20.0], [np.nan], [30.0]], [[10], [20]], categorical_features=[0])
    assert column.values.tolist() == [1, MISSING_CODE, UNKNOWN_CODE]


def test_ordered_levels_given_as_strings():
    fitted = pd.DataFrame({"size": pd.Categorical(["s", "l"], categories=["s", "m", "l"], ordered=True)})
    column = validate_table(pd.DataFrame({"size": ["m", "xl", "l"]}), fitted)
    assert (column.kind, column.values.tolist()) == (Kind.ORDERED, [1, UNKNOWN_CODE, 2])


@pytest.mark.parametrize("fitted", [[[1.5]], [["a"]], [[True]]])
def test_a_column_may_lose_all_its_values(fitted):
    assert validate_table([[None], [None]], fitted).missing.all()
    assert validate_table(pd.DataFrame({"x0": pd.Categorical([None, None])}), fitted).missing.all()


def test_truth_values_and_numbers_stand_for_each_other():
    assert validate_table([[1], [0.0], [None]], [[True], [False]]).kind is Kind.BOOLEAN
    assert validate_table([[True]], [[2.5]]).values.tolist() == [1.0]
    with pytest.raises(InputError, match=r"'x0' held truth values .*; now row 1 holds 2\.0\. Expected True, False"):
        validate_table([[1], [2]], [[True], [False]])


def test_strings_where_numbers_were():
    with pytest.raises(InputError, match=r"'x0' held numbers .*; now it holds categories, such as 'a'\. Convert"):
        validate_table([["a"]], [[1.5]])


def test_numbers_where_strings_were():
    with pytest.raises(InputError, match=r"'x0' held strings .*, such as '1'; now it holds numbers, such as 1\.0"):
        validate_table([[1]], [["1"]])


def test_missing_where_large_integers_were():
    with pytest.raises(InputError, match=r"beyond 2\*\*53 and no missing values .*row 1 has no value"):
        validate_table([[1], [None]], [[2**60], [1]])


def test_columns_are_found_by_name():
    schema = Table.of([[1, "a"]], names=["n", "s"]).schema
    table = Table.of([["a", 5, 2]], names=["s", "more", "n"]).conform(schema)
    assert [column.name for column in table.columns] == ["n", "s"]
    with pytest.raises(InputError, match=r"X lacks columns .*: 'n', 's'\. It has: 'm', 'o'"):
        Table.of([[1, 2]], names=["m", "o"]).conform(schema)


def test_columns_are_found_by_position_if_a_side_has_no_names():
    schema = Table.of([[1, "a"]], names=["n", "s"]).schema
    table = Table.of([[2, "a"]]).conform(schema)
    assert (table.named, table.columns[1].name) == (True, "s")
    with pytest.raises(
        InputError, match=r"^X has 1 features, but OptimalTreeClassifier is expecting 2 features as input"
    ):
        Table.of([[1]]).conform(schema)
    with pytest.raises(InputError, match=r"but Other is expecting"):
        Table.of([[1]]).conform(schema, model="Other")


INTEGERS = st.integers(-(2**63), 2**63 - 1) | st.integers(2**53 - 3, 2**53 + 9) | st.integers(2**63 - 2000, 2**63 - 1)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@given(INTEGERS, FLOATS | INTEGERS.map(float))
def test_integers_against_float_thresholds_answer_exactly(value, threshold):
    column = Column("a", Kind.INTEGER, np.array([value], dtype=np.int64))
    number = conform_column(column, Table.of([[0.5]]).schema.columns[0]).values[0]
    assert (number <= threshold) == (value <= threshold)  # Python compares int and float exactly


@given(FLOATS | INTEGERS.map(float), st.integers(-(2**63), 2**63 - 2))
def test_floats_against_integer_thresholds_answer_exactly(value, threshold):
    schema = Table.of([[2**60]]).schema
    integer = Table.of([[value]]).conform(schema).columns[0].values[0]
    assert (int(integer) <= threshold) == (value <= threshold)
