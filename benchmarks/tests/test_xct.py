"""The worst-leaf suite, on a tiny table."""

from dataclasses import replace

import numpy as np
import pytest
from exactree_bench.datasets.case import Case
from exactree_bench.runner.outcome import Outcome, Status
from exactree_bench.runner.results import Results
from exactree_bench.suites import SUITES, Settings, run_suite, xct


@pytest.fixture
def settings(tables, monkeypatch, tmp_path, in_process):
    small = Case("coins", "coins.csv", split=0, train=0.8, test=0.2, rows=30)
    monkeypatch.setattr(xct, "CASES", (small,))
    return Settings(tables, tmp_path / "out", seconds=20.0, depths=(2,))


def test_search_and_mip_agree_and_cart_is_not_better(settings, progress):
    report = run_suite(SUITES["xct"], settings, progress)
    (section,) = report.sections
    search, mip, cart = section.records
    assert [row[1] for row in section.rows] == list(xct.CONTESTANTS)
    assert search["worst"] == pytest.approx(mip["worst"])
    assert search["worst"] == pytest.approx(search["bound"])
    assert cart["worst"] <= search["worst"] + 1e-9
    assert all(0 <= record[key] <= 1 for record in section.records for key in ("test", "hybrid", "test_worst"))
    assert (report.contradictions, report.unreached) == ((), ())


def test_training_rows_are_capped_and_test_rows_apart(tables):
    case = Case("coins", "coins.csv", split=0, train=0.8, test=0.2, rows=30)
    whole = replace(case, rows=None)
    X, y = case.load(tables)
    assert X.shape == (30, 4)
    np.testing.assert_array_equal(whole.load(tables)[0][:30], X)
    assert len(whole.load(tables)[1]) + len(case.load_test(tables)[1]) == 40
    assert len(y) == 30


def outcome(worst, bound, *, status=Status.PROVED, wall=1.0):
    return Outcome(status, errors=1, wall=wall, counters={"worst": worst, "worst_bound": bound, "leaves": 2.0})


def reported(monkeypatch, search, mip):
    found = {"worst leaf": search, "XCT": mip}
    monkeypatch.setattr(Results, "get", lambda self, case, depth, contestant: found.get(contestant))
    results = Results([], None)
    return xct._beaten(results, ["a"], 2), xct._late(results, ["a"], 2)


def test_a_better_mip_and_a_violated_bound_are_reported(monkeypatch):
    stopped = Status.STOPPED
    assert reported(monkeypatch, outcome(0.8, 0.8), outcome(0.7, 1.0, status=stopped)) == ([], [])
    beaten, _ = reported(monkeypatch, outcome(0.8, 0.8), outcome(0.9, 1.0, status=stopped))
    assert beaten == [
        "a, depth 2: XCT's worst leaf is 0.9000, the search's 0.8000",
        "a, depth 2: worst leaf has the bound 0.8000, but a worst leaf is 0.9000",
    ]


def test_a_late_proof_is_reported(monkeypatch):
    assert reported(monkeypatch, outcome(0.8, 0.8, wall=7.0), None)[1] == ["a, depth 2: proved in 7.0 s, target 5 s"]
    assert reported(monkeypatch, outcome(0.8, 0.9, status=Status.STOPPED), None)[1] == ["a, depth 2: not proved"]
