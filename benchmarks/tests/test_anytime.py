"""The suite anytime: states at a time, ranks, goals and figures, and a run on small tables."""

from pathlib import Path

import pytest
from exactree_bench.contestants import CONTESTANTS
from exactree_bench.contestants.licketysplit import LICKETYSPLIT
from exactree_bench.contestants.search import SEARCH
from exactree_bench.datasets.case import Case
from exactree_bench.published.anytime import FIGURES
from exactree_bench.runner.job import Entry, FitConfig, Match
from exactree_bench.runner.outcome import Outcome, Status
from exactree_bench.runner.results import Results
from exactree_bench.runner.run_log import RunLog
from exactree_bench.suites import SUITES, Settings, run_suite
from exactree_bench.suites.anytime import plan, tables, targets
from exactree_bench.suites.anytime.states import States, part

STEPS = (0.1, 1.0, 10.0)


def ran(errors, *history, cpu=10.0, bound=0.0, status=Status.STOPPED):
    return Outcome(status, errors=errors, bound=bound, cpu=cpu, wall=2 * cpu, history=tuple(history))


@pytest.fixture
def states_of(run_log_path):
    """States from {(set, depth): {(contestant, seconds of a step or None): outcome}}, all on bits."""

    def make(runs):
        run_log, matches = RunLog(run_log_path), []
        for (name, depth), outcomes in runs.items():
            for (contestant, seconds), outcome in outcomes.items():
                at = "main" if seconds is None else part(seconds)
                entry = (Entry(contestant, "1"),)
                matches.append(Match(Case(name, f"{name}.csv"), depth, entry, seconds or 10.0, part=at))
                run_log.add(next(matches[-1].jobs()), outcome)
        sets = {"bits": list(dict.fromkeys(name for name, _ in runs)), "numbers": []}
        return States(Results(matches, RunLog(run_log_path)), sets, sorted({depth for _, depth in runs}), STEPS)

    return make


# By the clock: each fit has half a processor.
HISTORY = (0.1, 30.0, 0.0), (1.0, 20.0, 2.0), (10.0, 12.0, 4.0)
RUNS = {
    ("vote", 5): {
        ("exactree", None): ran(12, *HISTORY, bound=5.0),
        ("CART", None): ran(25, cpu=0.2),
        ("LicketySPLIT", None): ran(20, cpu=0.7),
        ("DL8.5 LDS", None): ran(15, (1.0, 18.0, 0.0), (4.0, 15.0, 0.0)),
        ("STreeD", 0.1): ran(40, cpu=0.1),
        ("STreeD", 1.0): ran(12, cpu=0.6, status=Status.PROVED),
    }
}


def test_states_over_time(states_of):
    states = states_of(RUNS)
    (problem,) = states.problems()
    found = {
        name: [states.errors(problem, name, step) for step in STEPS]
        for name in ("exactree", "CART", "LicketySPLIT", "DL8.5 LDS", "STreeD")
    }
    assert found == {
        "exactree": [30, 20, 12],
        "CART": [None, 25, 25],
        "LicketySPLIT": [None, 20, 20],
        "DL8.5 LDS": [None, 18, 15],
        "STreeD": [40, 12, 12],
    }
    assert [states.bound(problem, step) for step in STEPS] == [0.0, 2.0, 5.0]
    assert states.best(problem) == 1  # the known optimum
    assert states.share_of_cpu() == 0.5


def test_tables_of_states(states_of):
    states = states_of(RUNS)
    (row,) = tables.errors(states, "bits", 5).rows
    assert row == ("vote", "30/20/12", "25 (0.200)", "20 (0.700)", "-/18/15", "40/12/12*", "1")
    ranks = {row[0]: row[1:] for row in tables.summary(states, "rank").rows}
    assert ranks["bits, exactree"] == ("1.00", "3.50", "1.50")
    gaps = {row[0]: row[1:] for row in tables.summary(states, "gap").rows}
    assert gaps["bits, exactree"] == ("96.7%", "95.0%", "91.7%")
    assert gaps["bits, CART"] == ("100.0%", "96.0%", "96.0%")
    assert tables.bounds(states).rows == (("vote", "5", "12", "5", "58%"),)


def test_goals_beside_licketysplit(states_of):
    states = states_of(RUNS | {("vote", 6): RUNS["vote", 5] | {("exactree", None): ran(21, (10.0, 21.0, 0.0))}})
    assert targets.beside(states).rows == (
        ("bits, 5", "1", "1 (100%)", "1 (100%)"),
        ("bits, 6", "1", "0 (0%)", "0 (0%)"),
    )
    rows = {row[0]: row[2:] for row in targets.summary(states).rows}
    assert rows["bits, depths 5, 6, 7: no worse than LicketySPLIT after its time"] == ("1 of 2 (50%)", ">= 90%", "NO")
    assert rows["cells where a deeper tree is worse"] == ("3", "0", "NO")
    assert targets.unreached(states) == [
        "vote, depth 6: no tree yet after 0.700 s (its time), LicketySPLIT 20",
        "vote, depth 6: 21 errors after 10.0 s (10 s), LicketySPLIT 20",
        "vote, depth 6, 0.1 s: no tree yet, but 30 at depth 5",
        "vote, depth 6, 1 s: no tree yet, but 20 at depth 5",
        "vote, depth 6, 10 s: 21 errors, but 12 at depth 5",
    ]


def test_figures_to_beat(states_of):
    assert FIGURES["eeg", 4].goals == {1.0: 3710, 10.0: 3663}
    assert len(FIGURES) == 36
    history = (1.0, 161.0, 0.0), (10.0, 102.0, 0.0)
    states = states_of({("german-credit", 6): {("exactree", None): ran(101, *history, (18.0, 101.0, 0.0))}})
    (row,) = targets.figures(states).rows
    assert row[5:] == ("104", "161", "NO", "101", "101", "yes")
    assert "german-credit, depth 6: 161 errors after 1 s, figure to beat 104" in targets.unreached(states)


def test_groups_of_sets(tmp_path):
    names = {
        group: {case.name for _, _, case in plan.problems(Settings(Path(), tmp_path, sets=(group,), depths=(4,)))}
        for group in ("cp4im", "numbers", "figures")
    }
    assert (len(names["cp4im"]), len(names["numbers"])) == (24, 17)
    assert names["figures"] == {name for name, _ in FIGURES}
    assert not names["cp4im"] & names["numbers"]


def test_a_method_is_not_run_longer_than_to_its_proof(states_of, run_log_path, tmp_path):
    states_of(RUNS)
    settings = Settings(Path(), tmp_path, ladder=STEPS, sets=("vote",), depths=(5,))
    results = Results([], RunLog(run_log_path))
    first = SUITES["anytime"].plan(settings, results)
    assert [(match.part, match.seconds, match.repeats) for match in first] == [("main", 10.0, 1), ("0.1 s", 0.1, 1)]
    case = first[0].case
    assert plan.due(states_of(RUNS)._results, case, 5, "STreeD", STEPS) == STEPS[:2]


def test_a_run_and_its_figures(tables, progress, tmp_path, in_process, monkeypatch):
    made = {"bits": (Case("coins", "coins.csv"),), "numbers": (Case("made", "generated", rows=80, columns=3),)}
    monkeypatch.setattr(plan, "CASES", made)
    settings = Settings(
        tables, tmp_path / "out", contestants=("exactree", "CART"), depths=(2, 3), ladder=(0.1, 0.5), repeats=3
    )
    report = run_suite(SUITES["anytime"], settings, progress)
    assert report.contradictions == ()
    assert {section.name for section in report.sections} >= {"errors-bits-depth-2", "mean-gap", "mean-rank", "summary"}
    assert [path.name for path in report.figures] == [
        f"anytime-{name}.{suffix}" for name in ("bits-1", "numbers-1", "gap") for suffix in ("svg", "png")
    ]
    assert all(path.stat().st_size > 0 for path in report.figures)
    assert len(progress.started) == 8  # two sets, two depths, two contestants: no fit is repeated


def test_a_history_counts_from_the_start_of_the_fit(tables):
    X, y = Case("coins", "coins.csv").load(tables)
    found = SEARCH.fit_result(SEARCH.make(FitConfig(3, 20.0)).fit(X, y))
    history = list(found.history)
    assert history[-1][1:] == (found.claimed, found.bound)
    assert 0.0 < history[0][0] <= history[-1][0]


@pytest.mark.parametrize("name", ["DL8.5 LDS", "ConTree LDS"])
def test_limited_discrepancy_reports_its_passes(tables, name):
    pytest.importorskip("pytrees", reason="pytrees-rs is not installed")
    X, y = Case("xor", "xor.csv").load(tables)
    estimator = CONTESTANTS[name].make(FitConfig(2, 20.0)).fit(X, y)
    found = CONTESTANTS[name].fit_result(estimator)
    assert (found.proved, found.claimed) == (True, 0.0)
    assert list(found.history)[-1][1] == 0.0
    assert (estimator.predict(X) == y).all()


def test_licketysplit_asks_guessed_thresholds_of_numbers(tables):
    pytest.importorskip("licketysplit", reason="licketysplit is not installed")
    X, y = Case("made", "generated", rows=80, columns=3).load(tables)
    estimator = LICKETYSPLIT.make(FitConfig(3, 20.0)).fit(X, y)
    assert not LICKETYSPLIT.fit_result(estimator).proved
    assert (estimator.predict(X) != y).sum() < min((y == 0).sum(), (y == 1).sum())
    assert LICKETYSPLIT.fit_result(estimator).counters["leaves"] <= 8
