"""The part of the scaling suite on large tables: what is found and proved in the time limit, and at what expense."""

from exactree_bench import formatting
from exactree_bench.contestants.cart import CART
from exactree_bench.contestants.search import SEARCH
from exactree_bench.datasets import synthetic
from exactree_bench.datasets.case import Case
from exactree_bench.runner.job import Match
from exactree_bench.runner.outcome import Outcome
from exactree_bench.runner.results import Results
from exactree_bench.suites.interface import Section, Settings

PART = "large"
NAME = "large tables"  # by which --sets selects them
SIZES = (100_000, 1_000_000, 5_000_000)
COLUMNS = 10
DEPTHS = (2, 3)
CONTESTANTS = (SEARCH.name, CART.name)


def cases() -> list[Case]:
    """Return the tables, smallest first."""
    return [Case(f"smooth {size:,} rows", synthetic.SMOOTH, rows=size, columns=COLUMNS) for size in SIZES]


def matches(settings: Settings) -> list[Match]:
    """Return one match per table and depth, each run once."""
    return [
        settings.match(case, depth, [(name, 1) for name in CONTESTANTS], part=PART)
        for depth in settings.depths or DEPTHS
        for case in cases()
    ]


def section(settings: Settings, results: Results) -> Section:
    """Give errors, bound, time and memory of each."""
    header = ("rows", "depth", "contestant", "errors", "bound", "gap", "CPU s", "wall s", "bytes per cell")
    rows, records = [], []
    for depth in settings.depths or DEPTHS:
        for size, case in zip(SIZES, cases(), strict=True):
            for name in CONTESTANTS:
                run = results.get(case.name, depth, name, part=PART)
                if run is None:
                    continue
                per_cell = None if run.memory is None else run.memory / (size * COLUMNS)
                gap = _gap(run)
                rows.append(
                    (
                        f"{size:,}",
                        str(depth),
                        name,
                        formatting.errors(run),
                        "" if run.bound is None else f"{run.bound:g}",
                        "" if gap is None else f"{gap:.1%}",
                        formatting.time_taken(run),
                        "" if run.wall is None else f"{run.wall:.1f}",
                        "" if per_cell is None else f"{per_cell:.0f}",
                    )
                )
                records.append(
                    {"rows": size, "depth": depth, "contestant": name, "errors": run.errors, "bound": run.bound}
                    | {"gap": gap, "cpu_seconds": run.cpu, "wall_seconds": run.wall, "bytes_per_cell": per_cell}
                )
    return Section("large", f"Large tables, {COLUMNS} columns, one thread", header, tuple(rows), tuple(records))


def _gap(run: Outcome) -> float | None:
    """Share of the errors that a better tree might still save."""
    if run.bound is None or run.errors is None:
        return None
    return 0.0 if run.errors == 0 else max(0.0, 1 - run.bound / run.errors)
