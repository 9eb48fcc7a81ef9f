"""The DL8.5 paper's tables: transcription, cases that reproduce them, and the comparison."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest
from exactree_bench.datasets import cp4im
from exactree_bench.published import dl85
from exactree_bench.published.optima import KNOWN
from exactree_bench.runner.outcome import Outcome, Status
from exactree_bench.runner.results import Results
from exactree_bench.runner.run_log import RunLog
from exactree_bench.suites import Settings
from exactree_bench.suites.dl85 import table2, table3

from exactree.encode import encode
from exactree.table import Table

DATA = os.environ.get("EXACTREE_DATA")
needs_data = pytest.mark.skipif(DATA is None, reason="set EXACTREE_DATA to the folder of benchmark tables")


def paper_check(table):
    with (Path(DATA) / "PAPER_CHECK.csv").open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["paper"].startswith("DL8.5") and row["table"] == table]
    return {row["paper_name"]: row for row in rows}


def test_the_tables_are_complete():
    assert (len(dl85.TABLE_2_ROWS), len(dl85.TABLE_3_ROWS)) == (24, 18)
    solved = [cell for row in dl85.TABLE_2_ROWS.values() if (cell := row["DL8.5 d.o."]).proved]
    assert len(solved) == 19, "the paper counts 19"
    assert sum(row["DL8.5 n.p.s."].proved for row in dl85.TABLE_2_ROWS.values()) == 12, "the paper counts 12"
    assert all(
        cell.proved == (cell.seconds is not None)
        for table in (dl85.TABLE_2_ROWS, dl85.TABLE_3_ROWS)
        for row in table.values()
        for cell in row.values()
    )


def test_known_optima_do_not_exceed_what_the_paper_found():
    assert all(best <= dl85.best(dl85.TABLE_2_ROWS[name])[0] for name, best in KNOWN[4].items())
    assert set(KNOWN[5]) <= set(dl85.TABLE_2_ROWS)


@needs_data
def test_the_cells_are_those_of_the_check():
    for name, row in paper_check("2").items():
        errors, proved = dl85.best(dl85.TABLE_2_ROWS[name])
        assert (errors, proved) == (int(row["paper_best_error_depth4"]), row["paper_depth4_proven"] == "yes"), name
    for name, row in paper_check("3").items():
        assert dl85.best(dl85.TABLE_3_ROWS[name])[0] == int(row["paper_best_error_depth2"]), name


@needs_data
def test_the_cases_are_those_of_the_check():
    checked = paper_check("2") | {f"3 {name}": row for name, row in paper_check("3").items()}
    cases = {case.name: case for case in cp4im.CASES} | {f"3 {case.name}": case for case in table3.CASES}
    assert {name: case.file for name, case in cases.items()} == {
        name: f"{row['file']}.csv.gz" for name, row in checked.items()
    }


@needs_data
@pytest.mark.parametrize("case", table3.CASES, ids=lambda case: case.name)
def test_a_case_has_the_rows_columns_and_thresholds_of_the_check(case):
    row = paper_check("3")[case.name]
    X, y = case.load(Path(DATA))
    assert X.shape == (int(row["our_rows"]), int(row["our_features"]))
    assert X.dtype in (np.int32, np.float64)
    assert set(y.tolist()) == {0, 1}
    encoded = encode(Table.of(X), y, thresholds=case.thresholds)
    assert 2 * encoded.n_questions == int(row["our_n_items"])


@pytest.fixture
def vote(tmp_path):
    """A report on one set, with given outcomes."""

    def make(depths=(4,), sets=("vote",), **outcomes):
        settings = Settings(tmp_path, tmp_path, depths=depths, sets=sets)
        suite, run_log = table2.Dl85Table2(), RunLog(tmp_path / "runs.csv", fresh=True)
        matches = suite.plan(settings, Results([], run_log))
        for match in matches:
            for job in match.jobs():
                found = outcomes.get(job.contestant, Outcome(Status.PROVED, errors=5, cpu=0.5, wall=0.5))
                run_log.add(job, found)
        return suite.report(settings, Results(matches, run_log))

    return make


def test_the_comparison_with_the_paper(vote):
    report = vote(DL8=Outcome(Status.MISSING, reason="not built"))
    section = report.sections[0]
    row = dict(zip(section.header, section.rows[0], strict=True))
    assert (row["DL8 paper"], row["DL8 here"]) == ("5* 29.84", "- n/a")
    assert (row["DL8.5 desc paper"], row["DL8.5 desc here"]) == ("5* 5.58", "5* 0.500")
    assert row["exactree"] == "5* 0.500"
    assert (report.contradictions, report.unreached) == ((), ())
    assert report.notes[0].startswith("Objectives proved in the paper, and proved equal by exactree: 1 of 1;")
    assert "DL8: not available, not built." in report.notes
    assert section.records[0]["DL8 paper seconds"] == 29.84
    assert section.records[0]["exactree proved"] is True


def test_a_different_optimum_is_a_contradiction(vote):
    report = vote(exactree=Outcome(Status.PROVED, errors=4, cpu=1.0))
    assert "vote, depth 4: exactree proves 4 errors, but the optimum is known to be 5" in report.contradictions


def test_what_was_not_reproduced_is_reported(vote):
    missed = [
        (Outcome(Status.STOPPED, errors=7), "vote: 7 errors here, 5* in the paper"),
        (Outcome(Status.STOPPED, errors=5), "vote: 5 errors are proved in the paper, not here"),
        (Outcome(Status.KILLED), "vote: no tree here, 5 errors in the paper"),
    ]
    for outcome, text in missed:
        report = vote(exactree=outcome)
        assert (report.unreached, report.contradictions) == ((text,), ())


def test_an_unproved_objective_may_be_improved(vote):
    better = Outcome(Status.PROVED, errors=7, cpu=1.0)
    report = vote(
        sets=("ionosphere",),
        exactree=better,
        **{name: Outcome(Status.STOPPED, errors=11) for name in ("DL8", "DL8.5 d.o.", "DL8.5 asc", "DL8.5 desc")},
        **{"DL8.5 n.p.s.": Outcome(Status.STOPPED)},
    )
    assert (report.contradictions, report.unreached) == ((), ())
    assert report.notes[0].endswith("unproved ones, equal or better here: 1 of 1.")


def test_the_cactus_plot_is_drawn_for_every_depth(vote, tmp_path):
    report = vote(depths=(2, 3, 4), DL8=Outcome(Status.STOPPED, errors=5))
    assert [path.name for path in report.figures] == ["dl85-table2-cactus.svg", "dl85-table2-cactus.png"]
    drawn = report.figures[0].read_text()
    assert report.figures[1].read_bytes().startswith(b"\x89PNG")
    assert [drawn.count(f"<!-- depth {depth} -->") for depth in (2, 3, 4)] == [1, 1, 1]
    assert len(report.sections) == 3
