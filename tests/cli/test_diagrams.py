"""Diagrams on the command line: fit, show, predict, explain, and which options go together."""

import json
import re
from itertools import product
from pathlib import Path

import pytest

from exactree.cli import main
from exactree.model import load

DIAGRAM = ["fit", "bits.csv", "--target", "parity", "--widths", "1,2,2"]


@pytest.fixture
def bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory is a folder with the parity of three bits."""
    rows = [f"{a},{b},{c},{'odd' if (a + b + c) % 2 else 'even'}" for a, b, c in product((0, 1), repeat=3)]
    (tmp_path / "bits.csv").write_text("\n".join(["a,b,c,parity", *rows]) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_fit_reports_the_diagram_its_proof_and_its_rows(bits: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*DIAGRAM, "-q", "-o", "model.json", "--svg", "model.svg"]) == 0
    assert main([*DIAGRAM]) == 0
    out = capsys.readouterr().out
    assert re.search(r"go on at \[1\] [abc] <= 0\.5", out)  # several diagrams of parity are the best
    assert "proved optimal: no allowed diagram costs less than 0.8.\n" in out
    assert "100.00 % (8 of 8 rows), 5 questions, 2 leaves, depth 3, " in out
    assert "layer 2    4 (50.0 %)    4 (50.0 %)\n" in out
    graph = load(bits / "model.json")
    assert (graph.n_nodes, graph.n_leaves, graph.is_tree) == (7, 2, False)
    assert 'aria-label="Decision diagram"' in (bits / "model.svg").read_text()


def test_a_saved_diagram_is_shown_used_and_explained(bits: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*DIAGRAM, "-q", "-o", "model.json"]) == 0
    assert main(["show", "model.json"]) == 0
    assert capsys.readouterr().out.endswith("proved optimal: no allowed diagram costs less than 0.8.\n")
    assert main(["predict", "model.json", "bits.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] == 1.0
    (bits / "row.csv").write_text("a,b,c\n1,1,0\n")
    assert main(["explain", "model.json", "row.csv"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("=> even; leaf ")


def test_the_proof_is_about_the_diagrams_that_were_asked_for(bits: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A diagram of one node looks like a tree, and sums of columns are proved with a margin only."""
    asked = ["fit", "bits.csv", "--target", "parity", "--widths", "1", "--multivariate"]
    said = "proved optimal: no allowed diagram whose oblique splits keep a margin of 0.001 costs less than 2.\n"
    assert main([*asked, "-o", "model.json"]) == 0
    assert said in capsys.readouterr().out
    assert main(["show", "model.json"]) == 0
    assert capsys.readouterr().out.endswith(said)
    assert main(["show", "model.json", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scope"] == "whose oblique splits keep a margin of 0.001"


def test_a_price_of_columns_reaches_the_estimator(bits: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (bits / "and.csv").write_text("a,b,both\n0,0,no\n0,1,no\n1,0,no\n1,1,yes\n")
    asked = ["fit", "and.csv", "--target", "both", "--widths", "1", "--multivariate", "--max-split-columns", "2"]
    costs = []
    for price in ("0.125", "0.5"):
        assert main([*asked, "--column-price", price, "--json"]) == 0
        costs.append(json.loads(capsys.readouterr().out)["cost"])
    assert costs == [0.5, 1.0]


def test_limits_reach_the_estimator(bits: Path, capsys: pytest.CaptureFixture[str]) -> None:
    costs = {}
    limits = (["--max-nodes", "1"], ["--min-samples-node", "0.6"], ["--min-weight-fraction-leaf", "0.26"])
    for more in ([], ["--tree"], ["--ccp-alpha", "0"], *limits):
        assert main([*DIAGRAM, "--json", *more]) == 0
        told = json.loads(capsys.readouterr().out)
        costs[" ".join(more)] = told["cost"]
        assert told["fragmentation"]["n_rows"] == 8
    # The tree: two errors and three nodes below the root; with one node, or without any of half the rows: four errors.
    expected = {"": 0.8, "--tree": 2.6, "--ccp-alpha 0": 0, "--max-nodes 1": 4, "--min-samples-node 0.6": 4}
    # Sides of two rows that end are too light then, and all four nodes of two sides end in such.
    expected["--min-weight-fraction-leaf 0.26"] = 4
    assert costs == pytest.approx(expected)


@pytest.mark.each(
    ("arguments", "message"),
    [
        (
            ["--widths", "II", "--max-depth", "0"],
            "--max-depth is about trees, and --widths asks for a diagram: a diagr",
        ),
        (
            ["--widths", "II", "--max-leaf-nodes", "3"],
            "one leaf for each class; use --max-nodes. Leave one of them out.",
        ),
        (
            ["--widths", "II", "--min-samples-leaf", "3"],
            "--widths asks for a diagram: use --min-samples-node or --min-weight-fraction-leaf. Leave",
        ),
        (["--tree"], "--tree is about diagrams. Ask for one, such as --widths II, or leave it out."),
        (["--multivariate"], "--multivariate is about diagrams."),
        (["--max-nodes", "3"], "--max-nodes is about diagrams."),
        (["--max-split-columns", "2"], "--max-split-columns is about diagrams."),
        (["--column-price", "0.1"], "--column-price is about diagrams."),
        (["--min-samples-node", "3", "--max-depth", "2"], "--min-samples-node is about diagrams."),
        (["--widths", "VI"], "widths is 'VI'. Expected one of I, II, III, IV, or numbers"),
        (["--widths", "1,3"], "widths has 3 at layer 1: it must be 1 or more, and at most twice the 1 above."),
        (["--widths", "1,2", "--solver", "binoct"], "Unknown solver 'binoct'; choose one of auto, "),
        (["--widths", "1,2", "--objective", "leaf_accuracy"], "diagrams have no worst-leaf objectives"),
    ],
)
def test_mixtures_are_refused(
    bits: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fit", "bits.csv", "--target", "parity", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert message in err


def test_widths_that_are_no_numbers(bits: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["fit", "bits.csv", "--target", "parity", "--widths", "wide"])
    assert "'wide' is neither I, II, III or IV nor numbers such as 1,2,4" in capsys.readouterr().err
