"""The suite that leaves parts of the search out, for real on a tiny table."""

import pytest

from exactree.bench.case import Case
from exactree.bench.suites import SUITES, Settings, run_suite
from exactree.bench.suites.search_parts import NAMES
from exactree.solve.search import PARTS


@pytest.fixture
def report(tables, notes, monkeypatch, tmp_path):
    cases = (Case("coins", "coins.csv"),)
    monkeypatch.setattr("exactree.bench.suites.cp4im.CASES", cases)
    settings = Settings(tables, tmp_path / "out", repeats=1, depths=(3,), sets=("coins",))
    return run_suite(SUITES["search-parts"], settings, notes)


def test_every_part_is_left_out_once(report):
    assert ("exactree", *(f"without {part}" for part in PARTS)) == NAMES
    (section,) = report.sections
    assert section.header == ("set", *NAMES)
    assert [row[0] for row in section.rows] == ["coins", "times as long"]
    assert section.rows[-1][1] == "1.00"
    assert all(float(cell) > 0 for row in section.rows for cell in row[1:])
    assert report.contradictions == ()
