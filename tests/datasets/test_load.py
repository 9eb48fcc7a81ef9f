"""Every door to a table, and what is said when there is nothing behind it."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest

import exactree
from exactree import datasets
from exactree.datasets import openml
from exactree.datasets.catalogue import CATALOGUE
from exactree.errors import InputError
from exactree.table import Table


@pytest.mark.parametrize("name", datasets.names())
def test_the_catalogue_is_right(name: str) -> None:
    data, entry = datasets.load(name), CATALOGUE[name]
    assert (data.name, data.n_rows, data.n_columns, len(data.classes), data.description) == (
        entry.name,
        entry.n_rows,
        entry.n_columns,
        entry.n_classes,
        entry.description,
    )
    assert data.source
    assert data.frame.names == (*data.X.names, "class")
    assert data.to_numpy().shape == (entry.n_rows, entry.n_columns)


@pytest.mark.parametrize("name", datasets.names())
def test_x_is_a_table_with_names(name: str) -> None:
    data = datasets.load(name)
    table = Table.of(data.X)
    assert table.named
    assert tuple(column.name for column in table.columns) == data.X.names


def test_listing_names_does_not_import_scikit_learn() -> None:
    code = "import sys; from exactree import datasets as d; d.names(); d.load('monks-1'); "
    code += "print('sklearn' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


def test_scikit_learn_tables_have_their_own_class_names() -> None:
    assert datasets.load("iris").classes == ["setosa", "versicolor", "virginica"]
    assert datasets.load("digits").classes == list(range(10))


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("monks1", "Did you mean 'monks-1' or 'monks-3' or 'monks-2'?"),
        ("tictactoe", "Did you mean 'tic-tac-toe'?"),
        ("breast_cancer", "Did you mean 'breast-cancer'?"),
    ],
)
def test_an_unknown_name_lists_near_ones(name: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        datasets.load(name)
    assert str(caught.value) == (
        f"There is no data set named {name!r}, and no such file. {hint} "
        "See all names with exactree.datasets.names() or the command 'exactree datasets'."
    )


def test_a_name_near_a_file_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "churn.csv").write_text("a,class\n1,x\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"'churn', and no such file\. Did you mean 'churn\.csv'\?"):
        datasets.load("churn")


def test_nothing_near() -> None:
    with pytest.raises(InputError, match=r"named 'zzz', and no such file\. See all names with"):
        datasets.load("zzz")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "days.csv").write_text("class,degrees,sky\ncold,10,grey\nhot,30,\n")
    (tmp_path / "last.tsv").write_text("degrees\tis_hot\n10\tno\n30\tyes\n")
    (tmp_path / "notes.txt").write_text("not a table")
    return tmp_path


def test_a_folder_lists_its_tables(place: Path) -> None:
    assert datasets.folder(place) == ("days", "last")


def test_a_table_in_a_folder_has_the_target_class(place: Path) -> None:
    data = datasets.load("days", folder=place)
    assert (data.name, data.target, data.X.names) == ("days", "class", ("degrees", "sky"))
    assert data.y.tolist() == ["cold", "hot"]
    assert data.X.column("sky").tolist() == ["grey", None]


def test_without_a_class_the_last_column_is_the_target(place: Path) -> None:
    data = datasets.load(place / "last.tsv")
    assert (data.name, data.target, data.classes) == ("last", "is_hot", ["no", "yes"])


def test_a_parquet_file(tmp_path: Path) -> None:
    pd.DataFrame({"degrees": [10, 30], "class": ["cold", "hot"]}).to_parquet(tmp_path / "days.parquet")
    data = datasets.load(tmp_path / "days.parquet")
    assert (data.X.names, data.classes) == (("degrees",), ["cold", "hot"])


def test_a_name_that_is_not_in_the_folder(place: Path) -> None:
    with pytest.raises(InputError, match=r"There is no table named 'day' in '.*'\. Did you mean 'days'\?"):
        datasets.load("day", folder=place)
    with pytest.raises(InputError, match=r"There is no table named 'zzz' in '.*'\. It has: days, last\."):
        datasets.load("zzz", folder=place)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"There is no folder '.*nowhere'\. Check the path\."):
        datasets.folder(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"There is no folder '.*nowhere', so no file '.*days.csv'\. Check the path\."):
        datasets.load(tmp_path / "nowhere" / "days.csv")


def test_a_file_that_is_not_there_names_those_that_are(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    with pytest.raises(InputError, match=r"There is no file 'dayz\.csv'\. Did you mean 'days\.csv'\?"):
        datasets.load("dayz.csv")
    with pytest.raises(InputError, match=r"no file 'q\.parquet'\. This folder has: days\.csv, last\.tsv\."):
        datasets.load("q.parquet")


def test_a_long_list_of_files_is_cut(tmp_path: Path) -> None:
    for number in range(15):
        (tmp_path / f"t{number:02}.csv").write_text("a,class\n1,x\n")
    with pytest.raises(InputError, match=r"The folder '.*' has: t00\.csv, .*, t11\.csv and 3 more\."):
        datasets.load(tmp_path / "quite-different.csv")


def openml_answer(**changes: Any) -> SimpleNamespace:
    frame = pd.DataFrame({"degrees": [10.0, np.nan], "sky": pd.Categorical(["grey", None])})
    target = pd.Series(pd.Categorical(["cold", "hot"]), name="kind")
    answer = {"data": frame, "target": target, "details": {"name": "days", "version": "1"}, "url": "https://x/d/7"}
    return SimpleNamespace(**(answer | changes))


def test_openml_keeps_categories_and_missing_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openml, "fetch_openml", lambda **_: openml_answer())
    data = datasets.load("openml:7")
    assert (data.name, data.target, data.source) == ("days", "kind", "https://x/d/7")
    assert data.X.column("sky").tolist() == ["grey", None]
    assert np.isnan(data.X.column("degrees")[1])
    assert data.y.tolist() == ["cold", "hot"]


def failing(error: Exception) -> Any:
    def fetch(*_: object, **__: object) -> None:
        raise error

    return fetch


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            URLError("Name or service not known"),
            "OpenML data set 61 could not be fetched (<urlopen error Name or service not known>). "
            "Without a network use a table of exactree.datasets.names() or a CSV file.",
        ),
        (ValueError("Dataset 61 not found."), "OpenML data set 61 could not be read: Dataset 61 not found."),
        (ImportError("no pandas"), "Tables of OpenML need pandas: pip install pandas."),
    ],
)
def test_openml_errors_say_what_to_do(error: Exception, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openml, "fetch_openml", failing(error))
    with pytest.raises(InputError) as caught:
        datasets.load_openml(61)
    assert str(caught.value) == message


def test_the_first_line_of_a_newcomer() -> None:
    """After ``import exactree`` the folders are there without a further import, and only when asked for."""
    code = (
        "import sys, exactree\n"
        "assert 'numpy' not in sys.modules and 'datasets' in dir(exactree)\n"
        "print(exactree.datasets.load('monks-1').n_rows)\n"
        "print(*(getattr(exactree, name).__name__ for name in ('plot', 'export', 'solve', 'testing')))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "432\nexactree.plot exactree.export exactree.solve exactree.testing\n"
    with pytest.raises(AttributeError, match="module 'exactree' has no attribute 'data'"):
        _ = exactree.data


def test_openml_without_a_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of scikit-learn's own code runs; only the last step, opening the address, fails."""
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    monkeypatch.setattr("sklearn.datasets._openml.urlopen", failing(URLError("no network")))
    with pytest.raises(InputError, match=r"OpenML data set 61 could not be fetched \(<urlopen error no network>\)\."):
        datasets.load("openml:61")


def test_openml_without_a_target(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openml, "fetch_openml", lambda **_: openml_answer(target=None))
    with pytest.raises(InputError, match=r"OpenML data set 7 names no single target column"):
        datasets.load_openml(7)


def test_openml_wants_a_number() -> None:
    with pytest.raises(InputError, match=r"After 'openml:' comes the number .* such as openml:61; got 'openml:iris'\."):
        datasets.load("openml:iris")
