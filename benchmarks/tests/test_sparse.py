"""The suite sparse: costs recomputed, proofs checked against each other, goals, and a run on small tables."""

from dataclasses import replace

import numpy as np
import pytest
from exactree_bench.contestants import fast_small_tree, gosdt, streed
from exactree_bench.contestants.search import SEARCH
from exactree_bench.datasets.case import Case
from exactree_bench.runner.job import Entry, FitConfig, Job, Match
from exactree_bench.runner.outcome import Outcome, Status
from exactree_bench.runner.results import Results
from exactree_bench.runner.run_log import RunLog
from exactree_bench.suites import SUITES, Settings, run_suite
from exactree_bench.suites.sparse import plan, tables
from exactree_bench.suites.sparse.costs import DEEPEST, Costs, part

PRICE = 0.05


def ran(errors, leaves, *, status=Status.PROVED, cpu=1.0, **counters):
    found = {"rows": 100.0, "leaves": float(leaves), **counters}
    return Outcome(status, errors=errors, cpu=cpu, wall=cpu, counters=found)


@pytest.fixture
def costs_of(run_log_path):
    """Costs of one case from {contestant: outcome}."""

    def make(runs):
        run_log = RunLog(run_log_path)
        entries = tuple(Entry(name, "1") for name in runs)
        match = Match(Case("coins", "coins.csv"), DEEPEST, entries, 60.0, part=part(PRICE), price=PRICE)
        for job, outcome in zip(match.jobs(), runs.values(), strict=True):
            run_log.add(job, outcome)
        return Costs(Results([match], run_log), ["coins"], [PRICE], tuple(runs))

    return make


def test_proofs_that_agree(costs_of):
    costs = costs_of({"exactree": ran(5, 3, cpu=0.1), "FastSmallTree": ran(10, 2, cpu=2.0)})
    assert costs.cells["coins", PRICE].cost("exactree") == 20.0
    assert (costs.contradictions(), costs.unproved(), costs.dearer()) == ([], [], [])
    assert [row[-1] for row in tables.summary(costs).rows] == ["yes"] * 4
    assert tables.summary(costs).rows[0][2] == "20.0 (1 cells, 0 of them bounds)"
    assert tables.comparison(costs, PRICE).rows == (("coins", "20.00*", "20.00*", "0.100", "2.00", "20.0"),)
    assert tables.totals(costs, 60.0).rows == (("exactree", "1", "1", "1"), ("FastSmallTree", "1", "1", "1"))


def test_a_false_proof_a_false_bound_and_a_false_claim_are_reported(costs_of):
    costs = costs_of(
        {
            "exactree": ran(6, 3),
            "FastSmallTree": ran(5, 3, status=Status.STOPPED, objective=19.0),
            "GOSDT": ran(30, 1, status=Status.STOPPED, objective_bound=20.5),
        }
    )
    assert costs.contradictions() == [
        "coins, price 0.05: exactree proves a cost of 21, but FastSmallTree finds 20",
        "coins, price 0.05: FastSmallTree claims a cost of 19, but its tree costs 20",
        "coins, price 0.05: GOSDT states that no tree costs under 20.5, but FastSmallTree finds 20",
    ]


def test_a_proof_of_limited_depth_is_not_held_against_deeper_trees(costs_of):
    costs = costs_of({"exactree": ran(5, 3), "STreeD": ran(6, 3, depth_limit=10.0)})
    assert costs.contradictions() == []


def test_what_others_proved_or_found_cheaper_is_reported(costs_of):
    costs = costs_of({"exactree": ran(6, 3, status=Status.STOPPED), "FastSmallTree": ran(5, 3)})
    assert costs.unproved() == ["coins, price 0.05: FastSmallTree proved it, exactree did not"]
    assert costs.dearer() == ["coins, price 0.05: exactree's tree costs 21, that of FastSmallTree 20"]
    assert [row[-1] for row in tables.summary(costs).rows] == ["NO", "yes", "NO", "NO"]


def test_only_the_same_questions_are_compared():
    by_name = {case.name: case for case in plan.CASES}
    assert len(by_name) == len(plan.CASES) == 24 + 10 + 10
    assert plan.peers(by_name["bank"]) == ("exactree", "FastSmallTree")
    assert plan.peers(by_name["bank-bits"]) == plan.peers(by_name["vote"]) == plan.PEERS
    assert by_name["segment"].file != by_name["segment-numbers"].file


def test_questions_in_place_of_numbers(tables):
    bits = replace(Case("made", "generated", rows=60, columns=3), cuts=4)
    numbers = replace(bits, cuts=None)
    job = Job(bits, "exactree", "1", FitConfig(10, 1.0, price=0.02))
    assert Job.from_json(job.to_json()) == job
    assert numbers.load(tables)[0].shape == (60, 3)
    X, _ = Case("part", "coins.csv", cuts=4).load(tables)
    assert set(np.unique(X)) == {0, 1}
    assert X.shape == (40, 4)


def test_a_run_with_exactree(tables, progress, tmp_path, in_process, monkeypatch):
    monkeypatch.setattr(plan, "CASES", (Case("coins", "coins.csv"), Case("xor", "xor.csv")))
    settings = Settings(tables, tmp_path / "out", repeats=1, contestants=("exactree",), prices=(0.01, 0.2))
    report = run_suite(SUITES["sparse"], settings, progress)
    cheap, dear = report.sections[:2]
    assert [record["exactree leaves"] for record in cheap.records][1] == 4
    assert cheap.records[1]["exactree cost"] == pytest.approx(4 * 0.01 * 40)
    assert [record["exactree leaves"] for record in dear.records] == [1, 1]
    assert report.contradictions == ()


def test_peers_minimise_the_same_cost(tables):
    """Each peer that is installed proves the cost that exactree proves."""
    X, y = Case("coins", "coins.csv").load(tables)
    config = FitConfig(5, 20.0, price=0.02)
    proved = {}
    for contestant in (SEARCH, streed.STREED, gosdt.GOSDT, fast_small_tree.FAST_SMALL_TREE):
        module = {"STreeD": "pystreed", "GOSDT": "gosdt", "FastSmallTree": "numba"}.get(contestant.name)
        if module is not None:
            pytest.importorskip(module, exc_type=ImportError)
        estimator = contestant.make(config).fit(X, y)
        found = contestant.fit_result(estimator)
        wrong = int((np.asarray(estimator.predict(X)) != y).sum())
        cost = wrong + 0.02 * len(y) * found.counters["leaves"]
        assert found.proved
        assert found.counters.get("objective", cost) == pytest.approx(cost, abs=1e-3)
        proved[contestant.name] = cost
    assert max(proved.values()) == pytest.approx(min(proved.values()), abs=1e-3)
