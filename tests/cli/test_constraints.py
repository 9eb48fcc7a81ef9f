"""exactree fit with constraints on the answers, and with options of solvers."""

import json
from pathlib import Path

import pytest

from exactree.cli import main

ROWS = "".join(
    f"{sex},{age},{job},{'yes' if age > (40 if sex == 'm' else 60) else 'no'}\n"
    for sex in "fm"
    for age in range(30, 70, 2)
    for job in "ab"
)


@pytest.fixture
def loans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table where men get a loan from 42 on, women from 62 on."""
    (tmp_path / "loans.csv").write_text(f"sex,age,job,loan\n{ROWS}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fit(*arguments: str) -> int:
    return main(["fit", "loans.csv", "--target", "loan", "--max-depth", "2", *arguments])


def code_of(*arguments: str) -> object:
    """Return the code, also of a command line that the parser refuses."""
    try:
        return fit(*arguments)
    except SystemExit as left:
        return left.code


def result_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert fit(*arguments, "--json") == 0
    content: dict[str, object] = json.loads(capsys.readouterr().out)
    return content


def test_fair_answers_are_measured_in_the_report(loans: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit() == 0
    assert "sex" in capsys.readouterr().out
    assert fit("--fairness", "demographic_parity=0.05", "--sensitive", "sex", "--drop-sensitive") == 0
    out = capsys.readouterr().out
    assert "demographic_parity, difference: 0 (at most 0.05 allowed)" in out
    assert "sex" not in out


def test_several_constraints_at_once(loans: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = result_of(
        capsys,
        *("--fairness", "equalized_odds=0.5", "--fairness-ratio", "demographic_parity=0.2", "--sensitive", "sex"),
        *("--positive", "yes", "--within", "job", "--false-negatives", "yes=12", "--false-negatives", "20"),
    )
    constraints = found["constraints"]
    assert isinstance(constraints, list)
    assert [each["name"] for each in constraints] == [
        "equal_opportunity, difference",
        "predictive_equality, difference",
        "demographic_parity, ratio",
        "false negatives of yes",
        "false negatives of yes",
    ]
    for each in constraints:
        if each["at_least"]:
            assert each["reached"] >= each["limit"] - 1e-9
        else:
            assert each["reached"] <= each["limit"] + 1e-9
    assert str(found["allowed"]).startswith("trees of depth 2 at most; all questions about 3 columns; limits on ")


def test_every_leaf_may_have_to_be_accurate(loans: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit("--leaf-accuracy", "0.95", "--drop", "sex") == 2
    assert "the best reachable is 75 %" in capsys.readouterr().err
    assert fit("--leaf-accuracy", "0.75", "--drop", "sex") == 0
    shares = [
        line.split("rows")[1].split("%")[0] for line in capsys.readouterr().out.splitlines() if " rows   " in line
    ]
    assert shares
    assert all(float(share) >= 75.0 for share in shares)


def test_a_leaf_that_is_not_accurate_enough_may_have_a_price(loans: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--leaf-accuracy", "0.95", "--drop", "sex", "--json")
    assert fit(*asked, "--leaf-accuracy-price", "0") == 0
    free = json.loads(capsys.readouterr().out)["cost"]
    assert fit(*asked, "--leaf-accuracy-price", "0.25") == 0
    assert json.loads(capsys.readouterr().out)["cost"] > free


def test_constraints_of_diagrams(loans: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fair = ("--fairness", "demographic_parity=0.1", "--sensitive", "sex", "--drop-sensitive", "--ccp-alpha", "0.01")
    assert main(["fit", "loans.csv", "--target", "loan", "--widths", "1,2", *fair]) == 0
    assert "demographic_parity, difference: " in capsys.readouterr().out


@pytest.mark.each(
    ("arguments", "message"),
    [
        (["--fairness", "parity"], "argument --fairness: 'parity' is not like demographic_parity=0.05"),
        (["--fairness", "parity=0.1", "--sensitive", "sex"], "Unknown measure 'parity' of fairness"),
        (["--fairness", "demographic_parity=0.1"], "Which rows are to be compared? Name the column that says so"),
        (
            ["--fairness", "demographic_parity=0.1", "--sensitive", "Sex"],
            "--sensitive names 'Sex', but",
        ),
        (
            ["--fairness", "demographic_parity=0.1", "--sensitive", "sex", "--within", "work"],
            "--within names 'work', but there is no such column",
        ),
        (["--sensitive", "sex"], "--sensitive is about fairness. Say what is fair, as with --fairness"),
        (["--drop-sensitive"], "--drop-sensitive is about fairness"),
        (["--within", "job"], "--within is about fairness"),
        (["--positive", "yes"], "--positive is about --fairness and --false-negatives."),
        (["--false-negatives", "many"], "'many' is neither a number of rows nor like yes=3"),
        (
            ["--false-negatives", "Yes=3"],
            "'Yes', which is not a label. The labels are: no, yes.",
        ),
        (
            ["--false-negatives", "3", "--positive", "ja"],
            "--positive names 'ja', which is not a label. The labels are: no, yes.",
        ),
        (["--leaf-accuracy-price", "0.1"], "costs. Give both."),
        (["--fairness-price", "0.1"], "--fairness-price says what is paid beyond a limit."),
        (["--leaf-accuracy", "2"], "LeafAccuracy(at_least=2.0) must lie in 0..1"),
        (["--solver-option", "seed"], "'seed' is not like strategy=halving"),
        (["--solver-option", "seed=3"], "--solver-option seed is an option of which solver? Name it with --solver."),
        (
            ["--solver", "xct", "--solver-option", "strateg=warm"],
            "the solver 'xct' has no option 'strateg'. Its options are: strategy, backend, seed.",
        ),
        (["--solver", "dl8", "--solver-option", "seed=3"], "the solver 'dl8' has no option 'seed'. "),
        (["--solver", "xct", "--solver-option", "strategy=slow"], "strategy must be one of warm, direct, gradual"),
    ],
)
def test_what_is_wrong_is_said(
    loans: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert code_of(*arguments) == 2
    assert message in capsys.readouterr().err


def test_options_of_solvers(capsys: pytest.CaptureFixture[str]) -> None:
    worst = ("iris", "--max-depth", "1", "--objective", "leaf_accuracy", "--solver", "xct", "--time-limit", "20")
    assert main(["fit", *worst, "--solver-option", "strategy=halving", "--solver-option", "backend=highs"]) in (0, 3)
    assert "the worst leaf" in capsys.readouterr().out
    diagram = ("iris", "--widths", "1", "--solver", "odd", "--solver-option", "margin=0.01", "--multivariate")
    assert main(["fit", *diagram, "--time-limit", "1", "--json"]) in (0, 3)
    assert "; oblique splits that keep a margin of 0.01" in json.loads(capsys.readouterr().out)["allowed"]


def test_why_nothing_was_proved_is_said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exactree.mip.mip.SECONDS_PER_ENTRY", 1e3)
    monkeypatch.setattr("exactree.mip.mip.LARGE", 10)
    assert main(["fit", "iris", "--max-depth", "2", "--solver", "oct"]) == 3
    assert "why: the MIP would have about " in capsys.readouterr().out
