"""exactree explain: why rows get their answers."""

import json
from pathlib import Path

import pytest

from exactree.cli import main
from exactree.model import load, save


@pytest.fixture
def model(people: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """A tree of one question, about the zip code, that makes no error."""
    options = ["--drop", "id,w,age,colour,city", "--max-depth", "2", "-q", "-o", "model.json"]
    assert main(["fit", "people.csv", "--target", "churn", *options]) == 0
    assert capsys.readouterr() == ("", "")
    return "model.json"


def explain(*arguments: str) -> int:
    return main(["explain", *arguments])


def test_one_row(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("row.csv").write_text("zip\n10\n")
    assert explain(model, "row.csv") == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out == "zip <= 15? yes: zip = 10\n=> no; leaf 1: 3 rows, 100.0 % right (43.9 to 100.0 %)\n"


def test_many_rows_are_numbered_and_the_target_is_left_out(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(model, "people.csv") == 0
    out, err = capsys.readouterr()
    assert err == "note: the model does not use 'id', 'age', 'colour', 'city', 'w'.\n"
    blocks = out.split("\n\n")
    assert [block.splitlines()[0] for block in blocks] == [f"row {at}" for at in range(8)]
    assert "zip <= 15? no: zip = 20" in blocks[1]


def test_confidence(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("row.csv").write_text("zip\n10\n")
    assert explain(model, "row.csv", "--confidence", "0.5") == 0
    assert "(86.8 to 100.0 %)" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        explain(model, "row.csv", "--confidence", "95")
    assert "'95' is not a share between 0 and 1, such as 0.95" in capsys.readouterr().err


def test_json(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("row.csv").write_text("zip\n10\n")
    assert explain(model, "row.csv", "--json") == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["label"] == "no"
    assert row["path"] == [{"node": 0, "question": "zip <= 15", "answer": True, "values": {"zip": 10}}]
    assert (row["leaf"]["node"], row["leaf"]["rows"], row["leaf"]["accuracy"]) == (1, 3, 1.0)


def test_a_model_that_says_nothing_about_itself(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("row.csv").write_text("zip\n10\n")
    save(load(model), "plain.json")
    assert explain(model, "row.csv") == 0
    told = capsys.readouterr()
    assert explain("plain.json", "row.csv") == 0
    assert capsys.readouterr() == told


def test_a_lacking_column(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("row.csv").write_text("zipp\n10\n")
    assert explain(model, "row.csv") == 2
    assert "The table lacks the column 'zip'" in capsys.readouterr().err
