"""Ten fixed tree programs on every back end: seconds, trees and bounds, and the time to write a program down."""

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from exactree.mip import Kind, Mip
from exactree_bench import formatting
from exactree_bench.contestants.formulations import BACKENDS
from exactree_bench.datasets.case import Case, Encoding
from exactree_bench.runner.checks import contradictions
from exactree_bench.runner.job import Match
from exactree_bench.runner.results import Results
from exactree_bench.suites.interface import Report, Section, Settings, Suite

THRESHOLDS = "class-changes"


@dataclass(frozen=True, slots=True)
class Fixed:
    """One program: a kind of tree program, a table and a depth."""

    program: str
    case: Case
    depth: int

    @property
    def name(self) -> str:
        """Name as the report shows it."""
        return f"{self.program} {self.case.name} {self.depth}"


def _table(name: str, file: str, encoding: Encoding = Encoding.AS_IS) -> Case:
    return Case(name, f"{file}.csv.gz", None, encoding, THRESHOLDS)


IRIS, WINE = _table("iris", "uci/iris"), _table("wine", "uci/wine")
MONKS1, MONKS2 = _table("monks1", "uci/monks1-train"), _table("monks2", "uci/monks2-train")
BALANCE = _table("balance-scale", "uci/balance-scale")
TOE = _table("tic-tac-toe", "splits/tic-tac-toe/train0")
PROGRAMS = (
    Fixed("BinOCT*", IRIS, 2),
    Fixed("BinOCT*", MONKS1, 2),
    Fixed("BinOCT*", BALANCE, 2),
    Fixed("BinOCT*", WINE, 2),
    Fixed("BinOCT*", TOE, 2),
    Fixed("BinOCT*", IRIS, 3),
    Fixed("OCT", MONKS1, 2),
    Fixed("OCT", IRIS, 2),
    Fixed("FlowOCT", MONKS2, 2),
    Fixed("FlowOCT", TOE, 2),
)
ENTRIES = 1_000_000
TIMES = 5


class MipBackends(Suite):
    """HiGHS, CP-SAT and SCIP side by side."""

    name: ClassVar[str] = "mip-backends"
    about: ClassVar[str] = "ten BinOCT, OCT and FlowOCT programs on HiGHS, CP-SAT and SCIP"

    def plan(self, settings: Settings, results: Results) -> list[Match]:
        """Return one match per program, back ends in turn."""
        return [self._match(settings, fixed) for fixed in self._chosen(settings)]

    def _match(self, settings: Settings, fixed: Fixed) -> Match:
        entries = [(f"{fixed.program} {backend}", 1) for backend in BACKENDS]
        return settings.match(fixed.case, fixed.depth, entries, part=fixed.program)

    def _chosen(self, settings: Settings) -> list[Fixed]:
        cases = settings.chosen(list(dict.fromkeys(fixed.case for fixed in PROGRAMS)))
        depths = settings.depths or (2, 3)
        return [fixed for fixed in PROGRAMS if fixed.case in cases and fixed.depth in depths]

    def report(self, settings: Settings, results: Results) -> Report:
        """Set errors, bounds and seconds of the back ends side by side."""
        header = ("program", *(f"{backend} {what}" for backend in BACKENDS for what in ("errors", "bound", "s")))
        rows, records = [], []
        for fixed in self._chosen(settings):
            cells: list[str] = []
            record: dict[str, object] = {"program": fixed.program, "set": fixed.case.name, "depth": fixed.depth}
            for backend in BACKENDS:
                found = results.get(fixed.case.name, fixed.depth, f"{fixed.program} {backend}", part=fixed.program)
                bound = None if found is None else found.bound
                wall = None if found is None else found.wall
                cells += [formatting.errors(found), "-" if bound is None else f"{bound:g}", formatting.seconds(wall)]
                record |= {
                    f"{backend} errors": None if found is None else found.errors,
                    f"{backend} bound": bound,
                    f"{backend} proved": found is not None and found.proved,
                    f"{backend} seconds": wall,
                }
            rows.append((fixed.name, *cells))
            records.append(record)
        title = "Errors (* proved), bound and seconds by the clock"
        return Report(
            sections=(Section("programs", title, header, tuple(rows), tuple(records)),),
            contradictions=tuple(contradictions(results)),
            notes=(
                f"One thread, {settings.seconds:g} s each, all started from CART's tree.",
                f"Writing down a program of a million entries takes {build_seconds():.2f} s (median of {TIMES}).",
            ),
        )


def build_seconds() -> float:
    """Median seconds to write down a program of a million entries, as arrays."""
    taken = []
    for _ in range(TIMES):
        begun = time.perf_counter()
        mip = Mip()
        reach = mip.columns("reach", (1000, ENTRIES // 2000), kind=Kind.IMPLIED, high=1)
        mip.family("rows", [(1.0, reach)], at_most=1)
        mip.family("columns", [(2.0, reach.T)], at_least=0)
        mip.program()
        taken.append(time.perf_counter() - begun)
    return float(np.median(taken))
