"""The continuous suite: the better of two ConTrees counts, and a run that warned of the time limit is no proof."""

import warnings

import numpy as np
import pytest
from exactree_bench.contestants import contree
from exactree_bench.datasets.case import Case
from exactree_bench.runner.job import Entry, FitConfig, Match
from exactree_bench.runner.outcome import Outcome, Status
from exactree_bench.runner.results import Results
from exactree_bench.runner.run_log import RunLog
from exactree_bench.suites.peers.continuous import PEERS, better, comparison, gap_target, ratio, summary


def ran(cpu, *, errors=5, bound=5.0, status=Status.PROVED):
    return Outcome(status, errors=errors, bound=bound, cpu=cpu, wall=cpu)


@pytest.fixture
def results_of(run_log_path):
    """Results from {(set, depth): (exactree, ConTree, ConTree unsorted)}."""

    def make(runs):
        run_log, matches = RunLog(run_log_path), []
        for (name, depth), outcomes in runs.items():
            entries = tuple(Entry(peer, "1") for peer in PEERS)
            matches.append(Match(Case(name, f"{name}.csv"), depth, entries, seconds=60.0))
            for job, outcome in zip(matches[-1].jobs(), outcomes, strict=True):
                run_log.add(job, outcome)
        return Results(matches, run_log)

    return make


def test_the_better_contree_counts(results_of):
    late = ran(60.0, status=Status.STOPPED)
    results = results_of({("wilt", 3): (ran(0.1), ran(3.0), ran(2.0)), ("eeg", 3): (ran(2.0), late, late)})
    assert better(results, "wilt", 3).cpu == 2.0
    assert str(ratio(results, "wilt", 3)) == "20.0"
    assert str(ratio(results, "eeg", 3)) == "> 30.0"
    assert comparison(results, 3, ["wilt"]).rows[0][-1] == "20.0"
    rows = {row[0]: row for row in summary(results, {3: ["wilt", "eeg"]}).rows}
    assert rows["depth 3: ConTree / exactree, geometric mean of its paper's sets from 0.5 s on"][2:] == (
        "24.5 (2 sets, 1 of them bounds)",
        ">= 20",
        "yes",
    )


def test_a_proof_counts_more_than_a_fast_stop(results_of):
    results = results_of({("wilt", 3): (ran(0.1), ran(1.0, status=Status.STOPPED), ran(2.0))})
    assert better(results, "wilt", 3).proved


def test_hard_sets_are_judged_by_their_gap(results_of):
    late = ran(120.0, status=Status.STOPPED)
    near = ran(120.0, errors=100, bound=96.0, status=Status.STOPPED)
    far = ran(120.0, errors=100, bound=90.0, status=Status.STOPPED)
    results = results_of({("rice", 4): (near, late, late), ("raisin", 4): (far, late, late)})
    assert gap_target(results, "rice").row()[2:] == ("gap 4.0%", "proved, or a gap below 5%", "yes")
    assert gap_target(results, "raisin").row()[2:] == ("gap 10.0%", "proved, or a gap below 5%", "NO")


class TimedOut:
    """pycontree at its time limit: it warns, and has a tree all the same."""

    def fit(self, X, y):
        warnings.warn("Fitting exceeds time limit.", stacklevel=2)

    def predict(self, X):
        return np.zeros(len(X))


def test_a_warning_is_no_proof(monkeypatch):
    package = type("pycontree", (), {"ConTree": lambda **options: TimedOut()})
    monkeypatch.setattr(contree, "import_package", lambda name: package)
    estimator = contree.CONTREE.make(FitConfig(2, 1.0)).fit(np.zeros((2, 1)), np.zeros(2, np.int32))
    assert not contree.CONTREE.fit_result(estimator).proved
