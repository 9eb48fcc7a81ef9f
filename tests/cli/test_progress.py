"""Lines of progress: when they are printed, and how they look on a terminal."""

import io
import math

import numpy as np
import pytest
from rich.console import Console
from rich.live import Live
from rich.text import Text

from exactree.cli.progress import Display
from exactree.solve import Progress


def told(capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    return [line.split() for line in capsys.readouterr().err.splitlines()[1:]]


def test_at_most_one_line_a_second_and_only_news(capsys: pytest.CaptureFixture[str]) -> None:
    with Display() as display:
        for seconds, cost, bound in [(0.1, 9, 0), (0.3, 8, 0), (0.9, 7, 0), (1.4, 7, 0), (1.5, 7, 1), (3.0, 7, 1)]:
            display(Progress(seconds, cost, bound))
        display.finish(Progress(3.5, 7, 7))
    assert told(capsys) == [
        ["0.300", "8", "0", "100.0", "%"],
        ["1.400", "7", "0", "100.0", "%"],
        ["3.000", "7", "1", "85.7", "%"],
        ["3.500", "7", "7", "0.0", "%"],
    ]


def test_before_there_is_a_model_only_details_are_news(capsys: pytest.CaptureFixture[str]) -> None:
    reports = [(0.5, math.inf, "", "reading"), (1.5, math.inf, "30 trees", "sampling"), (3.0, 9, "", "search")]
    with Display() as display:
        for seconds, cost, details, stage in reports:
            display(Progress(seconds, cost, 0.0, details, stage))
    assert [line[:2] for line in told(capsys)] == [["1.500", "-"], ["3.000", "9"]]


def test_seconds_count_from_the_start_of_the_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.monotonic", lambda: 107.0)
    with Display(began=100.0) as display:
        display(Progress(0.5, 9, 0))
    assert [line[:2] for line in told(capsys)] == [["7.500", "9"]]


def test_the_end_is_not_reported_twice(capsys: pytest.CaptureFixture[str]) -> None:
    with Display() as display:
        display(Progress(2.0, 7, 7))
        display.finish(Progress(2.1, 7, 7))
    assert len(told(capsys)) == 1


def test_replay_reports_every_change(capsys: pytest.CaptureFixture[str]) -> None:
    with Display(pause=None) as display:
        display(Progress(5.0, 7, 0))  # not printed: only what is asked for
        display.replay(np.array([[0.0, 9.0, 0.0], [0.1, 7.0, 0.0]]))
    assert [line[1] for line in told(capsys)] == ["9", "7"]


def test_nothing_found_yet_is_a_dash(capsys: pytest.CaptureFixture[str]) -> None:
    with Display() as display:
        display.print_line(Progress(1.0, float("inf"), 0.0))
    assert told(capsys) == [["1.000", "-", "0", "-"]]


def test_details_are_news_and_stand_on_the_same_line(capsys: pytest.CaptureFixture[str]) -> None:
    words = "iteration 100, 34000 columns, relaxation 25.5, Lagrangian bound 24.125"
    with Display() as display:
        for seconds, details in [(1.0, "iteration 1"), (2.5, words), (4.0, words)]:
            display(Progress(seconds, 9, 3, details))
        display.finish(Progress(5.0, 9, 3))
    lines = capsys.readouterr().err.splitlines()[1:]
    assert [line[44:] for line in lines] == ["   iteration 1", f"   {words}"]


def test_on_a_terminal_a_live_line_says_how_to_stop_and_details_stand_below() -> None:
    screen = io.StringIO()
    display = Display()
    display.console = Console(file=screen, force_terminal=True, width=80)
    display.live = Live(display, console=display.console, auto_refresh=False, transient=True)
    words = "iteration 100, 34000 columns, relaxation 25.5, Lagrangian bound 24.125"
    with display:
        display(Progress(0.1, 9, 3, words))
        display.live.refresh()
    assert "9           3     66.7 %   Ctrl-C keeps the best tree" in screen.getvalue()
    assert any(line.startswith(f"      {words}") for line in Text.from_ansi(screen.getvalue()).plain.splitlines())
