"""Fairness: exactree's search and MIPs, STreeD and FairOCT on ten tables, five notions and two depths."""

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from exactree_bench.contestants import fair
from exactree_bench.datasets.case import Case
from exactree_bench.datasets.notions import NOTIONS
from exactree_bench.runner.job import Match
from exactree_bench.runner.results import Results
from exactree_bench.suites.fair import report, tables
from exactree_bench.suites.interface import Report, Settings, Suite, common_notes

DEPTHS = (2, 3)
MIP_DEPTH = 2
MIPS = {
    fair.BINOCT.name: tuple(NOTIONS),
    fair.OCT.name: tuple(NOTIONS),
    fair.CGH.name: tuple(NOTIONS),
    fair.FAIR_OCT.name: tuple(fair.ODTLEARN_CLASSES),
}


class Fair(Suite):
    """Errors under a limit on unfairness."""

    name: ClassVar[str] = "fair"
    about: ClassVar[str] = "trees under five notions of fairness: exact search, MIPs, STreeD and FairOCT"
    seconds: ClassVar[float] = 60.0

    def plan(self, settings: Settings, results: Results) -> list[Match]:
        """Return one match per depth, table and notion. MIPs take part where the user chose, or in the smallest."""
        return [
            replace(once.match(case, depth, entries, notion), notion=notion)
            for once in (replace(settings, repeats=1),)
            for depth, case, notion in problems(settings)
            if (entries := _entries(settings, depth, case, notion))
        ]

    def report(self, settings: Settings, results: Results) -> Report:
        """One table per depth and notion, and a summary."""
        found = [report.Problem.of(results, case.name, depth, notion) for depth, case, notion in problems(settings)]
        return Report(
            sections=(*report.sections(found), report.summary(found)),
            contradictions=tuple(text for problem in found for text in problem.contradictions()),
            unreached=tuple(text for problem in found for text in problem.unreached()),
            notes=(
                *common_notes(replace(settings, repeats=1), results),
                "Two thirds of the rows to train, the rest to test. Everybody gets the same binary questions: numbers "
                "at up to 8 quantiles of the table, categories level by level. Violation in percent: the difference of "
                "the groups' rates, at most 5; for four fifths what is missing of the ratio to 100, at most 20.",
                tables.GROUPS,
                f"{fair.CGH.name}: proved over the questions that it samples, not over all.",
            ),
        )


def problems(settings: Settings) -> Iterator[tuple[int, Case, str]]:
    """Yield depth, table and notion, shallow trees first."""
    for depth in settings.depths or DEPTHS:
        for case in settings.chosen(tables.CASES):
            for notion in NOTIONS:
                yield depth, case, notion


def _entries(settings: Settings, depth: int, case: Case, notion: str) -> list[tuple[str, int]]:
    names = [fair.SEARCH.name]
    if notion in fair.STREED_TASKS:
        names.append(fair.STREED.name)
    if (settings.sets or case.name in tables.SMALL) and (settings.depths or depth == MIP_DEPTH):
        names += [name for name, notions in MIPS.items() if notion in notions]
    return [(name, 1) for name in names if settings.contestants is None or name in settings.contestants]
