"""Files: what is read from them, and what is said about broken ones."""

import gzip
import importlib

import numpy as np
import polars as pl
import pytest

from exactree.errors import InputError
from exactree.table import Kind, Table, read_table


@pytest.fixture
def write(tmp_path):
    def write(text, name="data.csv"):
        path = tmp_path / name
        data = text if isinstance(text, bytes) else text.encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write


TEXT = "age,code,smoker,dose,class\n30,007,true,1.5,yes\n41,010,False,NA,no\n\n-2,1,,2e3,yes\n"


@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz", "data.tsv", "DATA.CSV"])
def test_types_are_inferred(write, name):
    frame = read_table(write(TEXT.replace(",", "\t") if ".tsv" in name else TEXT, name))
    target, rest = frame.pop("class")
    table = Table.of(rest)
    assert target.tolist() == ["yes", "no", "yes"]
    assert [column.name for column in table.columns] == ["age", "code", "smoker", "dose"]
    kinds = [column.kind for column in table.columns]
    assert kinds == [Kind.NUMBER, Kind.CATEGORY, Kind.BOOLEAN, Kind.NUMBER]
    assert table.column("age").values.tolist() == [30, 41, -2]
    assert table.column("code").levels == ("007", "010", "1")
    assert table.column("smoker").missing.tolist() == [False, False, True]
    np.testing.assert_array_equal(table.column("dose").values, [1.5, np.nan, 2000])


def test_integers_stay_integers(write):
    assert read_table(write("class\n0\n1\n")).column("class").dtype == np.int64


@pytest.mark.each("cell", ["1_000", "007", "-007", " 007", "٣", "0x10", "1,5", "12a"])
def test_what_is_no_number(write, cell):
    column = read_table(write(f'a\n1\n"{cell}"\n')).column("a")
    assert column.tolist() == ["1", cell]


@pytest.mark.each("cell", ["0", "0.5", ".5", "-1.", "+3", "1E-3", " 7", "0e0"])
def test_what_is_a_number(write, cell):
    assert read_table(write(f"a\n1\n{cell}\n")).column("a").tolist() == [1, float(cell)]


def test_large_integers_stay_exact(write):
    frame = read_table(write(f"a,b\n{2**60},{2**60}\n{2**60 + 1},\n"))
    assert Table.of(frame.without("b")).column("a").values.tolist() == [2**60, 2**60 + 1]
    assert Table.of(frame).column("b").missing.tolist() == [False, True]


def test_own_marks_for_missing(write):
    frame = read_table(write("a,b\n?,NA\n2,x\n"), missing=("?",))
    assert frame.column("a").tolist()[1] == 2
    assert np.isnan(frame.column("a")[0])
    assert frame.column("b").tolist() == ["NA", "x"]


def test_words_after_many_numbers(write):
    frame = read_table(write("a\n" + "1.50\n" * 3000 + "word\n"))
    assert frame.column("a").tolist() == ["1.50"] * 3000 + ["word"]


def test_byte_order_mark_quotes_and_line_ends(write):
    frame = read_table(write('\ufeff"a","b"\r\n"x,y","line\nbreak"\r\n'))
    assert frame.names == ("a", "b")
    assert frame.column("b").tolist() == ["line\nbreak"]


def test_a_header_without_rows_is_an_empty_table(write):
    frame = read_table(write("a,b\n"))
    assert frame.n_rows == 0
    with pytest.raises(InputError, match=r"0 sample\(s\)"):
        Table.of(frame)


def test_parquet(tmp_path):
    path = tmp_path / "data.parquet"
    pl.DataFrame({"a": [1.5, None], "class": ["x", "y"]}).write_parquet(path)
    target, rest = read_table(path).pop("class")
    assert target.tolist() == ["x", "y"]
    assert Table.of(rest).column("a").missing.tolist() == [False, True]


def test_parquet_without_a_reader(tmp_path, monkeypatch):
    def nothing(name):
        raise ImportError(name)

    path = tmp_path / "data.parquet"
    path.write_bytes(b"")
    monkeypatch.setattr(importlib, "import_module", nothing)
    with pytest.raises(InputError, match=r"needs pyarrow, polars or pandas.*pip install 'exactree\[parquet\]'"):
        read_table(path)


@pytest.mark.each(
    ("text", "name", "message"),
    [
        ("a,b\n1,2\n3\n", "data.csv", r"'data.csv' has 1 cells in line 3, but 2 column names"),
        ("a,b\n\n\n1,2\n3,4,5\n", "data.csv", r"has 3 cells in line 5"),
        ("a,b\n" + "1,2\n" * 1000 + "3\n", "data.csv", r"has 1 cells in line 1002"),
        ("a,b,a\n1,2,3\n", "data.csv", r"more than one column called 'a'.*first line"),
        ("", "data.csv", r"'data.csv' is empty.*names of the columns"),
        ("a;b\n1;2\n", "data.csv", r"separate columns by ';', not by ','.*Say so: delimiter=';' in Python, --del"),
        (b"a,b\n1,2\n1,\xe9\n", "data.csv", r"not UTF-8: line 3, byte 3 of that line is 0xe9\. Save"),
        (b"a,b\n1,\xe9\n", "data.csv.gz", r"not UTF-8: line 2, byte 3"),
        ("a", "data.xlsx", r"ends in '\.xlsx'\. Expected \.csv, .*Convert it"),
        ("not parquet", "data.parquet", r"'data.parquet' cannot be read as Parquet"),
    ],
)
def test_broken_files(write, text, name, message):
    with pytest.raises(InputError, match=message):
        read_table(write(text, name))


def test_broken_gzip(tmp_path):
    path = tmp_path / "data.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 100)[:-10])
    with pytest.raises(InputError, match=r"not a complete gzip file.*again"):
        read_table(path)


def test_given_delimiter(write):
    assert read_table(write("a;b\n1;2\n"), delimiter=";").names == ("a", "b")


@pytest.mark.parametrize("delimiter", ["", ";;", "\n", '"'])
def test_what_cannot_separate(write, delimiter):
    with pytest.raises(InputError, match=r"The delimiter is .*Expected one character, such as ','"):
        read_table(write("a;b\n1;2\n"), delimiter=delimiter)


def test_strings_stay_strings(write):
    text = "a,b,c,d\n1,true,007,1\n,NA,8,2\n1.0,false,,\n"
    frame = read_table(write(text), strings=["a", "b", "c", "unheard of"])
    assert frame.column("a").tolist() == ["1", None, "1.0"]
    assert frame.column("b").tolist() == ["true", None, "false"]
    assert frame.column("c").tolist() == ["007", "8", None]
    assert frame.column("d").dtype == np.float64
    whole = read_table(write("a\n" + "1\n" * 2000), strings=["a"])
    assert whole.column("a").tolist() == ["1"] * 2000


def test_strings_are_a_list_of_names(write):
    with pytest.raises(InputError, match=r"strings is 'zip'\. Expected a list of names, such as \['zip'\]\."):
        read_table(write("zip\n1\n"), strings="zip")


def test_no_file(tmp_path):
    with pytest.raises(InputError, match=r"There is no file '.*none\.csv'\. Check the path"):
        read_table(tmp_path / "none.csv")


def test_no_column(write):
    with pytest.raises(InputError, match=r"no column 'z'\. The columns are: 'a', 'b'\."):
        read_table(write("a,b\n1,2\n")).pop("z")
