"""exactree hybrid, and every command that reads what it saved."""

import json
import pickle
import zipfile
from pathlib import Path

import pytest

from exactree import load_hybrid
from exactree.cli import main

HYBRID = ("hybrid", "iris", "--max-depth", "1", "--leaf-model", "logistic")


@pytest.fixture
def saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    path = str(tmp_path / "hybrid.zip")
    assert main([*HYBRID, "-o", path]) == 0
    capsys.readouterr()
    return path


def test_a_hybrid_is_fitted_reported_and_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "hybrid.zip"
    assert main([*HYBRID, "-o", str(saved), "--svg", str(tmp_path / "tree.svg")]) == 0
    out = capsys.readouterr().out
    assert "proved optimal: no allowed tree costs less than 50.\ntraining rows:\nleaf  class" in out
    assert out.endswith(f"wrote {saved}\nwrote {tmp_path / 'tree.svg'}\n")
    hybrid = load_hybrid(saved)
    assert hybrid.report_.accuracy > hybrid.report_.tree_accuracy
    assert main([*HYBRID, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["accuracy"] > found["tree_accuracy"]
    assert found["tree_proved"] is True
    assert found["allowed"] == "trees of depth 1 at most; all questions about 4 columns"


def test_a_limit_that_came_first(capsys: pytest.CaptureFixture[str]) -> None:
    command = ("hybrid", "breast-cancer", "--max-depth", "5", "--time-limit", "0", "--min-rows", "1000")
    assert main([*command]) == 3
    assert "not proved (stopped by the time limit): " in capsys.readouterr().out


def test_a_hybrid_is_reported_on_other_rows(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ("hybrid", "people.csv", "--target", "churn", "--max-depth", "1", "--drop", "id", "--min-rows", "2")
    assert main([*command, "--leaf-model", "network", "--seed", "1", "--test", "people.csv"]) == 0
    assert "rows of people.csv:\n" in capsys.readouterr().out


def test_a_name_of_another_kind_of_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*HYBRID, "-o", "hybrid.json"]) == 2
    assert "--output writes a ZIP archive, and 'hybrid.json' is no name for one." in capsys.readouterr().err


def test_it_predicts(saved: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["predict", saved, "iris", "--proba", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["accuracy"] > 0.9  # of the tree alone: two thirds
    assert len(found["probabilities"][0]) == 3


def test_it_is_shown_without_reading_its_models(
    saved: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pickle, "loads", None)
    assert main(["show", saved]) == 0
    out = capsys.readouterr().out
    assert "proved optimal: no allowed tree costs less than 50." in out
    assert "\ntraining rows:\nleaf  class" in out
    assert main(["show", saved, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] > 0.9


def test_its_answers_are_explained(saved: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "row.csv").write_text(
        "sepal length (cm),sepal width (cm),petal length (cm),petal width (cm)\n6.0,2.9,4.5,1.5\n"
    )
    row = str(tmp_path / "row.csv")
    assert main(["explain", saved, row]) == 0
    assert "LogisticRegression" in capsys.readouterr().out
    assert main(["leaf-report", saved, "iris"]) == 0
    assert "LogisticRegression if petal" in capsys.readouterr().out
    assert main(["counterfactual", saved, row, "--want", "virginica", "--k", "1", "--time-limit", "20"]) == 0
    assert "1. virginica: cost " in capsys.readouterr().out


def test_a_pickle_is_not_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.pickle"
    path.write_bytes(pickle.dumps([1, 2, 3]))
    for command in (["show", str(path)], ["predict", str(path), "iris"], ["explain", str(path), "iris"]):
        assert main(command) == 2
        assert "is a pickle of Python. Reading one runs whatever is in it" in capsys.readouterr().err


def test_another_archive(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello")
    for command in (["show", str(path)], ["predict", str(path), "iris"]):
        assert main(command) == 2
        assert "is no hybrid that exactree saved" in capsys.readouterr().err
