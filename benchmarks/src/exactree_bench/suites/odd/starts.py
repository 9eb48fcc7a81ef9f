"""Heuristic of ODD (step 1): diagrams built and improved by local search per second."""

from dataclasses import replace
from typing import ClassVar

from exactree.problem import SKELETONS
from exactree_bench import formatting
from exactree_bench.contestants.diagrams import STARTS
from exactree_bench.datasets import synthetic
from exactree_bench.datasets.case import Case
from exactree_bench.runner.job import Layers, Match
from exactree_bench.runner.results import Results
from exactree_bench.suites.interface import Report, Section, Settings, Suite, common_notes

ROWS, COLUMNS, ALPHA = 5_000, 60, 0.1
TARGET = 200.0  # target: diagrams per second of one core, local search and reading the table included
CASES = tuple(
    Case(name, file, rows=ROWS, columns=COLUMNS)
    for name, file in (
        ("numbers without ties", synthetic.NAME),
        ("0/1 columns", synthetic.WORDS),
        ("numbers, five classes", synthetic.POSTURES),
    )
)
KINDS = tuple((len(widths), Layers(skeleton, ALPHA)) for skeleton, widths in SKELETONS.items())


class OddStarts(Suite):
    """Speed of the diagram heuristic on tables of 5,000 rows and 60 columns."""

    name: ClassVar[str] = "odd-starts"
    about: ClassVar[str] = "diagrams that the heuristic builds and improves per second, 5,000 rows x 60 columns"

    def plan(self, settings: Settings, results: Results) -> list[Match]:
        """Return one match per table and skeleton."""
        return [
            replace(settings.match(case, depth, [(STARTS.name, 1)], layers.label), layers=layers)
            for case in settings.chosen(CASES)
            for depth, layers in KINDS
        ]

    def report(self, settings: Settings, results: Results) -> Report:
        """One line per table and skeleton."""
        header = ("table", "skeleton", "diagrams", "CPU s", "diagrams per CPU s")
        rows, records, slow = [], [], []
        for case in settings.chosen(CASES):
            for depth, layers in KINDS:
                found = results.get(case.name, depth, STARTS.name, part=layers.label)
                if found is None or not found.cpu or "starts" not in found.counters:
                    continue
                starts = found.counters["starts"]
                rate = starts / found.cpu
                rows.append((case.name, layers.skeleton, f"{starts:.0f}", formatting.seconds(found.cpu), f"{rate:.0f}"))
                records.append({"table": case.name, "skeleton": layers.skeleton, "starts": starts, "cpu": found.cpu})
                if rate < TARGET:
                    slow.append(f"{case.name}, skeleton {layers.skeleton}: {rate:.0f} diagrams per second")
        title = f"Diagrams built and improved by local search, {ROWS:,} rows x {COLUMNS} columns"
        return Report(
            sections=(Section("rates", title, header, tuple(rows), tuple(records)),),
            unreached=tuple(slow),
            notes=(
                *common_notes(settings, results),
                "Includes the whole fit: reading and ranking the table, 1,000 diagrams with local search, and scoring "
                f"the best of them. The target is {TARGET:.0f} per second.",
            ),
        )
