"""Table 2 and Figure 4 of DL8.5: the 24 CP4IM sets, compared at depth 4, and a cactus plot of depths 2, 3 and 4."""

from dataclasses import replace
from typing import ClassVar

from exactree_bench.datasets import cp4im
from exactree_bench.plots import cactus
from exactree_bench.published.dl85 import TABLE_2_ROWS
from exactree_bench.runner.job import Match
from exactree_bench.runner.results import Results
from exactree_bench.suites.dl85.comparison import CONTESTANTS, PaperTable
from exactree_bench.suites.interface import Report, Settings, Suite

TABLE = PaperTable(cp4im.CASES, TABLE_2_ROWS, depth=4)
DEPTHS = (2, 3, 4)  # of Figure 4


class Dl85Table2(Suite):
    """DL8, DL8.5 in four variants and exactree on binary tables."""

    name: ClassVar[str] = "dl85-table2"
    about: ClassVar[str] = "DL8, DL8.5 and exactree on the 24 CP4IM sets, compared with the DL8.5 paper; cactus plot"

    def plan(self, settings: Settings, results: Results) -> list[Match]:
        """Return one match per set and depth."""
        return TABLE.plan(settings, settings.depths or DEPTHS)

    def report(self, settings: Settings, results: Results) -> Report:
        """Compare with the paper, and draw."""
        depths = settings.depths or DEPTHS
        report = TABLE.report(settings, results, depths)
        figures = cactus.draw(
            {depth: cactus.curves(results, CONTESTANTS, depth) for depth in depths},
            settings.output / f"{self.name}-cactus",
            n_cases=len(settings.chosen(TABLE.cases)),
            limit=settings.seconds,
        )
        return replace(report, figures=tuple(figures))
