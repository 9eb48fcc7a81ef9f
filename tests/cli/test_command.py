"""The command itself: start-up, help, codes, Ctrl-C, and a whole run in processes of its own."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import exactree
from exactree.cli import main, show
from exactree.errors import SolverBug
from exactree.solve import SOLVERS

COMMANDS = ["fit", "predict", "show", "explain", "counterfactual", "datasets", "demo"]


def run(*arguments: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "exactree", *arguments],
        capture_output=True,
        encoding="utf-8",
        cwd=cwd,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"} | environment,
        check=False,
    )


def test_fit_predict_show_on_a_table_with_text_and_missing_cells(people: Path) -> None:
    fitted = run("fit", "people.csv", "--target", "churn", "--drop", "id,w", "-o", "model.json", cwd=people)
    assert (fitted.returncode, fitted.stderr) == (0, "")
    assert "proved optimal" in fitted.stdout
    predicted = run("predict", "model.json", "people.csv", cwd=people)
    assert predicted.returncode == 0
    assert predicted.stdout.splitlines() == ["churn", *["no", "yes"] * 4]
    assert predicted.stderr == "note: the model does not use 'id', 'w'.\naccuracy 100.00 % (8 of 8 rows)\n"
    shown = run("show", "model.json", cwd=people)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert fitted.stdout.startswith(shown.stdout)


def test_an_error_is_one_message_and_no_traceback(people: Path) -> None:
    failed = run("fit", "people.csv", "--target", "chrn", cwd=people)
    assert (failed.returncode, failed.stdout) == (2, "")
    assert failed.stderr.startswith("exactree: error: --target names 'chrn', but there is no such column.")
    assert failed.stderr.count("\n") == 1


def test_the_script_is_installed() -> None:
    script = Path(sys.executable).with_name("exactree")
    if not script.exists():
        pytest.skip("the script is not beside the interpreter")
    ran = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout == f"exactree {exactree.__version__}\n"


def test_help_is_quick_because_it_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom exactree.cli import main\n"
        "try:\n    main(['fit', '--help'])\nexcept SystemExit: pass\n"
        "print([name for name in ('numpy', 'sklearn', 'rich', 'narwhals') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.endswith("\n[]\n")


def test_on_a_code_page_without_lines_nothing_breaks(people: Path) -> None:
    ran = run("fit", "people.csv", "--target", "churn", cwd=people, PYTHONIOENCODING="ascii")
    assert ran.returncode == 0
    assert "?? yes: " in ran.stdout


def test_a_reader_who_leaves_is_no_error(people: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "exactree", "datasets", "digits"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for another process")
def test_ctrl_c_keeps_the_best_tree(people: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "exactree", "fit", "digits", "--max-depth", "6", "--progress", "--time-limit", "none"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
    ) as process:
        assert process.stderr is not None
        header, first = process.stderr.readline(), process.stderr.readline()
        assert "cost" in header
        assert "%" in first
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert process.returncode == 3
    assert "not proved (interrupted): " in out
    assert "Traceback" not in err


def test_ctrl_c_before_anything_was_found(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(show, "run", interrupted)
    assert main(["show", "model.json"]) == 130
    assert capsys.readouterr().err == "exactree: error: interrupted, nothing found yet.\n"


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (
            SolverBug("The bound exceeds the cost."),
            1,
            "The bound exceeds the cost. This is a bug in exactree, not your mistake; please report it.",
        ),
        (OSError(28, "No space left on device", "model.json"), 2, "model.json: No space left on device"),
    ],
)
def test_other_failures(
    error: Exception, code: int, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing(_: object) -> int:
        raise error

    monkeypatch.setattr(show, "run", failing)
    assert main(["show", "model.json"]) == code
    assert capsys.readouterr().err == f"exactree: error: {message}\n"


@pytest.mark.each("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([command, "--help"])
    assert left.value.code == 0
    out = capsys.readouterr().out
    assert out.startswith(f"usage: exactree {command}")
    assert command == "demo" or "examples:" in out
    assert max(map(len, out.splitlines())) <= 110


def test_the_help_names_every_solver(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["fit", "--help"])
    after = capsys.readouterr().out.split("--solver NAME")[-1].split("  --")[0]  # may take several lines
    assert all(name in after for name in ("auto", *SOLVERS))


def test_without_a_command_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([])
    assert left.value.code == 0
    out = capsys.readouterr().out
    assert "Start here:" in out
    assert all(f"exactree {command}" in out for command in COMMANDS)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"exactree {exactree.__version__}\n"


@pytest.mark.each(
    ("arguments", "message"),
    [
        (
            ["fit", "x.csv", "--max-dept", "3"],
            "exactree fit: error: unknown argument: --max-dept 3. Did you mean --max-depth?\n"
            "See 'exactree fit --help'.",
        ),
        (
            ["fit", "x.csv", "--zzz=3"],
            "exactree fit: error: unknown argument: --zzz=3.\nSee 'exactree fit --help'.",
        ),
        (
            ["fit", "x.csv", "y.csv"],
            "exactree fit: error: unknown argument: y.csv.\nSee 'exactree fit --help'.",
        ),
        (
            ["fit"],
            "exactree fit: error: the following arguments are required: DATA\nSee 'exactree fit --help'.",
        ),
        (
            ["fit", "x.csv", "--max-depth", "three"],
            "exactree fit: error: argument --max-depth: 'three' is not a number of questions, nor 'none' for no limit\n"
            "See 'exactree fit --help'.",
        ),
        (
            ["fit", "x.csv", "--time-limit", "soon"],
            "exactree fit: error: argument --time-limit: 'soon' is not a number of seconds, nor 'none' for no limit\n"
            "See 'exactree fit --help'.",
        ),
        (
            ["fit", "x.csv", "--min-samples-leaf", "few"],
            "exactree fit: error: argument --min-samples-leaf: 'few' is neither a number of rows nor a share such as "
            "0.05\nSee 'exactree fit --help'.",
        ),
        (
            ["fit", "x.csv", "--class-weight", "even"],
            "exactree fit: error: argument --class-weight: 'even' is neither 'balanced' nor like yes=5,no=1\n"
            "See 'exactree fit --help'.",
        ),
        (
            ["fit", "x.csv", "--delimiter", ";;"],
            "exactree fit: error: argument --delimiter: ';;' is not one character; quote it, such as ';' or '|' or "
            "'\\t'\nSee 'exactree fit --help'.",
        ),
        (
            ["--versoin"],
            "exactree: error: unknown argument: --versoin. Did you mean --version?\nSee 'exactree --help'.",
        ),
    ],
)
def test_wrong_options_say_what_to_do(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    assert capsys.readouterr() == ("", message + "\n")


def test_an_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["train"])
    assert left.value.code == 2
    err = capsys.readouterr().err
    assert "invalid choice: 'train'" in err
    assert err.endswith("See 'exactree --help'.\n")
