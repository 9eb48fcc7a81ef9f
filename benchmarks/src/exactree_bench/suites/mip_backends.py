"""Ten MIPs of trees on every MIP solver: seconds, errors and bounds; and the time to build a MIP."""

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
class Instance:
    """One MIP: a formulation, a table and a depth."""

    formulation: str
    case: Case
    depth: int

    @property
    def name(self) -> str:
        """Name as the report shows it."""
        return f"{self.formulation} {self.case.name} {self.depth}"


def _table(name: str, file: str, encoding: Encoding = Encoding.AS_IS) -> Case:
    return Case(name, f"{file}.csv.gz", None, encoding, THRESHOLDS)


IRIS, WINE = _table("iris", "uci/iris"), _table("wine", "uci/wine")
MONKS1, MONKS2 = _table("monks1", "uci/monks1-train"), _table("monks2", "uci/monks2-train")
BALANCE = _table("balance-scale", "uci/balance-scale")
TOE = _table("tic-tac-toe", "splits/tic-tac-toe/train0")
INSTANCES = (
    Instance("BinOCT*", IRIS, 2),
    Instance("BinOCT*", MONKS1, 2),
    Instance("BinOCT*", BALANCE, 2),
    Instance("BinOCT*", WINE, 2),
    Instance("BinOCT*", TOE, 2),
    Instance("BinOCT*", IRIS, 3),
    Instance("OCT", MONKS1, 2),
    Instance("OCT", IRIS, 2),
    Instance("FlowOCT", MONKS2, 2),
    Instance("FlowOCT", TOE, 2),
)
COEFFICIENTS = 1_000_000
TIMES = 5


class MipBackends(Suite):
    """HiGHS, CP-SAT and SCIP side by side."""

    name: ClassVar[str] = "mip-backends"
    about: ClassVar[str] = "ten BinOCT, OCT and FlowOCT instances on HiGHS, CP-SAT and SCIP"

    def plan(self, settings: Settings, results: Results) -> list[Match]:
        """Return one match per instance, MIP solvers in turn."""
        return [self._match(settings, instance) for instance in self._chosen(settings)]

    def _match(self, settings: Settings, instance: Instance) -> Match:
        entries = [(f"{instance.formulation} {backend}", 1) for backend in BACKENDS]
        return settings.match(instance.case, instance.depth, entries, part=instance.formulation)

    def _chosen(self, settings: Settings) -> list[Instance]:
        cases = settings.chosen(list(dict.fromkeys(instance.case for instance in INSTANCES)))
        depths = settings.depths or (2, 3)
        return [instance for instance in INSTANCES if instance.case in cases and instance.depth in depths]

    def report(self, settings: Settings, results: Results) -> Report:
        """Report errors, bounds and seconds of the MIP solvers side by side."""
        header = ("formulation", *(f"{backend} {what}" for backend in BACKENDS for what in ("errors", "bound", "s")))
        rows, records = [], []
        for instance in self._chosen(settings):
            cells: list[str] = []
            record: dict[str, object] = {
                "formulation": instance.formulation,
                "set": instance.case.name,
                "depth": instance.depth,
            }
            for backend in BACKENDS:
                found = results.get(
                    instance.case.name, instance.depth, f"{instance.formulation} {backend}", part=instance.formulation
                )
                bound = None if found is None else found.bound
                wall = None if found is None else found.wall
                cells += [formatting.errors(found), "-" if bound is None else f"{bound:g}", formatting.seconds(wall)]
                record |= {
                    f"{backend} errors": None if found is None else found.errors,
                    f"{backend} bound": bound,
                    f"{backend} proved": found is not None and found.proved,
                    f"{backend} seconds": wall,
                }
            rows.append((instance.name, *cells))
            records.append(record)
        title = "Errors (* proved), lower bound and wall seconds"
        return Report(
            sections=(Section("instances", title, header, tuple(rows), tuple(records)),),
            contradictions=tuple(contradictions(results)),
            notes=(
                f"One thread, {settings.seconds:g} s each, all with CART's tree as warm start.",
                f"Building a MIP with a million coefficients takes {build_seconds():.2f} s (median of {TIMES}).",
            ),
        )


def build_seconds() -> float:
    """Return the median seconds to build a MIP with a million coefficients, from arrays."""
    seconds = []
    for _ in range(TIMES):
        start = time.perf_counter()
        mip = Mip()
        reach = mip.columns("reach", (1000, COEFFICIENTS // 2000), kind=Kind.IMPLIED, high=1)
        mip.family("rows", [(1.0, reach)], at_most=1)
        mip.family("columns", [(2.0, reach.T)], at_least=0)
        mip.program()
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds))
