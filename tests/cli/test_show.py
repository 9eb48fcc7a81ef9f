"""exactree show: a saved model again."""

import json
import re
from pathlib import Path

import pytest

from exactree.cli import main
from exactree.model import load, save


@pytest.fixture
def printed(people: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The tree as fit printed it when it wrote model.json."""
    assert main(["fit", "people.csv", "--target", "churn", "-o", "model.json", "--json"]) == 0
    tree: str = json.loads(capsys.readouterr().out)["tree"]
    return tree


PROVED = "\nproved optimal: no allowed tree costs less than 0.\n"


def test_prints_what_fit_printed(printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "model.json"]) == 0
    assert capsys.readouterr() == (f"{printed}\n{PROVED}", "")


def test_a_limit_that_ended_the_search_is_not_forgotten(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "digits", "--max-depth", "5", "--time-limit", "0.2", "-q", "-o", "model.json"]) == 3
    assert main(["show", "model.json"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    known = r"(no tree of depth 5 makes fewer than \d+ errors; this one makes \d+|this tree makes \d+ errors, and .*)"
    assert re.fullmatch(rf"not proved \(stopped by the time limit\): {known}, gap [\d.]+ %\.", last)


def test_fewer_thresholds_are_not_forgotten(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--max-depth", "1", "--thresholds", "quantiles(3)", "-q", "-o", "model.json"]
    assert main(["fit", "iris", *options]) == 0
    assert main(["show", "model.json"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "proved optimal: no allowed tree among those with thresholds quantiles(3) costs less than 50."


def test_a_model_that_says_nothing_about_itself(printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    save(load("model.json"), "plain.json")
    assert main(["show", "plain.json"]) == 0
    assert capsys.readouterr() == (printed + "\n", "")
    assert main(["show", "plain.json", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["status"], result["proved"], result["cost"], result["tree"]) == (None, None, None, printed)


def test_draws(printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "model.json", "--svg", "again.svg"]) == 0
    assert capsys.readouterr() == (f"{printed}\n{PROVED}", "wrote again.svg\n")
    assert Path("again.svg").read_text(encoding="utf-8").startswith("<svg")


def test_json(printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "model.json", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "status": "optimal",
        "proved": True,
        "cost": 0.0,
        "lower_bound": 0.0,
        "gap": 0.0,
        "target": "churn",
        "thresholds": "all",
        "scope": None,
        "sample": None,
        "sample_lower_bound": None,
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
