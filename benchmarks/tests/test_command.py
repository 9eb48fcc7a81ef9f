"""exactree-bench: the list, a small run, resuming, exit codes, and messages about the data folder."""

import csv
import json
import sys
from collections.abc import Callable
from pathlib import Path

import exactree_bench.command
import pytest
from exactree_bench.datasets.case import Case
from exactree_bench.runner.job import Match
from exactree_bench.runner.outcome import Outcome, Status
from exactree_bench.runner.results import Results
from exactree_bench.suites import SUITES, Report, Section, Settings, Suite

from exactree.cli import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_process: None) -> Path:
    """A data folder with one table, and a suite named tiny that fits it with exactree."""
    (tmp_path / "xor.csv").write_text("a,b,class\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n1,1,1\n")
    monkeypatch.setenv("EXACTREE_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(SUITES, "tiny", Tiny())
    return tmp_path


class Tiny(Suite):
    """One set, one contestant; the published optimum is one error at depth 2."""

    name = "tiny"
    about = "one table of five rows"

    def plan(self, settings: Settings, results: Results) -> list[Match]:
        cases = settings.chosen([Case("xor", "xor.csv")])
        return [settings.match(case, depth, [("exactree", 1)]) for case in cases for depth in settings.depths or (2,)]

    def report(self, settings: Settings, results: Results) -> Report:
        found = results.get("xor", (settings.depths or (2,))[0], "exactree")
        assert found is not None
        section = Section(
            "table", "Tiny", ("set", "errors"), (("xor", str(found.errors)),), ({"errors": found.errors},)
        )
        contradictions = () if found.errors != 2 else ("two is too many",)
        return Report((section,), contradictions, () if found.proved else ("xor: not proved",), ("A note.",))


@pytest.mark.parametrize("command", [lambda: main(["bench"]), lambda: exactree_bench.command.main([])])
def test_without_a_suite_all_are_listed(command: Callable[[], int], capsys: pytest.CaptureFixture[str]) -> None:
    assert command() == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[: len(SUITES)]] == list(SUITES)
    assert {"dl85-table2", "binoct-table5", "mip-backends", "peers-binary"} <= set(SUITES)
    assert main(["bench", "--json"]) == 0
    assert [suite["name"] for suite in json.loads(capsys.readouterr().out)["suites"]] == list(SUITES)


def test_exactree_bench_without_this_package(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "exactree_bench", None)
    assert main(["bench", "peers-binary"]) == 2
    assert "pip install exactree-bench" in capsys.readouterr().err


def test_a_run_prints_a_table_and_writes_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "tiny", "--repeat", "2", "--output", "out"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("Tiny\n\nset  errors\n---  ------\nxor       1\n\nA note.\n")
    assert out.endswith("All proofs agree.\n")
    assert err.count("xor depth 2 exactree: 1* errors, ") == 2
    with (folder / "out" / "tiny-runs.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["set"], row["repeat"], row["status"], row["errors"]) for row in rows] == [
        ("xor", "0", "proved", "1"),
        ("xor", "1", "proved", "1"),
    ]
    assert (folder / "out" / "tiny-table.csv").read_text() == "errors\n1\n"


def test_a_second_run_resumes_and_fresh_starts_over(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["bench", "tiny", "--repeat", "1", "-o", "out"]
    fits = []
    for more in ([], [], ["--resume"], ["--fresh"]):
        assert main([*command, *more]) == 0
        fits.append(capsys.readouterr().err.count("xor depth 2"))
    assert fits == [1, 0, 0, 1]


def test_ctrl_c_says_what_is_kept(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("exactree_bench.runner.runner.Runner.run", stop)
    assert main(["bench", "tiny", "-o", "out"]) == 130
    assert capsys.readouterr().err == "exactree-bench: error: interrupted. No fit finished.\n"
    kept = Path("out") / "tiny-runs.csv"
    kept.parent.mkdir(exist_ok=True)
    kept.touch()
    assert main(["bench", "tiny", "-o", "out"]) == 130
    expected = (
        f"exactree-bench: error: interrupted. Finished fits are in {kept}; run the same command again to resume.\n"
    )
    assert capsys.readouterr().err == expected


def test_only_the_selected_contestants_are_run(tmp_path: Path) -> None:
    settings = Settings(tmp_path, tmp_path, contestants=("CART",))
    match = settings.match(Case("xor", "xor.csv"), 2, [("exactree", 1), ("CART", 1)])
    assert [entry.contestant for entry in match.entries] == ["CART"]


def test_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "tiny", "--json", "--repeat", "1", "--memory-limit", "none"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["tables"] == {"table": [{"errors": 1}]}
    assert (result["mismatches"], result["not_reached"], result["memory_limit"]) == ([], [], None)
    assert result["time_limit"] == 60
    assert main(["bench", "tiny", "--json", "--repeat", "1", "--limit", "7"]) == 0
    assert json.loads(capsys.readouterr().out)["time_limit"] == 7


def test_both_tables_of_binoct_share_their_fits_and_limit() -> None:
    training, testing = SUITES["binoct-table5"], SUITES["binoct-table6"]
    assert training.runs == testing.runs
    assert training.seconds == testing.seconds == 600


def test_a_contradiction_gives_code_1(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "tiny", "--depths", "1", "--repeat", "1"]) == 1
    assert capsys.readouterr().out.endswith(
        "!!! MISMATCH: these results contradict each other !!!\n  two is too many\n"
    )


def test_what_was_not_reproduced_gives_code_3(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = Outcome(Status.STOPPED, errors=1, wall=9.0)
    monkeypatch.setattr("exactree_bench.runner.runner.Runner.fit", lambda self, job: stopped)
    assert main(["bench", "tiny"]) == 3
    assert "Not reached within the limits:\n  xor: not proved\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tyny"], "There is no suite 'tyny'. Did you mean 'tiny'?"),
        (["tiny", "--sets", "xar"], "--sets names 'xar', which is not in this suite. Did you mean 'xor'?"),
        (["tiny", "--contestants", "Cart"], "--contestants names 'Cart', which is not a contestant. Did you mean"),
        (["tiny", "--jobs", "0"], "--jobs must be 1 or more; got 0."),
        (["tiny", "--repeat", "0"], "--repeat must be 1 or more; got 0."),
        (["tiny", "--time-limit", "none"], "--time-limit must be a number of seconds above 0."),
        (["tiny", "--data", "nowhere"], "--data names 'nowhere', which is not a folder. Check the path."),
        (["peers-binary"], "has no 'cp4im/anneal.csv.gz'. Set EXACTREE_DATA or --data to the folder"),
    ],
)
def test_wrong_options(folder: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert message in err


def test_the_data_folder_must_be_named(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EXACTREE_DATA")
    assert main(["bench", "tiny"]) == 2
    assert capsys.readouterr().err.startswith(
        "exactree-bench: error: The data folder is not set. Use --data FOLDER or the environment variable: "
    )


@pytest.mark.parametrize("depths", ["0", "two", ""])
def test_wrong_depths(depths: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["bench", "tiny", "--depths", depths])
    assert "--depths" in capsys.readouterr().err


class NoRuns(Tiny):
    """A suite that has no runs."""

    name = "none"

    def plan(self, settings: Settings, results: Results) -> list[Match]:
        return []


def test_a_suite_without_runs_does_not_say_that_all_proofs_agree(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(SUITES, "none", NoRuns())
    assert exactree_bench.command.main(["none"]) == 2
    out, err = capsys.readouterr()
    assert "agree" not in out
    assert "Nothing ran: the suite 'none' has no runs with these options. Leave out --sets, --contestants" in err


def test_a_suite_whose_contestants_are_not_available_says_which(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = Outcome(Status.MISSING, reason="not installed")
    monkeypatch.setattr("exactree_bench.runner.runner.Runner.run", lambda runner, matches, workers: None)
    monkeypatch.setattr("exactree_bench.runner.run_log.RunLog.get", lambda log, job: missing)
    assert exactree_bench.command.main(["tiny"]) == 2
    out, err = capsys.readouterr()
    assert "agree" not in out
    assert "Nothing ran in the suite 'tiny': no contestant is available (exactree: not installed)." in err
