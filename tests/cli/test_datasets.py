"""exactree datasets: the list, and writing one out."""

import json
from pathlib import Path

import pytest

from exactree import datasets
from exactree.cli import main


def test_lists_every_name_with_its_size(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["datasets"]) == 0
    header, *lines = capsys.readouterr().out.splitlines()
    assert header.split() == ["name", "rows", "columns", "classes", "description"]
    assert [line.split()[0] for line in lines[: len(datasets.names())]] == list(datasets.names())
    assert "breast-cancer    569       30        2  Benign or malignant, by measured cell nuclei." in lines


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["datasets", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["datasets"]
    assert [entry["name"] for entry in listed] == list(datasets.names())
    assert listed[4] == {
        "name": "tic-tac-toe",
        "rows": 958,
        "columns": 9,
        "classes": 2,
        "description": "Has x won? Every final board, x moving first.",
    }


@pytest.mark.parametrize("name", ["monks-1", "tic-tac-toe", "iris"])
def test_what_is_written_reads_back_the_same(name: str, tmp_path: Path) -> None:
    assert main(["datasets", name, "-o", str(tmp_path / "table.csv")]) == 0
    written, made = datasets.load(tmp_path / "table.csv"), datasets.load(name)
    assert (written.target, written.X.names) == (made.target, made.X.names)
    assert (written.to_numpy() == made.to_numpy()).all()
    assert written.y.tolist() == made.y.tolist()


def test_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["datasets", "balance-scale"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["left-weight,left-distance,right-weight,right-distance,class", "1,1,1,1,B"]
    assert len(lines) == 626


def test_missing_and_truth_values_read_back(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("odd.csv").write_text("a,b,class\n1.5,true,x\n,,y\n")
    assert main(["datasets", "odd.csv"]) == 0
    assert capsys.readouterr().out == "a,b,class\n1.5,true,x\n,,y\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["iris", "--json"], "--json lists the tables; 'iris' is written as CSV. Leave out the name or --json."),
        (["-o", "x.csv"], "--output writes one table; say which: exactree datasets NAME --output FILE."),
    ],
)
def test_options_that_do_not_fit(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["datasets", *arguments]) == 2
    assert capsys.readouterr() == ("", f"exactree: error: {message}\n")


def test_an_unknown_name(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["datasets", "irises"]) == 2
    assert capsys.readouterr().err == (
        "exactree: error: There is no data set named 'irises', and no such file. Did you mean 'iris'? "
        "See all names with exactree.datasets.names() or the command 'exactree datasets'.\n"
    )
