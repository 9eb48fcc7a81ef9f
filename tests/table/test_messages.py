"""Error texts are interface: what came, what was wanted, what to do."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from exactree.errors import InputError
from exactree.table import Table

WHEN = datetime.datetime(2020, 1, 2)


def frame(*values):
    return pd.DataFrame({"when": list(values)})


@pytest.mark.each(
    "X",
    [
        frame(WHEN, WHEN),
        frame(WHEN, pd.NaT),
        pd.DataFrame({"when": [1.5, pd.NaT]}, dtype=object),
        pd.DataFrame({"when": [datetime.date(2020, 1, 2)]}, dtype=object),
        pl.DataFrame({"when": [WHEN - WHEN]}),
        pl.DataFrame({"when": [WHEN.time()]}),
        pa.table({"when": [WHEN]}),
        pd.DataFrame({"when": pd.period_range("2020", periods=2)}),
    ],
)
def test_dates(X):
    with pytest.raises(InputError, match=r"'when' holds dates, times or durations.*days since a fixed date"):
        Table.of(X)


def test_dates_of_numpy():
    with pytest.raises(InputError, match=r"Column 'x0' holds dates"):
        Table.of(np.array([["2020-01-01"]], dtype="M8[ns]"))


@pytest.mark.each("value", [{"foo": "bar"}, [1, 2], (1,), {1}, np.zeros(2), object()])
def test_nested_values_are_type_errors_too(value):
    X = np.empty((2, 1), dtype=object)
    X[0, 0], X[1, 0] = 1.0, value
    with pytest.raises(
        TypeError, match=r"'x0' holds a .* in row 1.*argument must be a string, .* number.*several columns"
    ):
        Table.of(X)
    with pytest.raises(InputError):
        Table.of(X)


@pytest.mark.parametrize("values", [[[1], [2]], [{"a": 1}, {"a": 2}]])
def test_nested_columns_of_polars(values):
    with pytest.raises(InputError, match=r"'deep' holds a (list|dict) in row 0.*Spread nested values"):
        Table.of(pl.DataFrame({"deep": values}))


@pytest.mark.parametrize("X", [np.array([[1 + 2j]]), [[1 + 2j]], pd.DataFrame({"x0": [1 + 2j]})])
def test_complex_numbers(X):
    with pytest.raises(InputError, match=r"Complex data not supported: column 'x0'.*two columns"):
        Table.of(X)


@pytest.mark.each(
    "X",
    [
        np.array([[1.0], [np.inf]]),
        np.array([[1.0], [-np.inf]]),
        [[1.0], [float("inf")]],
        np.array([[1.0], [np.inf]], dtype=np.float32),
        pl.DataFrame({"x0": [None, float("inf")]}),
        [[None], [Decimal("inf")]],
    ],
)
def test_infinite_numbers(X):
    with pytest.raises(InputError, match=r"Column 'x0' contains infinity \(row 1: -?inf\).*NaN means missing"):
        Table.of(X)


def test_mixtures_show_an_example_of_each():
    with pytest.raises(InputError, match=r"'x0' mixes types: row 1 holds 2 \(int\) and row 3 holds 'two' \(str\)"):
        Table.of([[None], [2], [3.5], ["two"]])
    with pytest.raises(InputError, match=r"'age' mixes types: row 0 holds '\?' \(str\) and row 1 holds True \(bool\)"):
        Table.of(pd.DataFrame({"age": ["?", True]}, dtype=object))


def test_numbers_that_floats_cannot_distinguish():
    with pytest.raises(InputError, match=r"'x0': numbers that differ become equal as 64-bit floats.*Subtract"):
        Table.of([[Decimal("0.1")], [Decimal("0.10000000000000000001")]])
    with pytest.raises(
        InputError, match=r"'a': integers beyond 2\*\*53 beside missing values that differ become equal"
    ):
        Table.of(pl.DataFrame({"a": [2**53, 2**53 + 1, None]}))


@pytest.mark.parametrize("X", [np.array([[2**63]], dtype=np.uint64), [[2**63]], [[2**64], [1]]])
def test_integers_of_more_than_64_bits(X):
    with pytest.raises(InputError, match=r"'x0' holds the integer \d+, which does not fit into 64 bits.*offset"):
        Table.of(X)


def test_numbers_too_large_for_floats():
    with pytest.raises(InputError, match=r"'x0' holds 1000.*too large for a 64-bit float.*logarithms"):
        Table.of([[10**400], [0.5]])


@pytest.mark.parametrize("X", [np.array([[b"a"]]), [[b"a"]], pl.DataFrame({"x0": [b"a"]})])
def test_bytes(X):
    with pytest.raises(InputError, match=r"Column 'x0' holds bytes.*Decode it"):
        Table.of(X)


def test_structured_arrays():
    with pytest.raises(InputError, match=r"structured type.*one column per field"):
        Table.of(np.zeros((2, 1), dtype=[("a", "f8")]))


def test_levels_that_cannot_be_sorted():
    with pytest.raises(
        InputError, match=r"'a' has levels that cannot be sorted together, among them '1', 2\..*strings"
    ):
        Table.of(pd.DataFrame({"a": pd.Categorical(["1", 2])}))


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]),
    ],
)
def test_duplicate_names(X):
    with pytest.raises(InputError, match=r"more than one column called 'a'\. Rename"):
        Table.of(X)


def test_names_of_two_types():
    with pytest.raises(InputError, match=r"all strings or none, but 1 is a int.*astype\(str\)"):
        Table.of(pd.DataFrame([[1, 2]], columns=["a", 1]))


@pytest.mark.parametrize("X", [np.empty((0, 3)), pd.DataFrame(np.empty((0, 3))), pl.DataFrame({c: [] for c in "abc"})])
def test_no_rows(X):
    with pytest.raises(InputError, match=r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required.*no rows"):
        Table.of(X)


@pytest.mark.parametrize("X", [np.empty((12, 0)), pd.DataFrame(index=range(12)), [[]] * 12])
def test_no_columns(X):
    with pytest.raises(
        InputError, match=r"0 feature\(s\) \(shape=\(12, 0\)\) while a minimum of 1 is required.*no columns"
    ):
        Table.of(X)


@pytest.mark.each("X", [np.ones(3), [1, 2], ["a", "b"], pd.Series([1]), pl.Series([1]), [1, [2]]])
def test_one_dimension(X):
    with pytest.raises(
        InputError, match=r"Expected 2D array, got 1D array instead.*Reshape your data.*reshape\(-1, 1\)"
    ):
        Table.of(X)


def test_three_dimensions():
    with pytest.raises(InputError, match=r"dim 3, shape \(2, 2, 2\).*must have 2 dimensions.*reshape\(len\(X\), -1\)"):
        Table.of(np.ones((2, 2, 2)))


def test_sparse_matrix_too_large_to_be_written_out():
    with pytest.raises(InputError, match=r"X is a sparse matrix \(csr_array\) of shape \(100000000, 100000000\), too"):
        Table.of(sparse.csr_array((10**8, 10**8)))


def test_scalars():
    with pytest.raises(InputError, match=r"got scalar array instead: X is a float\. Expected a table"):
        Table.of(1.5)


@pytest.mark.each(
    ("X", "message"),
    [
        (None, r"X is a NoneType\. Expected a table"),
        ("iris.csv", r"X is a str\. .*read_table\(path\) for a file"),
        ({"a": [1]}, r"X is a dict\. .*pandas\.DataFrame\(X\)"),
        ([{"a": 1}], r"list of dicts.*pandas\.DataFrame\(X\)"),
        (pl.LazyFrame({"a": [1]}), r"X is a lazy frame \(LazyFrame\).*X\.collect\(\)"),
        ([[1, 2], [3]], r"row 0 has 2 values but row 1 has 1\..*None where a value is missing"),
    ],
)
def test_what_is_no_table(X, message):
    with pytest.raises(InputError, match=message):
        Table.of(X)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a"], r"names has 1 entries but X has 2 columns"),
        (["a", "a"], r"names must differ, but some of 'a', 'a' come twice"),
        (["a", 1], r"names is \['a', 1\]\. Expected one string per column"),
        ("ab", r"names is 'ab'"),
    ],
)
def test_names(names, message):
    with pytest.raises(InputError, match=message):
        Table.of([[1, 2]], names=names)


@pytest.mark.each(
    ("spec", "message"),
    [
        (["c"], r"names 'c', but X has no such column\. The columns are: 'a', 'b'"),
        ([2], r"names column 2, but X has 2 columns\. Use indices from 0 to 1"),
        ([-1], r"names column -1"),
        ([True], r"1 truth values but X has 2 columns"),
        ("b", r"categorical_features is 'b'\. Expected 'from_dtype', or a list of column names"),
        ([1.5], r"a mixture\. Expected"),
        (3, r"categorical_features is 3\. Expected"),
    ],
)
def test_categorical_features(spec, message):
    with pytest.raises(InputError, match=message):
        Table.of([[1, 2]], names=["a", "b"], categorical_features=spec)
