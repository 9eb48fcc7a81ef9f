"""Time and memory against rows and columns: subsets of large tables, and synthetic tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from exactree_bench import formatting
from exactree_bench.contestants.search import SEARCH
from exactree_bench.datasets import synthetic
from exactree_bench.datasets.case import Case
from exactree_bench.plots import growth
from exactree_bench.runner.job import Match
from exactree_bench.runner.outcome import Outcome
from exactree_bench.runner.results import Results
from exactree_bench.suites import large_tables
from exactree_bench.suites.interface import Report, Section, Settings, Suite, common_notes

OURS = SEARCH.name
DEPTHS = (2, 3)
ROWS, COLUMNS = "rows", "columns"  # the growing dimension
WIDTHS = (5, 10, 20, 40)
ROWS_OF_WIDTHS = 10_000
# Below, most of the time is Python around the search.
LEAST_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Family:
    """Cases that differ in size only, smallest first."""

    name: str
    grows: str
    sizes: tuple[int, ...]
    cases: tuple[Case, ...]


def by_rows(name: str, file: str, sizes: tuple[int, ...]) -> Family:
    """Return subsets of one table, by number of rows."""
    return Family(name, ROWS, sizes, tuple(Case(f"{name} {size} rows", file, rows=size) for size in sizes))


FAMILIES = (
    by_rows("generated", synthetic.NAME, (1_000, 10_000, 100_000, 1_000_000)),
    by_rows("magic04", "large/magic04.csv.gz", (1_000, 4_000, 19_020)),
    by_rows("shuttle", "large/shuttle-train.csv.gz", (1_000, 10_000, 43_500)),
    by_rows("skin", "continuous/skin.csv.gz", (1_000, 10_000, 100_000, 245_057)),
    by_rows("default-credit", "large/default-credit.csv.gz", (1_000, 10_000, 30_000)),
    Family(
        "generated, wider",
        COLUMNS,
        WIDTHS,
        tuple(Case(f"generated {n} columns", synthetic.NAME, rows=ROWS_OF_WIDTHS, columns=n) for n in WIDTHS),
    ),
)


class Scaling(Suite):
    """Time and memory against size."""

    name: ClassVar[str] = "scaling"
    about: ClassVar[str] = (
        "exactree on 1,000 to 1,000,000 rows and 5 to 40 columns at depths 2 and 3; time and memory, with a figure; "
        "and up to 5,000,000 rows beside CART, with errors and bound"
    )

    def plan(self, settings: Settings, results: Results) -> list[Match]:
        """Return one match per case and depth; a family ends with the first case that is not proved in time."""
        growing = [
            settings.match(case, depth, [(OURS, 1)])
            for depth in settings.depths or DEPTHS
            for family in chosen(settings)
            for case in within_reach(family, depth, results)
        ]
        return growing + (large_tables.matches(settings) if with_large_tables(settings) else [])

    def report(self, settings: Settings, results: Results) -> Report:
        """Give times, memory and the exponents of growth, and draw them."""
        depths = settings.depths or DEPTHS
        families = chosen(settings)
        panels = [
            growth.Panel(depth, grows, _curves(results, [f for f in families if f.grows == grows], depth))
            for depth in depths
            for grows in (ROWS, COLUMNS)
        ]
        drawn = growth.draw(panels, settings.output / self.name)
        return Report(
            sections=(
                *(_section(results, families, depth) for depth in depths),
                *([large_tables.section(settings, results)] if with_large_tables(settings) else []),
            ),
            notes=common_notes(settings, results),
            figures=tuple(drawn),
        )


def chosen(settings: Settings) -> list[Family]:
    """Return the selected families."""
    return [family for family in FAMILIES if family.name in _selected(settings)]


def with_large_tables(settings: Settings) -> bool:
    """Whether the tables of up to 5,000,000 rows are selected."""
    return large_tables.NAME in _selected(settings)


def _selected(settings: Settings) -> list[str]:
    heads = [Case(family.name, family.cases[0].file) for family in FAMILIES]
    return [case.name for case in settings.chosen([*heads, Case(large_tables.NAME, synthetic.SMOOTH)])]


def within_reach(family: Family, depth: int, results: Results) -> list[Case]:
    """Return the cases up to the first that is not proved: the next to run, or the last."""
    cases = []
    for case in family.cases:
        cases.append(case)
        found = results.get(case.name, depth, OURS)
        if found is None or not found.proved:
            break
    return cases


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float | None:
    """Return the exponent of the size with which time grows, by least squares on logarithms.

    Examples
    --------
    >>> exponent([10, 100, 1000], [0.05, 0.5, 5.0])
    1.0
    >>> exponent([10, 100], [0.001, 0.5]) is None
    True
    """
    pairs = [(size, time) for size, time in zip(sizes, times, strict=True) if time >= LEAST_SECONDS]
    if len(pairs) < 2:
        return None
    x, y = np.log(np.array(pairs)).T
    return round(float(np.polyfit(x, y, 1)[0]), 6)


def _proofs(results: Results, family: Family, depth: int) -> list[tuple[int, Outcome]]:
    found = [(size, results.get(case.name, depth, OURS)) for size, case in zip(family.sizes, family.cases, strict=True)]
    return [(size, run) for size, run in found if run is not None and run.proved]


def _curves(results: Results, families: Sequence[Family], depth: int) -> dict[str, growth.Curve]:
    return {
        family.name: growth.Curve(
            [size for size, _ in proofs], [run.cpu or 0.0 for _, run in proofs], [run.memory or 0 for _, run in proofs]
        )
        for family in families
        if (proofs := _proofs(results, family, depth))
    }


def _section(results: Results, families: Sequence[Family], depth: int) -> Section:
    header = ("set", "grows", "size", "errors", "CPU s", "memory MB", "exponent")
    rows, records = [], []
    for family in families:
        proofs = _proofs(results, family, depth)
        power = exponent([size for size, _ in proofs], [run.cpu or 0.0 for _, run in proofs])
        for size, case in zip(family.sizes, family.cases, strict=True):
            run = results.get(case.name, depth, OURS)
            if run is None:
                continue
            last = case is family.cases[-1] or not run.proved
            shown = "" if not last else "-" if power is None else f"{power:.2f}"
            measured = (formatting.errors(run), formatting.time_taken(run), formatting.megabytes(run.memory))
            rows.append((family.name, family.grows, f"{size:,}", *measured, shown))
            records.append(
                {"set": family.name, "depth": depth, "grows": family.grows, "size": size, "errors": run.errors}
                | {"proved": run.proved, "cpu_seconds": run.cpu, "memory_bytes": run.memory, "exponent": power}
            )
    title = f"Depth {depth}, one thread; exponent of the time, over the sizes that take {LEAST_SECONDS:g} s or more"
    return Section(f"depth-{depth}", title, header, tuple(rows), tuple(records))
