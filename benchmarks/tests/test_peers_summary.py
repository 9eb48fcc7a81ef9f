"""The arithmetic of the summary, on made-up outcomes."""

from pathlib import Path

import pytest
from exactree_bench.datasets.case import Case
from exactree_bench.runner.job import Entry, Match
from exactree_bench.runner.outcome import Outcome, Status
from exactree_bench.runner.results import Results
from exactree_bench.runner.run_log import RunLog
from exactree_bench.suites import Settings
from exactree_bench.suites.peers.binary import PeersBinary
from exactree_bench.suites.peers.summary import Ratio, ratio, speed_up, summary, worth_timing

MB = 10**6


def ran(cpu, memory=MB, *, errors=5, status=Status.PROVED):
    return Outcome(status, errors=errors, cpu=cpu, wall=cpu, memory=memory)


@pytest.fixture
def results_of(run_log_path):
    """Results from {(set, depth): (exactree, STreeD)} and {(set, depth): (one thread, two threads)}."""

    def make(pairs, threads=()):
        run_log, matches = RunLog(run_log_path), []
        for (name, depth), outcomes in pairs.items():
            entries = (Entry("exactree", "1"), Entry("STreeD", "1"))
            matches.append(record(run_log, name, depth, entries, outcomes, "main"))
        for (name, depth), outcomes in dict(threads).items():
            entries = (Entry("exactree", "1", 1), Entry("exactree", "1", 2))
            matches.append(record(run_log, name, depth, entries, outcomes, "threads"))
        return Results(matches, run_log)

    return make


def record(run_log, name, depth, entries, outcomes, part):
    match = Match(Case(name, f"{name}.csv"), depth, entries, seconds=60.0, part=part)
    for job, outcome in zip(match.jobs(), outcomes, strict=True):
        run_log.add(job, outcome)
    return match


def test_ratios_with_one_proof_are_bounds(results_of):
    stopped = ran(60.0, status=Status.STOPPED)
    killed = Outcome(Status.KILLED)
    results = results_of(
        {
            ("both", 4): (ran(0.1), ran(1.0)),
            ("ours", 4): (ran(6.0), stopped),
            ("theirs", 4): (stopped, ran(30.0)),
            ("neither", 4): (stopped, stopped),
            ("killed", 4): (ran(1.0), killed),
        }
    )
    names = ["both", "ours", "theirs", "neither", "killed"]
    assert [ratio(results, name, 4) for name in names] == [Ratio(10.0), Ratio(10.0, ">"), Ratio(0.5, "<"), None, None]


def test_sets_that_are_too_fast_do_not_count(results_of):
    results = results_of({("slow", 4): (ran(0.01), ran(0.05)), ("quick", 4): (ran(0.001), ran(0.049))})
    assert list(worth_timing(results, ["slow", "quick"], 4)) == ["slow"]


def test_the_summary(results_of):
    pairs = {
        ("vote", 4): (ran(0.01, 2 * MB), ran(0.16, 3 * MB)),
        ("yeast", 4): (ran(0.1, 4 * MB), ran(0.9, 9 * MB)),
        ("zoo-1", 4): (ran(0.001), ran(0.0001)),
        ("vote", 5): (ran(0.1, 8 * MB), ran(1.0, 7 * MB)),
        ("german-credit", 5): (ran(20.0, 5 * MB), ran(60.0, 50 * MB, status=Status.STOPPED)),
    }
    threads = {("german-credit", 5): (ran(20.0), ran(10.0))}
    names = {4: ["vote", "yeast", "zoo-1"], 5: ["vote", "german-credit"]}
    rows = {row[0]: row[1:] for row in summary(results_of(pairs, threads), names, limit=60.0).rows}
    assert list(rows.values()) == [
        ("1", "12.0 (2 sets)", ">= 12", "yes"),
        ("1", "9.0 (yeast)", ">= 4", "yes"),
        ("3 of 3", "3 of 3", "all", "yes"),
        ("1", "10.0 (1 set)", ">= 8", "yes"),
        ("not in 60 s", "proved in 20.0 s", "proved", "yes"),
        ("-", "2.00 (1 set)", ">= 1.7", "yes"),
        ("1.0 to 9.0", "1.0 to 8.0", "not above STreeD", "yes"),
        ("-", "1 of 4", "0", "NO"),
    ]


def test_the_summary_without_results(results_of):
    assert [row[-1] for row in summary(results_of({}), {}, limit=60.0).rows] == ["-"] * 7


def test_two_threads_need_two_proofs(results_of):
    threads = {("a", 4): (ran(3.0), ran(2.0)), ("b", 4): (ran(3.0), ran(60.0, status=Status.STOPPED))}
    results = results_of({}, threads)
    assert [speed_up(results, name, 4) for name in "abc"] == [1.5, None, None]


def test_the_plan_adds_two_threads_where_one_is_slow(results_of):
    settings = Settings(Path(), Path(), sets=("vote", "yeast"), depths=(4,))
    suite = PeersBinary()
    assert [match.part for match in suite.plan(settings, results_of({}))] == ["main", "main"]
    results = results_of({("vote", 4): (ran(0.5), ran(1.0)), ("yeast", 4): (ran(1.5), ran(9.0))})
    last = suite.plan(settings, results)[-1]
    assert (last.case.name, last.part, [entry.threads for entry in last.entries]) == ("yeast", "threads", [1, 2])


def test_depth_five_has_a_selection_of_sets(results_of):
    matches = PeersBinary().plan(Settings(Path(), Path()), results_of({}))
    assert [sum(match.depth == depth for match in matches) for depth in (4, 5)] == [24, 9]


def test_the_report_checks_known_optima(results_of):
    settings = Settings(Path(), Path(), sets=("vote",), depths=(4,))
    report = PeersBinary().report(settings, results_of({("vote", 4): (ran(0.1, errors=6), ran(0.1, errors=5))}))
    assert report.contradictions == (
        "vote, depth 4: exactree proves 6 errors, but the optimum is known to be 5",
        "vote, depth 4: exactree proves 6 errors, but STreeD finds 5",
    )
    assert report.sections[0].rows == (("vote", "6*", "5*", "-", "0.100", "0.100", "", "1.0", "1.0", "-", "1.0"),)
