"""Table 2 of ODD: test accuracy with a minimum share of rows at every node."""

from dataclasses import replace
from typing import ClassVar

import numpy as np

from exactree_bench.published.odd import LEAST_SHARES, TABLE_2
from exactree_bench.runner.job import Match
from exactree_bench.runner.results import Results
from exactree_bench.suites.interface import Report, Section, Settings, common_notes
from exactree_bench.suites.odd.accuracy import chosen
from exactree_bench.suites.odd.plan import Run, disagreements, failures, grid, matches, runs
from exactree_bench.suites.odd.table1 import OddTable1

SHARES = (0.0, *LEAST_SHARES)  # the first is no limit, the fits of Table 1


class OddTable2(OddTable1):
    """Accuracy of diagrams with a minimum share of rows at every node."""

    name: ClassVar[str] = "odd-table2"
    about: ClassVar[str] = "stable diagrams: at least 5 to 20 % of the rows at every node, test accuracy"

    def plan(self, settings: Settings, results: Results) -> list[Match]:
        """Return one match per seed, share, skeleton, penalty and set."""
        return matches(settings, grid(settings, SHARES, trees=False))

    def report(self, settings: Settings, results: Results) -> Report:
        """Compare the means with the paper's."""
        layers = grid(settings, SHARES, trees=False)
        found = runs(settings, results, layers)
        kinds = [kind for kind in TABLE_2 if any(run.layers.multivariate == (kind == "multivariate") for run in found)]
        return Report(
            sections=tuple(section for kind in kinds for section in _sections(found, kind)),
            contradictions=(*disagreements(found), *_cheaper_with_limit(found)),
            unreached=tuple(failures(settings, results, layers)),
            notes=(
                *common_notes(replace(settings, repeats=1), results),
                "Mean accuracy on the test rows, in percent, over the sets and seeds that have a diagram for every "
                "share; skeleton and penalty are selected on the validation rows for each share. The paper's means "
                "are over 18 sets that it does not name.",
            ),
        )


def _sections(found: list[Run], kind: str) -> list[Section]:
    """Return a table of means, and one by set."""
    best: dict[tuple[str, int], dict[float, Run]] = {}
    for run in found:
        if run.layers.multivariate == (kind == "multivariate"):
            best.setdefault((run.name, run.seed), {})
    for split, by_share in best.items():
        for share in SHARES:
            here = [
                run
                for run in found
                if (run.name, run.seed) == split
                and run.layers.least == share
                and run.layers.multivariate == (kind == "multivariate")
            ]
            if here:
                by_share[share] = chosen(here)
    complete = {split: by_share for split, by_share in best.items() if len(by_share) == len(SHARES)}
    header = ("rows at every node", "splits", "test accuracy", "paper", "nodes")
    rows, records = [], []
    for share in SHARES:
        some = [by_share[share] for by_share in complete.values()]
        mean = float(np.mean([run.accuracy("test") for run in some])) if some else None
        nodes = float(np.mean([run.nodes for run in some])) if some else None
        printed = TABLE_2[kind].get(share)
        cells = ["-" if value is None else f"{100 * value:.1f}" for value in (mean, printed)]
        share_text = "no limit" if share == 0 else f"{share:.0%}"
        rows.append((share_text, str(len(some)), *cells, "-" if nodes is None else f"{nodes:.1f}"))
        records.append({"split": kind, "share": share, "splits": len(some), "test": mean, "paper": printed})
    return [Section(f"means-{kind}", f"Means, {kind}", header, tuple(rows), tuple(records)), _by_set(complete, kind)]


def _by_set(complete: dict[tuple[str, int], dict[float, Run]], kind: str) -> Section:
    header = ("set", *("no limit" if share == 0 else f"{share:.0%}" for share in SHARES))
    rows, records = [], []
    for name in dict.fromkeys(name for name, _ in complete):
        means = {
            share: float(np.mean([runs[share].accuracy("test") for (at, _), runs in complete.items() if at == name]))
            for share in SHARES
        }
        rows.append((name, *(f"{100 * mean:.1f}" for mean in means.values())))
        records.append({"set": name, "split": kind, **{f"{share:g}": mean for share, mean in means.items()}})
    return Section(f"sets-{kind}", f"Test accuracy set by set, {kind}", header, tuple(rows), tuple(records))


def _cheaper_with_limit(found: list[Run]) -> list[str]:
    """Report diagrams with a stricter limit that are cheaper than a bound without it."""
    texts = []
    by_kind: dict[tuple[object, ...], list[Run]] = {}
    for run in found:
        kind = (run.name, run.seed, run.layers.skeleton, run.layers.alpha, run.layers.tree, run.layers.multivariate)
        by_kind.setdefault(kind, []).append(run)
    for group in by_kind.values():
        for strict in group:
            for loose in group:
                bound = loose.outcome.counters["bound"]
                if loose.layers.least < strict.layers.least and strict.cost < bound - 1e-6:
                    conflict = f"costs {strict.cost:g}, but {loose.layers.label} has the lower bound {bound:g}"
                    texts.append(f"{strict.name}/{strict.seed} {strict.layers.label}: {conflict}")
    return texts
