"""``exactree bench`` with and without the distribution ``exactree-bench``."""

import subprocess
import sys
from types import ModuleType

import pytest

from exactree.cli import main

WITHOUT = "exactree: error: The benchmarks are a package of their own; install it: pip install exactree-bench\n"


def test_all_arguments_are_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    package, command, seen = ModuleType("exactree_bench"), ModuleType("exactree_bench.command"), []

    def handed(arguments: list[str]) -> int:
        seen.append(arguments)
        return 3

    command.main = handed  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "exactree_bench", package)
    monkeypatch.setitem(sys.modules, "exactree_bench.command", command)
    monkeypatch.setattr("exactree.cli.bench.find_spec", lambda name: object())
    assert main(["bench", "peers-binary", "--sets", "vote", "--help"]) == 3
    assert seen == [["peers-binary", "--sets", "vote", "--help"]]


def test_without_it_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("exactree.cli.bench.find_spec", lambda name: None)
    assert main(["bench", "peers-binary"]) == 2
    assert capsys.readouterr().err == WITHOUT


def test_in_a_process_without_it() -> None:
    hidden = "import sys; sys.modules['exactree_bench'] = None"  # as if it were not installed
    code = f"{hidden}; from exactree.cli import main; sys.exit(main(['bench', '--help']))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", WITHOUT)
