"""Trees of any depth with a price of leaves: exactree, FastSmallTree, STreeD and GOSDT."""

from dataclasses import replace
from typing import ClassVar

from exactree_bench.datasets import continuous, cp4im
from exactree_bench.datasets.case import Case
from exactree_bench.runner.job import Match
from exactree_bench.runner.results import Results
from exactree_bench.suites.interface import Report, Settings, Suite, common_notes
from exactree_bench.suites.sparse import tables
from exactree_bench.suites.sparse.costs import DEEPEST, OURS, RIVAL, STREED, Costs, part

PRICES = (0.05, 0.02, 0.01, 0.005)
CUTS = 8  # questions per column of numbers, for solvers that need 0/1 columns
NUMBERS = continuous.APART[:10]  # the smallest of the ConTree paper
BITS = tuple(replace(case, name=f"{case.name.removesuffix('-numbers')}-bits", cuts=CUTS) for case in NUMBERS)
CASES = (*cp4im.CASES, *NUMBERS, *BITS)
GROUPS = {"cp4im": cp4im.CASES, "numbers": NUMBERS, "bits": BITS}  # names for --sets
PEERS = (OURS, RIVAL, STREED, "GOSDT")
ASK_NUMBERS = (OURS, RIVAL)  # of these, those that ask every threshold of a number


class Sparse(Suite):
    """Cost and time to proof of sparse trees."""

    name: ClassVar[str] = "sparse"
    about: ClassVar[str] = (
        "trees of any depth with a price of leaves: exactree, imodels' FastSmallTree, STreeD and GOSDT; cost and proof"
    )
    accepts: ClassVar[tuple[str, ...]] = ("prices",)

    def plan(self, settings: Settings, results: Results) -> list[Match]:
        """Return one match per price and set."""
        return [
            replace(settings.match(case, DEEPEST, [(name, 1) for name in peers(case)], part(price)), price=price)
            for price in settings.prices or PRICES
            for case in settings.chosen(CASES, GROUPS)
        ]

    def report(self, settings: Settings, results: Results) -> Report:
        """Compare costs and times, price by price, and check every proof."""
        cases = [case.name for case in settings.chosen(CASES, GROUPS)]
        costs = Costs(results, cases, settings.prices or PRICES, PEERS)
        return Report(
            sections=(
                *(tables.comparison(costs, price) for price in costs.prices),
                tables.summary(costs),
                tables.totals(costs, settings.seconds),
            ),
            contradictions=tuple(costs.contradictions()),
            unreached=(*costs.unproved(), *costs.dearer()),
            notes=(*notes(settings), *common_notes(settings, results)),
        )


def peers(case: Case) -> tuple[str, ...]:
    """Return the contestants that ask the same questions of a case."""
    return ASK_NUMBERS if case in NUMBERS else PEERS


def notes(settings: Settings) -> list[str]:
    """Say what is compared."""
    return [
        "Cost: errors + price * rows * leaves, recomputed from predictions and leaves. The price is ccp_alpha of "
        "exactree, regularization of FastSmallTree and GOSDT, cost_complexity of STreeD.",
        f"Questions: on 0/1 tables the columns; on numbers every threshold; on '-bits' the same tables with {CUTS} "
        "quantiles per column, for those that need 0/1 columns.",
        f"STreeD searches trees up to depth {DEEPEST}, the others of any depth"
        " unless the table says otherwise. FastSmallTree compiles itself before its first fit on a machine.",
    ]
