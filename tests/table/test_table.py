"""What becomes of the columns people bring, whatever library they come from."""

import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from exactree.errors import InputError
from exactree.table import MISSING_CODE, Frame, Kind, Table

ROWS = [[30, "red", True, 1.5], [41, "blue", False, None], [30, None, True, 2.5]]
NAMES = ["age", "colour", "smoker", "dose"]


def by_column():
    return {name: [row[j] for row in ROWS] for j, name in enumerate(NAMES)}


@pytest.mark.parametrize(
    "bring",
    [
        lambda: pd.DataFrame(by_column()),
        lambda: pd.DataFrame(by_column()).convert_dtypes(),
        lambda: pd.DataFrame(by_column(), dtype=object),
        lambda: pl.DataFrame(by_column()),
        lambda: pl.DataFrame(by_column()).with_columns(pl.col("colour").cast(pl.Categorical)),
        lambda: pa.table(by_column()),
        lambda: Frame(tuple(NAMES), list(by_column().values())),
    ],
    ids=["pandas", "nullable", "object", "polars", "categorical", "pyarrow", "frame"],
)
def test_every_library_gives_the_same_table(bring):
    same(Table.of(bring()), Table.of(ROWS, names=NAMES))
    assert Table.of(bring()).named


@pytest.mark.parametrize(
    "bring",
    [
        lambda: ROWS,
        lambda: tuple(map(tuple, ROWS)),
        lambda: np.array(ROWS, dtype=object),
        lambda: pd.DataFrame(ROWS),
    ],
    ids=["lists", "tuples", "ndarray", "unnamed pandas"],
)
def test_tables_without_names(bring):
    table = Table.of(bring())
    assert not table.named
    assert [column.name for column in table.columns] == ["x0", "x1", "x2", "x3"]
    same(Table.of(bring(), names=NAMES), Table.of(ROWS, names=NAMES))


@pytest.mark.each("form", ["csr", "csc", "coo", "dok", "lil", "bsr", "dia"])
@pytest.mark.parametrize("dtype", [float, int, bool])
def test_sparse_matrices_are_read_with_their_zeros(form, dtype):
    X = np.array([[0, 2, 0], [1, 0, 0]], dtype=dtype)
    for of in (sparse.csr_array, sparse.csr_matrix):
        same(Table.of(of(X).asformat(form)), Table.of(X))


def same(one, other):
    assert one.schema == other.schema
    assert one.n_rows == other.n_rows
    for mine, yours in zip(one.columns, other.columns, strict=True):
        assert mine.values.dtype == yours.values.dtype
        np.testing.assert_array_equal(mine.values, yours.values)


def only(X, **options):
    (column,) = Table.of(X, **options).columns
    return column


def test_mixed_rows_keep_each_columns_type():
    kinds = [column.kind for column in Table.of(ROWS).columns]
    assert kinds == [Kind.NUMBER, Kind.CATEGORY, Kind.BOOLEAN, Kind.NUMBER]


def test_float64_columns_are_views():
    X = np.arange(12.0).reshape(4, 3)
    assert all(np.shares_memory(X, column.values) for column in Table.of(X).columns)


@pytest.mark.each("dtype", [np.float16, np.float32, ">f8", np.int8, np.uint64, np.longdouble])
def test_numbers_become_float64(dtype):
    column = only(np.array([[1], [3]], dtype=dtype))
    assert (column.kind, column.values.dtype) == (Kind.NUMBER, np.float64)
    assert column.values.tolist() == [1.0, 3.0]


def test_truth_values_and_strings_of_numpy():
    assert only(np.array([[True], [False]])).kind is Kind.BOOLEAN
    assert only(np.array([["b"], ["a"]])).levels == ("a", "b")
    assert only(np.array([["b"], ["a"]], dtype=np.dtypes.StringDType())).levels == ("a", "b")


def test_integers_stay_exact_beyond_two_to_the_53():
    assert only([[2**53], [0]]).kind is Kind.NUMBER
    for X in ([[2**53 + 1], [2**53]], np.array([[2**53 + 1], [2**53]]), pl.DataFrame({"a": [2**53 + 1, 2**53]})):
        column = only(X)
        assert column.kind is Kind.INTEGER
        assert column.values.tolist() == [2**53 + 1, 2**53]
    assert only(np.array([[-(2**60)], [0]])).kind is Kind.INTEGER
    assert only(pl.DataFrame({"a": [2**60, None]})).kind is Kind.NUMBER


def test_decimals_and_fractions_are_numbers():
    assert only([[Decimal("1.5")], [Fraction(1, 4)], [Decimal("NaN")]]).values.tolist()[:2] == [1.5, 0.25]
    assert only(pl.DataFrame({"a": [Decimal("1.5"), None]})).kind is Kind.NUMBER


def test_true_among_numbers_is_one():
    assert only([[True], [2]]).values.tolist() == [1.0, 2.0]


def test_numpy_scalars_as_objects():
    levels = only(np.array([[np.str_("b")], [np.str_("a")]], dtype=object)).levels
    assert [type(level) for level in levels] == [str, str]


@pytest.mark.each("nothing", [None, float("nan"), pd.NA, pd.NaT, np.float32("nan")])
def test_a_column_without_values_is_read(nothing):
    column = only(np.array([[nothing], [nothing]], dtype=object))
    assert column.kind is Kind.NUMBER
    assert column.missing.all()


@pytest.mark.parametrize("nothing", [None, float("nan"), pd.NA])
def test_missing_strings_and_truth_values(nothing):
    words = only(np.array([["a"], [nothing]], dtype=object))
    assert words.values.tolist() == [0, MISSING_CODE]
    truths = only(np.array([[True], [nothing]], dtype=object))
    assert truths.kind is Kind.BOOLEAN
    assert truths.missing.tolist() == [False, True]


def test_nulls_of_polars_and_masked_arrays():
    table = Table.of(pl.DataFrame({"i": [1, None], "b": [True, None], "f": [None, float("nan")], "n": [None, None]}))
    assert [column.missing.tolist() for column in table.columns] == [[False, True], [False, True]] + [[True, True]] * 2
    masked = only(np.ma.masked_array([[1.0], [2.0]], mask=[[False], [True]]))
    assert masked.missing.tolist() == [False, True]


def test_declared_order_is_kept():
    sizes = ["small", "medium", "large"]
    values = ["large", "small", None]
    pandas = pd.DataFrame({"size": pd.Categorical(values, categories=sizes, ordered=True)})
    polars = pl.DataFrame({"size": pl.Series(values, dtype=pl.Enum(sizes))})
    dictionary = pa.DictionaryArray.from_arrays(pa.array([2, 0, None]), pa.array(sizes), ordered=True)
    for X in (pandas, polars, pa.table({"size": dictionary})):
        column = only(X)
        assert (column.kind, column.levels) == (Kind.ORDERED, tuple(sizes))
        assert column.values.tolist() == [2, 0, MISSING_CODE]


def test_categories_without_order_have_the_sorted_levels_present():
    pandas = pd.DataFrame({"zone": pd.Categorical([30, 10], categories=[40, 30, 10])})
    assert (only(pandas).kind, only(pandas).levels) == (Kind.CATEGORY, (10, 30))


@pytest.mark.each("spec", [["b"], [1], [False, True], np.array([False, True]), np.array([1]), ("b",)])
def test_declared_categories(spec):
    table = Table.of(pd.DataFrame({"a": [1.0, 2.0], "b": [7.0, np.nan]}), categorical_features=spec)
    assert [column.kind for column in table.columns] == [Kind.NUMBER, Kind.CATEGORY]
    assert table.column("b").levels == (7,)
    assert table.column("b").values.tolist() == [0, MISSING_CODE]


@pytest.mark.parametrize("spec", [None, "from_dtype", []])
def test_no_declared_categories(spec):
    assert only([[1], [2]], categorical_features=spec).kind is Kind.NUMBER


def test_declaring_what_is_no_number():
    table = Table.of(
        pd.DataFrame({"o": pd.Categorical(["b", None], categories=["b", "a"], ordered=True), "t": [True, False]}),
        categorical_features=["o", "t"],
    )
    assert [column.kind for column in table.columns] == [Kind.CATEGORY, Kind.BOOLEAN]
    assert table.column("o").levels == ("b",)


def test_large_integers_as_levels():
    assert only([[2**60 + 1], [2**60]], categorical_features=[0]).levels == (2**60, 2**60 + 1)


def test_take_rows_by_index_and_by_mask():
    table = Table.of(ROWS, names=NAMES)
    same(table.take([2, 0]), Table.of([ROWS[2], ROWS[0]], names=NAMES).conform(table.schema))
    assert table.take(np.array([True, False, True])).n_rows == 2


def test_column_by_name():
    table = Table.of(ROWS, names=NAMES)
    assert table.column("dose") is table.columns[3]
    with pytest.raises(InputError, match=r"no column 'weight'\. The columns are: 'age', 'colour'"):
        table.column("weight")


def test_objects_with_array_interface():
    class Wrapped:
        def __array__(self, dtype=None, copy=None):
            return np.array([[1.0], [2.0]])

    assert only(Wrapped()).values.tolist() == [1.0, 2.0]
    assert Table.of([np.array([1.0, 2.0]), np.array([3.0, 4.0])]).column("x1").values.tolist() == [2.0, 4.0]


def test_importing_the_table_imports_no_data_frame_library():
    code = "import sys, exactree.table; print(sorted({'pandas', 'polars', 'sklearn', 'matplotlib'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integers_of_an_array_are_read_in_place(dtype):
    X = np.array([[1, 20], [0, 30], [1, 20]], dtype=dtype)
    table = Table.of(X)
    assert all(np.shares_memory(column.raw, X) for column in table.columns)
    assert [column.kind for column in table.columns] == [Kind.NUMBER] * 2
    assert [column.values.dtype for column in table.columns] == [np.float64] * 2
    assert [column.values.tolist() for column in table.columns] == [[1.0, 0.0, 1.0], [20.0, 30.0, 20.0]]
    assert not any(column.missing.any() for column in table.columns)
    assert table.take([1]).columns[1].values.tolist() == [30.0]


def test_integers_that_are_not_whole_words_apart_are_copied():
    records = np.zeros(4, dtype=[("flag", np.int8), ("cells", np.int32, (2,))])
    records["cells"] = [[1, 5], [0, 5], [1, 6], [0, 6]]
    X = records["cells"]
    assert X.strides[0] % X.itemsize
    assert [column.values.tolist() for column in Table.of(X).columns] == X.T.tolist()
