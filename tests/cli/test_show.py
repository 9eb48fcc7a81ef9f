"""exactree show: a saved model again."""

import json
from pathlib import Path

import pytest

from exactree.cli import main


@pytest.fixture
def printed(people: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The tree as fit printed it when it wrote model.json."""
    assert main(["fit", "people.csv", "--target", "churn", "-o", "model.json", "--json"]) == 0
    tree: str = json.loads(capsys.readouterr().out)["tree"]
    return tree


def test_prints_what_fit_printed(printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "model.json"]) == 0
    assert capsys.readouterr() == (printed + "\n", "")


def test_draws(printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "model.json", "--svg", "again.svg"]) == 0
    assert capsys.readouterr() == (printed + "\n", "wrote again.svg\n")
    assert Path("again.svg").read_text(encoding="utf-8").startswith("<svg")


def test_json(printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "model.json", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "classes": ["no", "yes"],
        "columns": ["id", "age", "colour", "zip", "city", "w"],
        "n_leaves": printed.count("row"),
        "depth": 2,
        "n_rows": 8,
        "tree": printed,
        "paths": {"model": "model.json", "svg": None},
    }


def test_a_table_is_no_model(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "people.csv"]) == 2
    assert capsys.readouterr().err.startswith("exactree: error: people.csv: This is no saved model")


def test_no_such_model(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "model.json"]) == 2
    assert capsys.readouterr().err == "exactree: error: There is no file 'model.json'. This folder has: none.\n"
