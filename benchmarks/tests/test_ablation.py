"""The ablation of the search, on tiny tables."""

from dataclasses import replace

import pytest
from exactree_bench.datasets.case import Case
from exactree_bench.suites import SUITES, Settings, run_suite
from exactree_bench.suites.ablation import ENGINES

from exactree.solve.search.trees import PARTS


@pytest.fixture
def report(tables, progress, monkeypatch, tmp_path, in_process):
    files = {"bits": "coins.csv", "sparse bits": "generated words", "ranks": "generated"}
    small = [replace(engine, cases=(Case(engine.name, files[engine.name], rows=40),)) for engine in ENGINES]
    monkeypatch.setattr("exactree_bench.suites.ablation.ENGINES", small)
    return run_suite(SUITES["search-parts"], Settings(tables, tmp_path / "out", repeats=1, depths=(3,)), progress)


def test_every_technique_is_left_out_once(report):
    assert {part for engine in ENGINES for part in engine.parts} == set(PARTS)
    for engine, section in zip(ENGINES, report.sections, strict=True):
        assert section.header == ("set", "exactree", *(f"without {part}" for part in engine.parts))
        assert [row[0] for row in section.rows] == [engine.name, "slow-down"]
        assert section.rows[-1][1] == "1.00"
        assert all(float(cell) > 0 for row in section.rows for cell in row[1:])
    assert report.contradictions == ()
