"""exactree front and leaf-report: what they print and write."""

import json
from pathlib import Path

import pytest

from exactree.cli import main

FIT_PEOPLE = ["fit", "people.csv", "--target", "churn", "--max-depth", "1", "--drop", "id", "-o", "m.json", "-q"]
FRONT = ("front", "iris", "--max-depth", "2", "--min-samples-leaf", "5")


def test_the_curve_is_printed_written_and_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    points, picture = str(tmp_path / "front.csv"), str(tmp_path / "front.svg")
    assert main([*FRONT, "-o", points, "--svg", picture]) == 0
    out = capsys.readouterr().out
    assert "worst leaf  accuracy  leaves  proved" in out
    allowed = "; allowed are trees of depth 2 at most, with 5 rows or more in each leaf; all questions about 4 columns"
    assert f"proved: no allowed tree lies beyond this curve{allowed}\n" in out
    assert out.endswith(f"wrote {points}\nwrote {picture}\n")
    header, *rows = Path(points).read_text().splitlines()
    assert header == "worst,accuracy,leaves,proved"
    assert rows
    assert all(row.endswith(",true") for row in rows)
    assert Path(picture).read_text().startswith("<svg")


def test_the_curve_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*FRONT, "--objective", "leaf_confidence", "--confidence", "0.9", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["objective"], found["status"], found["proved"]) == ("leaf_confidence", "optimal", True)
    assert found["allowed"].startswith("trees of depth 2 at most, with 5 rows or more in each leaf")
    assert "petal" in found["points"][0]["tree"]


def test_the_curve_of_errors_against_fairness(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"{a},{b},{'mf'[a % 2]},{'yes' if (a + b) % 3 else 'no'}" for a in range(6) for b in range(5)]
    table, picture = tmp_path / "people.csv", tmp_path / "front.svg"
    table.write_text("\n".join(["a,b,sex,class", *rows]))
    asked = ["--fairness", "demographic_parity", "--sensitive", "sex", "--drop-sensitive", "--svg", str(picture)]
    assert main(["front", str(table), "--max-depth", "2", *asked]) == 0
    out = capsys.readouterr().out
    assert "difference  accuracy  leaves  proved" in out
    assert "proved: no allowed tree lies beyond this curve\n" in out
    assert "difference of rates" in picture.read_text()
    assert main(["front", str(table), "--max-depth", "2", *asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["measure"], found["points"][-1]["difference"]) == ("demographic_parity", 0.0)
    costs = [point["cost"] for point in found["points"]]
    assert costs == sorted(costs)


def test_a_price_of_unfairness(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"{a},{b},{'mf'[a % 2]},{'yes' if (a + b) % 3 else 'no'}" for a in range(6) for b in range(5)]
    table = tmp_path / "people.csv"
    table.write_text("\n".join(["a,b,sex,class", *rows]))
    asked = ["--fairness", "demographic_parity=0", "--sensitive", "sex", "--drop-sensitive", "--json"]
    costs = []
    for price in ("0", "0.3", "100"):
        assert main(["fit", str(table), "--max-depth", "2", *asked, "--fairness-price", price]) == 0
        costs.append(json.loads(capsys.readouterr().out)["cost"])
    assert costs == sorted(costs)
    assert costs[0] < costs[2]


def test_a_curve_that_is_not_proved(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["front", "breast-cancer", "--max-depth", "4", "--time-limit", "0"]) == 3
    assert "not proved (time_limit)" in capsys.readouterr().out


def test_another_objective_has_no_curve(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["front", "iris", "--objective", "accuracy"]) == 2
    assert (
        "objective is 'accuracy'; a curve is drawn for one of leaf_accuracy, leaf_confidence" in capsys.readouterr().err
    )


def test_every_leaf_is_reported(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["fit", "people.csv", "--target", "churn", "--max-depth", "1", "--drop", "id", "-o", "m.json", "-q"]) == 0
    )
    capsys.readouterr()
    assert main(["leaf-report", "m.json", "people.csv", "--test", "people.csv"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("leaf 1: ")
    assert "% right (" in out
    assert main(["leaf-report", "m.json", "people.csv", "--confidence", "0.9", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["confidence"], len(found["leaves"])) == (0.9, 2)


def test_a_report_needs_labels(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["fit", "people.csv", "--target", "churn", "--max-depth", "1", "--drop", "id", "-o", "m.json", "-q"]) == 0
    )
    (people / "rows.csv").write_text("age,colour,zip,city,w\n30,red,10,Paris,1\n")
    assert main(["leaf-report", "m.json", "rows.csv"]) == 2
    assert "--target names 'churn', but there is no such column." in capsys.readouterr().err
