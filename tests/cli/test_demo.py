"""exactree demo: what a newcomer sees first."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from exactree.cli import main


def test_the_whole_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["demo"]) == 0
    out, err = capsys.readouterr()
    header, *news = err.splitlines()
    assert header.split() == ["seconds", "cost", "bound", "gap"]
    assert news[-1].split()[1:] == ["48", "48", "0.0", "%"]
    assert out.count(" rows   ") == 7  # a line for each leaf
    assert "proved optimal: no allowed tree costs less than 48.\n" in out
    assert "  greedy (scikit-learn's CART)   108 errors    75.0 % right\n" in out
    assert "  proved best (exactree)          48 errors    88.9 % right\n" in out
    assert "demo-tree.svg shows the tree" in out
    assert ElementTree.parse("demo-tree.svg").getroot().tag.endswith("svg")


def test_the_suggestions_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command that the demo suggests and that needs no file of one's own can be run as it stands."""
    monkeypatch.chdir(tmp_path)
    assert main(["fit", "monks-1", "--max-depth", "4", "-q"]) == 0
    assert main(["fit", "tic-tac-toe", "--max-leaf-nodes", "6", "-q"]) == 0
