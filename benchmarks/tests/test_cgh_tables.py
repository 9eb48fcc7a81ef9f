"""The CGH paper's tables: transcription, cases, means, integral relaxations, and what is reported if we are worse."""

from dataclasses import replace

import numpy as np
import pytest
from exactree_bench.contestants import CONTESTANTS as KNOWN
from exactree_bench.contestants.cart import GRID
from exactree_bench.contestants.interface import FitResult, NotAvailable
from exactree_bench.datasets import synthetic
from exactree_bench.datasets.case import Case
from exactree_bench.published.binoct import CELLS_5, CELLS_6, DEPTHS
from exactree_bench.published.cgh import CELLS_3, CELLS_7, CELLS_8, CELLS_9, CELLS_10, INTEGRAL_4
from exactree_bench.runner.job import FitConfig
from exactree_bench.runner.outcome import Outcome, Status
from exactree_bench.runner.process.worker import TINY_X, TINY_Y, warm_up
from exactree_bench.runner.results import Results
from exactree_bench.runner.run_log import RunLog
from exactree_bench.suites import SUITES, Settings
from exactree_bench.suites.cgh import table3 as large
from exactree_bench.suites.cgh.tables import CONTESTANTS, INTEGRAL, RELAXATION, RELAXED, SAMPLES, SETS, SOLVED

ROWS = 1000.0
DIFFERENT = {("balance-scale", 2, "CART"), ("pima", 2, "BinOCT*"), ("monks1", 3, "OCT"), ("monks2", 4, "CART")}


@pytest.fixture
def settings(tmp_path):
    return Settings(tmp_path, tmp_path, seconds=1.0, repeats=1, depths=(2,), sets=("car", "iris"))


def reported(suite, settings, outcome_of):
    """Report on made-up outcomes for every job."""
    matches = suite.plan(settings, Results([], RunLog(settings.output / "none.csv")))
    run_log = RunLog(settings.output / "runs.csv", fresh=True)
    for match in matches:
        for job in match.jobs():
            run_log.add(job, outcome_of(job))
    return suite.report(settings, Results(matches, run_log))


def outcome(percent, *, proved=True, **counters):
    errors = round((100 - percent) * ROWS / 100)
    figures = {"train_rows": ROWS, "test_rows": ROWS, "test_errors": float(errors)} | counters
    status = Status.PROVED if proved else Status.STOPPED
    return Outcome(status, errors=errors, claimed=float(errors), bound=0.0, wall=1.0, counters=figures)


def share_of(shares, job):
    return shares["CGH" if job.contestant.startswith("CGH") else job.contestant]


def test_the_tables_are_complete():
    assert len(CELLS_7) == 14 * 3 * 3
    assert len(CELLS_3) == 6 * 3 * 3
    for depth, cells in zip(DEPTHS, (CELLS_8, CELLS_9, CELLS_10), strict=True):
        assert len(cells) == 14 * 5
        assert {at for _, at, _ in cells} == {depth}
        assert {name for name, _, _ in cells} == set(SETS)
    assert INTEGRAL_4[2][0] == 70


def test_both_papers_agree_except_for_known_differences():
    """BinOCT*, CART and OCT are in both papers: transcribed twice, from two sources."""
    testing = CELLS_8 | CELLS_9 | CELLS_10
    differ = {
        place
        for ours, theirs in ((CELLS_7, CELLS_5), (testing, CELLS_6))
        for place, cell in ours.items()
        if place in theirs and cell.percent != theirs[place].percent
    }
    assert differ == DIFFERENT


def test_cgh_is_never_worse_than_cart_on_the_rows_it_trains_on():
    assert all(CELLS_7[n, d, "CGH"].percent >= CELLS_7[n, d, "CART"].percent for n in SETS for d in DEPTHS)


def test_contestants_get_all_thresholds_of_five_splits(settings):
    matches = SUITES["cgh-table7"].plan(settings, None)
    assert len(matches) == 2 * 5
    assert {match.case.thresholds for match in matches} == {"all"}
    assert {entry.contestant for match in matches for entry in match.entries} == set(CONTESTANTS) <= set(KNOWN)
    assert SUITES["cgh-table8"].plan(settings, None) == matches
    assert SUITES["cgh-table9"].plan(settings, None) == []  # of depth 3
    assert len({SUITES[f"cgh-table{number}"].runs for number in (7, 8, 9, 10)}) == 1


def test_means_compared_with_the_paper(settings):
    shares = {"CART": 76.9, "CGH": 77.0, "exactree": 77.1}
    report = reported(SUITES["cgh-table7"], settings, lambda job: outcome(share_of(shares, job)))
    row = dict(zip(report.sections[0].header, report.sections[0].rows[0], strict=True))
    assert row["set"] == "car"
    assert (row["CART paper"], row["BinOCT* paper"], row["CGH paper"]) == ("76.9", "76.9", "76.9")
    assert (row["CART here"], row["CGH here"], row["exactree here"]) == ("76.9*", "77.0*", "77.1*")
    assert not any("car" in text for text in report.unreached)
    testing = reported(SUITES["cgh-table8"], settings, lambda job: outcome(share_of(shares, job)))
    assert "CART B&D paper" in testing.sections[0].header


def test_falling_short_of_the_paper_is_reported(settings):
    shares = {"CART": 77.1, "CGH": 76.5, "exactree": 78.0}
    report = reported(
        SUITES["cgh-table7"], settings, lambda job: outcome(share_of(shares, job), proved=job.contestant != "exactree")
    )
    assert "car, depth 2: CART 77.1* here, 76.9 in the paper" in report.unreached
    assert "car, depth 2: CGH 76.5* here, 76.9 in the paper" in report.unreached
    assert "iris, depth 2: CGH 76.5* here, 96.8 in the paper, on other splits" in report.unreached
    assert "iris, depth 2: not proved by the search" in report.unreached
    assert not any(text.startswith("iris, depth 2: CART") for text in report.unreached)
    shares |= {"CART": 77.0, "CGH": 76.6}
    near = reported(SUITES["cgh-table7"], settings, lambda job: outcome(share_of(shares, job)))
    assert not any("car" in text for text in near.unreached)


def test_a_proof_over_fewer_questions_is_not_tested_against_others(settings):
    shares = {"CART": 76.0, "CGH": 77.0, "exactree": 78.0}

    def found(job):
        return outcome(share_of(shares, job), proved=job.contestant != "CART")

    assert reported(SUITES["cgh-table7"], settings, found).contradictions == ()
    shares["CGH"] = 79.0
    texts = reported(SUITES["cgh-table7"], settings, found).contradictions
    assert "car/0, depth 2: exactree proves 220 errors, but CGH finds 210" in texts


def test_the_mean_of_cgh_is_over_its_samples(settings):
    shares = dict(zip(SAMPLES, (76.0, 77.0, 78.0, 79.0, 75.0), strict=True))
    report = reported(SUITES["cgh-table7"], settings, lambda job: outcome(shares.get(job.contestant, 77.0)))
    row = dict(zip(report.sections[0].header, report.sections[0].rows[0], strict=True))
    assert (row["CGH here"], row["CGH by sample"]) == ("77.0*", "75.0 to 79.0")
    assert report.sections[0].records[0]["CGH samples"] == len(SAMPLES) == 5
    assert not any("car, depth 2: CGH" in text for text in report.unreached)


def test_samples_differ(settings):
    solvers = [KNOWN[name].make(FitConfig(depth=2, seconds=1.0)).solver for name in SAMPLES]
    assert len({solver.sampling.seed for solver in solvers}) == len(SAMPLES)
    assert solvers[0].sampling == KNOWN[RELAXED].make(FitConfig(depth=2, seconds=1.0)).solver.sampling


def test_integral_relaxations_are_counted(settings):
    def found(job):
        split = int(job.case.name[-1])
        figures = {INTEGRAL: float(split > 1), SOLVED: float(split != 4), RELAXATION: 100.0 - 0.5 * (split == 0)}
        # Of the second set no tree is proved, so the relaxation has nothing to be compared with.
        proved = job.contestant != "CGH" or "iris" not in job.case.name
        return outcome(90.0, proved=proved, **(figures if job.contestant == RELAXED else {}))

    section = reported(SUITES["cgh-table7"], settings, found).sections[-1]
    assert section.rows == (("2", "70/70", "2/4", "3/4"),)


def test_large_sets(settings, tmp_path):
    asked = Settings(tmp_path, tmp_path, repeats=1, depths=(3,), sets=("magic04", large.MADE))
    suite = SUITES["cgh-table3"]
    matches = suite.plan(asked, None)
    assert [match.case.name for match in matches] == ["magic04/0", "made-postures/0"] + [
        f"magic04/{i}" for i in range(1, 5)
    ]
    made = matches[1]
    assert "CART*" not in [entry.contestant for entry in made.entries]
    report = reported(suite, asked, lambda job: outcome(80.0) if job.contestant != "CGH" else Outcome(Status.KILLED))
    table, gains, resources = report.sections
    assert gains.rows == (("magic04", "+1.0", "-", "+0.0 ± 0.0"),)
    row = dict(zip(table.header, table.rows[0], strict=True))
    assert (row["CART* paper"], row["CART* here"], row["CGH paper"], row["CGH here"]) == ("79.2", "80.0*", "80.1", "-")
    assert ("magic04", "CGH", "-", "no", "-", "-") in resources.rows
    assert ("made-postures", "CART", "99.7", "yes", "1.00", "-") in resources.rows
    assert "magic04, depth 3: CGH has no tree" in report.unreached


def test_large_sets_below_the_paper(tmp_path):
    asked = Settings(tmp_path, tmp_path, repeats=1, depths=(3,), sets=("magic04",))
    suite, shares = SUITES["cgh-table3"], {"CART": 80.0, "CART*": 80.0, "CGH": 80.0, "exactree": 80.0}
    behind = reported(suite, asked, lambda job: outcome(share_of(shares, job)))
    comparison = "80.0* here, 80.1 in the paper, on other splits"
    assert behind.unreached == tuple(
        f"magic04, depth 3: {name} {comparison}; over CART +0.0 ± 0.0 and +1.0, less" for name in ("CGH", "CGH filled")
    )
    shares["CGH"] = 80.1
    assert reported(suite, asked, lambda job: outcome(share_of(shares, job))).unreached == ()


def test_a_mean_below_the_papers_with_the_same_gain_over_cart(tmp_path):
    """On splits where CART is below the paper's CART, CGH is too: that is no shortfall of CGH."""
    asked = Settings(tmp_path, tmp_path, repeats=1, depths=(3,), sets=("magic04",))
    shares = {"CART": 78.0, "CART*": 78.0, "CGH": 79.0, "exactree": 80.0}
    report = reported(SUITES["cgh-table3"], asked, lambda job: outcome(share_of(shares, job)))
    expected = (
        "magic04, depth 3: CGH 79.0* here, 80.1 in the paper, on other splits; over CART +1.0 ± 0.0 and +1.0, no less"
    )
    assert expected in report.unreached


def test_gains_have_a_standard_error(tmp_path):
    asked = Settings(tmp_path, tmp_path, repeats=1, depths=(3,), sets=("magic04",), seeds=tuple(range(10)))
    suite = SUITES["cgh-table3"]
    assert [match.case.split for match in suite.plan(asked, None)] == list(range(10))

    def found(job, spread):
        up = spread if job.case.split % 2 else -spread
        return outcome(78.0 if job.contestant == "CART" else 78.5 + up)

    wide = reported(suite, asked, lambda job: found(job, 1.0))
    assert wide.unreached[0].endswith("over CART +0.5 ± 0.3 and +1.0, no less")  # a split may have -0.5 or +1.5
    assert wide.sections[1].rows == (("magic04", "+1.0", "+0.5 ± 0.3", "+0.5 ± 0.3"),)
    assert wide.sections[1].records[0]["CGH splits"] == 10
    narrow = reported(suite, asked, lambda job: found(job, 0.1))
    assert narrow.unreached[0].endswith("over CART +0.5 ± 0.0 and +1.0, less")


def test_synthetic_hand_postures(tmp_path):
    X, y = Case("postures", synthetic.POSTURES, rows=500, columns=33).load(tmp_path)
    assert X.shape == (500, 33)
    assert sorted(set(y.tolist())) == [0, 1, 2, 3, 4]
    unseen = (X == 0).mean(axis=0)
    assert unseen[0] < 0.01 < 0.5 < unseen[-1]
    assert np.array_equal(X, synthetic.postures(500, 33)[0])
    assert synthetic.postures(20, 2)[0].shape == (20, 2)


def test_cart_is_tuned_over_eighty_settings():
    assert np.prod([len(values) for values in GRID.values()]) == 80
    fitted = KNOWN["CART*"].make(FitConfig(depth=2, seconds=1.0)).fit(TINY_X, TINY_Y)  # as every worker begins
    assert fitted.best_estimator_.get_depth() <= 2
    assert set(fitted.best_params_) == set(GRID)
    assert not KNOWN["CART*"].fit_result(fitted).proved


@pytest.mark.parametrize("fractions", [False, True])
@pytest.mark.filterwarnings("ignore::exactree.NotProvedWarning")
def test_proofs_over_a_sample_need_not_cover_all_trees(fractions):
    warm_up(KNOWN["CGH"], FitConfig(depth=3, seconds=60.0), fractions=fractions)
    liar = replace(KNOWN["CART"], fit_result=lambda estimator: FitResult(proved=True))
    with pytest.raises(NotAvailable, match=r"misclassifies .* and claims a proof"):
        warm_up(liar, FitConfig(depth=3, seconds=60.0), fractions=True)
