"""exactree counterfactual: what would have to change."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from exactree.cli import main
from exactree.model import Graph, load, save
from exactree.table import Schema

LOANS = """\
age,sex,job,grade
25,f,clerk,bad
30,m,clerk,bad
35,f,nurse,bad
28,m,nurse,bad
45,f,clerk,good
50,m,clerk,good
55,f,nurse,good
23,m,pilot,good
31,f,pilot,good
33,m,pilot,good
"""


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """Good are pilots, and whoever is over 40; row.csv holds a clerk of 30."""
    monkeypatch.chdir(tmp_path)
    Path("loans.csv").write_text(LOANS)
    Path("row.csv").write_text("age,sex,job\n30,m,clerk\n")
    assert main(["fit", "loans.csv", "--target", "grade", "--max-depth", "2", "-q", "-o", "model.json"]) == 0
    assert capsys.readouterr() == ("", "")
    return "model.json"


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    """Changes of each answer for the first row."""
    assert main(["counterfactual", "model.json", "row.csv", "--json", *arguments]) == 0
    answers = json.loads(capsys.readouterr().out)["rows"][0]["answers"]
    return [{change["column"]: change["new"] for change in answer["changes"]} for answer in answers]


def test_printed(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["counterfactual", model, "row.csv"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith("now bad; leaf ")
    assert "\n1. good: cost 1.47445, 1 change; leaf " in out  # 3 of 10 are pilots
    assert "\n2. good: cost 2, 1 change; leaf " in out  # 41 - 30 years, in usual steps of 5.5
    assert "age  30 -> 41\n" in out
    assert "job  clerk -> pilot\n" in out


def test_limits(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    by_age, by_job = {"age": 41}, {"job": "pilot"}
    assert sorted(found(capsys), key=str) == [by_age, by_job]
    assert found(capsys, "--fixed", "job,sex", "--want", "good") == [by_age]
    assert found(capsys, "--only-down", "age") == [by_job]
    assert sorted(found(capsys, "--only-up", "age"), key=str) == [by_age, by_job]
    assert len(found(capsys, "--k", "1")) == 1


def test_ranges(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    by_age, by_job = {"age": 41}, {"job": "pilot"}
    assert found(capsys, "--range", "age=18:40") == [by_job]
    assert sorted(found(capsys, "--range", "age=18:"), key=str) == [by_age, by_job]
    assert found(capsys, "--range", "job=clerk,nurse", "--range", "sex=f,m") == [by_age]
    assert found(capsys, "--range", "job=nurse", "--range", "age=:40") == []
    assert found(capsys, "--range", "age=42:70", "--range", "job=nurse") == [{"age": 42}]


def test_leaves_that_can_be_trusted(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(found(capsys, "--min-support", "3")) == 2
    assert found(capsys, "--min-support", "9", "--min-accuracy", "0.5") == []
    assert main(["counterfactual", model, "row.csv", "--min-support", "9"]) == 0
    assert "without the limit that the leaf has at least 9 rows: good: cost 1.47" in capsys.readouterr().out


def test_a_table_to_learn_values_from(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert {"age": 45} in found(capsys, "--data", "loans.csv")


def costs(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, float]:
    """What the first row's changes cost per unit: years, or a change of job."""
    assert main(["counterfactual", "model.json", "row.csv", "--json", *arguments]) == 0
    answers = json.loads(capsys.readouterr().out)["rows"][0]["answers"]
    changes = [change for answer in answers for change in answer["changes"]]
    return {c["column"]: c["cost"] / (c["new"] - c["old"] if c["column"] == "age" else 1) for c in changes}


def test_distances_need_no_table(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    without, given = costs(capsys), costs(capsys, "--costs", "mad", "--data", "loans.csv")
    assert without.keys() == {"age", "job"}
    assert without == pytest.approx(given)
    assert costs(capsys, "--costs", "changes")["job"] == 1.0


def test_a_model_that_does_not_remember_distances(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    graph = load(model)
    columns = tuple(replace(column, spread=None) for column in graph.schema.columns)
    save(Graph.of_nodes(Schema(columns, graph.schema.named), graph.classes, graph.nodes()), model)
    assert main(["counterfactual", model, "row.csv"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("exactree: error: --costs mad measures how far values lie apart, which model.json does not ")
    assert "Give --data TABLE, the rows it was fitted to; or fit it again; or use --costs changes." in err
    assert {"age": 41} in found(capsys, "--costs", "changes")
    assert {"age": 45} in found(capsys, "--data", "loans.csv")


def test_none_says_what_is_in_the_way(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["counterfactual", model, "row.csv", "--fixed", "job,age"]) == 0
    out = capsys.readouterr().out
    assert "no change within these limits leads to good" in out
    assert "without the limit that " in out
    assert main(["counterfactual", model, "row.csv", "--fixed", "job,age", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)["rows"][0]
    assert row["answers"] == []
    assert row["relax"]["kind"] == "fixed"


def test_every_row_of_a_table(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["counterfactual", model, "loans.csv", "--want", "good"]) == 0
    blocks = capsys.readouterr().out.split("\n\n")
    assert [block.splitlines()[0] for block in blocks] == [f"row {at}" for at in range(10)]
    assert "nothing has to change: the target is good" in blocks[4]


def test_labels_that_are_numbers(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("digits.csv").write_text("x,class\n1,0\n2,0\n3,1\n4,1\n")
    assert main(["fit", "digits.csv", "-q", "-o", "model.json"]) == 0
    Path("row.csv").write_text("x\n1\n")
    assert found(capsys, "--want", "1") == [{"x": 3}]


@pytest.mark.each(
    ("options", "message"),
    [
        (["--want", "fine"], "--want names 'fine', but the model's labels are: 'bad', 'good'."),
        (["--fixed", "agee"], "fixed names 'agee', but the columns are: 'age', 'sex', 'job'."),
        (["--only-up", "job"], "only_up names 'job', whose levels have no order."),
        (["--range", "agee=1:2"], "--range names 'agee', but the columns are: 'age', 'sex', 'job'."),
        (["--range", "age=1:2", "--range", "age=3:"], "--range speaks of 'age' twice. Say it once."),
        (["--range", "age=young"], "--range has 'young' for 'age'. Expected two numbers such as age=18:70; leave one"),
        (["--range", "age=9:1"], "ranges has (9.0, 1.0) for 'age': the low end is above the high end."),
        (["--range", "job=cook"], "--range has 'cook' for 'job', whose values are: 'clerk', 'nurse', 'pilot'."),
        (["--min-accuracy", "90"], "min_accuracy must be a number from 0 to 1, such as 0.9, or None; got 90.0."),
        (["--min-support", "-1"], "min_support must be a number of rows, 0 or more, or None; got -1."),
        (["--k", "0"], "k must be an integer, 1 or more; got 0."),
    ],
)
def test_wrong_options(model: str, capsys: pytest.CaptureFixture[str], options: list[str], message: str) -> None:
    assert main(["counterfactual", model, "row.csv", *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"exactree: error: {message}")
