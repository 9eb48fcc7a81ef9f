"""Frames of one numeric type are read at once, into the table that reading column by column gives."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from exactree.errors import InputError
from exactree.table import Table, source
from exactree.table.numeric_frame import array_of_numbers

INTEGERS = np.array([[3, 1, 2], [1, 1, 7], [0, 0, 1], [5, 2, 2]])
TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "bool"]


def frames():
    """List frames, and whether each is read at once."""
    for kind in TYPES:
        pandas = pd.DataFrame(INTEGERS.astype(kind), columns=list("abc"))
        yield f"pandas-{kind}", pandas, True
        yield f"polars-{kind}", pl.from_pandas(pandas), True
    fractions = pd.DataFrame({"a": [0.5, np.nan, 2.5], "b": [np.nan, 1.0, -0.0]})
    yield "pandas-missing", fractions, True
    yield "polars-nan", pl.DataFrame({"a": [0.5, float("nan")], "b": [1.0, 2.0]}), True
    yield "polars-null-floats", pl.DataFrame({"a": [0.5, None], "b": [1.0, 2.0]}), True
    yield "polars-null-integers", pl.DataFrame({"a": [1, None, 3], "b": [4, 5, 6]}), False
    yield "polars-null-truths", pl.DataFrame({"a": [True, None], "b": [False, True]}), False
    yield "pandas-null-integers", pd.DataFrame({"a": [1, None], "b": [3, 4]}, dtype="Int64"), False
    yield "pandas-column-by-column", pd.concat([fractions[["a"]].copy(), fractions[["b"]].copy()], axis=1), True
    yield "pandas-two-types", pd.DataFrame({"a": [1, 2], "b": [0.5, 1.5]}), False
    yield "pandas-text", pd.DataFrame({"a": ["x", "y"], "b": ["y", "x"]}), False
    yield "polars-two-types", pl.DataFrame({"a": [1, 2], "b": [0.5, 1.5]}), False
    yield "polars-huge", pl.DataFrame({"a": [1, 2]}, schema={"a": pl.Int128}), False
    yield "pandas-beyond-floats", pd.DataFrame({"a": [2**60, 2**60 + 1], "b": [1, 2]}), True
    yield "polars-beyond-floats", pl.DataFrame({"a": [2**60, 2**60 + 1], "b": [1, 2]}), True
    yield "pandas-numbered-columns", pd.DataFrame(INTEGERS), True
    yield "pandas-some-rows", pd.DataFrame(INTEGERS, columns=list("abc")).iloc[::2], True


CASES = {name: (frame, at_once) for name, frame, at_once in frames()}


@pytest.mark.each("name", CASES)
def test_the_table_is_that_of_single_columns(name, monkeypatch):
    frame, at_once = CASES[name]
    assert (array_of_numbers(frame) is not None) == at_once
    table = Table.of(frame)
    monkeypatch.setattr(source, "array_of_numbers", lambda X: None)
    expected = Table.of(frame)
    assert (table.n_rows, table.named, table.schema) == (expected.n_rows, expected.named, expected.schema)
    for column, wanted in zip(table.columns, expected.columns, strict=True):
        assert column.values.dtype == wanted.values.dtype
        np.testing.assert_array_equal(column.values, wanted.values)
        np.testing.assert_array_equal(column.missing, wanted.missing)


@pytest.mark.each(
    ("frame", "message"),
    [
        (pd.DataFrame({"a": [1.0, np.inf]}), r"^Column 'a' contains infinity \(row 1: inf\)\."),
        (pd.DataFrame({"a": [1, 2], 7: [3, 4]}), "^Column names must be all strings or none, but 7 is a int"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "^Column names must differ, but there is more than one .* 'a'"),
        (pd.DataFrame({"a": np.array([2**63 + 1], dtype=np.uint64)}), "does not fit into 64 bits with a sign"),
        (pd.DataFrame({"a": np.empty(0)}), r"^Found array with 0 sample\(s\) \(shape=\(0, 1\)\)"),
    ],
)
def test_what_is_refused_column_by_column_is_refused_at_once(frame, message, monkeypatch):
    for patched in (False, True):
        if patched:
            monkeypatch.setattr(source, "array_of_numbers", lambda X: None)
        with pytest.raises(InputError, match=message):
            Table.of(frame)


def test_a_subclass_is_read_column_by_column():
    class Frame(pd.DataFrame):
        pass

    assert array_of_numbers(Frame({"a": [1, 2]})) is None
    assert Table.of(Frame({"a": [1, 2]})).column("a").values.tolist() == [1.0, 2.0]


def test_the_frame_is_not_written_to():
    frame = pd.DataFrame(INTEGERS.copy(), columns=list("abc"))
    table = Table.of(frame)
    assert np.shares_memory(table.columns[0].raw, frame.to_numpy())
    assert (frame.to_numpy() == INTEGERS).all()
