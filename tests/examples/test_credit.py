"""The example of a loan runs, and its output is as documented."""

import importlib.util
from pathlib import Path
from xml.etree import ElementTree

import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "credit.py"


@pytest.fixture(scope="module")
def credit():
    found = importlib.util.spec_from_file_location("credit", SCRIPT)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def words_of(picture):
    return [text for text in ElementTree.parse(picture).getroot().itertext() if text.strip()]


def test_the_whole_example(credit, tmp_path, capsys):
    credit.main(tmp_path)
    printed = capsys.readouterr().out
    for part in (
        "proved: no allowed tree lies beyond this curve",
        "The tree whose worst leaf is best (optimal):",
        "=> defaulted; leaf ",
        "held out: ",
        "HistGradientBoostingClassifier, fitted on",
        "The hybrid predicts: ",
        "now defaulted; leaf ",
        "1. repaid: cost ",
    ):
        assert part in printed
    assert "Which loans are repaid?" in words_of(tmp_path / "credit-tree.svg")
    assert "What a better worst leaf costs" in words_of(tmp_path / "credit-curve.svg")


def test_what_an_applicant_cannot_change_stays(credit, tmp_path, capsys):
    credit.main(tmp_path)
    changes = capsys.readouterr().out.split("Counterfactuals of the tree:")[1]
    changed = [line.split("  ")[0].strip() for line in changes.splitlines() if " -> " in line]
    assert changed
    assert not set(changed) & set(credit.FIXED)


def test_the_table_is_the_same_every_time(credit):
    (X, y), (again, labels) = credit.make_loans(), credit.make_loans()
    assert X.equals(again)
    assert y.equals(labels)
    assert X.shape == (2400, 8)
    assert 0.2 < (y == "defaulted").mean() < 0.4
    assert X["years in job"].isna().any()
