"""The scaling suite, on small tables."""

import pytest
from exactree_bench.datasets.case import Case
from exactree_bench.suites import SUITES, Settings, run_suite
from exactree_bench.suites.scaling import COLUMNS, Family, by_rows


@pytest.fixture
def families(monkeypatch):
    found = (
        by_rows("coins", "coins.csv", (10, 40)),
        by_rows("made", "generated", (50, 100)),
        Family("wider", COLUMNS, (3, 5), tuple(Case(f"{n} wide", "generated", rows=60, columns=n) for n in (3, 5))),
    )
    monkeypatch.setattr("exactree_bench.suites.scaling.FAMILIES", found)
    monkeypatch.setattr("exactree_bench.suites.large_tables.SIZES", (60, 120))
    return found


def test_every_size_is_run_and_drawn(families, tables, progress, tmp_path, in_process):
    report = run_suite(SUITES["scaling"], Settings(tables, tmp_path / "out", repeats=1, depths=(2,)), progress)
    section, large = report.sections
    assert [(row["rows"], row["contestant"]) for row in large.records] == [
        (size, name) for size in (60, 120) for name in ("exactree", "CART")
    ]
    for ours, cart in zip(large.records[::2], large.records[1::2], strict=True):
        assert (ours["gap"], cart["gap"]) == (0, None)
        assert ours["errors"] <= cart["errors"]
    assert [(row[0], row[2]) for row in section.rows] == [
        (family.name, str(size)) for family in families for size in family.sizes
    ]
    assert all(record["proved"] and record["memory_bytes"] >= 0 for record in section.records)
    assert [path.suffix for path in report.figures] == [".svg", ".png"]
    assert all(path.stat().st_size > 0 for path in report.figures)


def test_a_family_ends_at_the_time_limit(families, tables, progress, tmp_path, in_process):
    settings = Settings(tables, tmp_path / "out", seconds=1e-9, repeats=1, depths=(4,), sets=("made",))
    (section,) = run_suite(SUITES["scaling"], settings, progress).sections
    assert [row[2:5] for row in section.rows] == [("50", section.rows[0][3], "TO")]


def test_subsets_of_a_table(tables):
    X, y = Case("part", "coins.csv", rows=7, columns=2).load(tables)
    again, _ = Case("part", "coins.csv", rows=9, columns=2).load(tables)
    assert X.shape == (7, 2)
    assert y.shape == (7,)
    assert (again[:7] == X).all()
