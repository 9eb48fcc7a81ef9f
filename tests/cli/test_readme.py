"""What README.md shows of the command line is what the command prints."""

import re
import shlex
from pathlib import Path

import pytest

from exactree.cli import main

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
SECONDS = re.compile(r"\d+\.\d\d s\b")


def shown(language: str, about: str) -> str:
    """The one block of README that has a text."""
    (block,) = [text for text in re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL) if about in text]
    return SECONDS.sub("some s", block)


def test_fit(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    command, printed = shown("console", "$ exactree fit").split("\n", 1)
    assert main(shlex.split(command)[2:]) == 0
    assert SECONDS.sub("some s", capsys.readouterr().out) == printed


def test_demo_ends_as_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["demo"]) == 0
    assert shown("text", "greedy (scikit-learn's CART)") in SECONDS.sub("some s", capsys.readouterr().out)
