"""Table 3 of DL8.5: 18 continuous datasets at depth 2, with BinOCT's thresholds, one class against the rest."""

from typing import ClassVar

from exactree_bench.datasets.case import Case, Encoding
from exactree_bench.published.dl85 import TABLE_3_ROWS
from exactree_bench.runner.job import Match
from exactree_bench.runner.results import Results
from exactree_bench.suites.dl85.comparison import PaperTable
from exactree_bench.suites.interface import Report, Settings, Suite

THRESHOLDS = "class-changes"


def _case(name: str, file: str, positive: str | None = None, encoding: Encoding = Encoding.AS_IS) -> Case:
    return Case(name, f"{file}.csv.gz", positive, encoding, THRESHOLDS)


# Class and encoding reproduce the paper's numbers of items and its optima.
CASES = (
    _case("balance-scale", "uci/balance-scale", "1"),
    _case("banknote", "uci/banknote-authentication"),
    _case("bank", "uci/bank-marketing-10pct", encoding=Encoding.ONE_HOT),
    _case("biodeg", "uci/qsar-biodegradation"),
    _case("car", "uci/car-evaluation", "3", Encoding.ORDINAL),
    _case("IndiansDiabetes", "uci/pima-indians-diabetes"),
    _case("Ionosphere", "uci/ionosphere"),
    _case("iris", "uci/iris", "1"),
    _case("letter", "large/letter-recognition", "U"),
    _case("messidor", "uci/messidor"),
    _case("monk1", "uci/monks1-train"),
    _case("monk2", "uci/monks2-train"),
    _case("monk3", "uci/monks3-train"),
    _case("seismic", "uci/seismic-bumps", encoding=Encoding.ORDINAL),
    _case("spambase", "uci/spambase"),
    _case("Statlog", "uci/statlog-landsat-satellite-train", "1"),
    _case("tic-tac-toe", "uci/tic-tac-toe", encoding=Encoding.SQUARES),
    _case("wine", "uci/wine", "2"),
)


TABLE = PaperTable(CASES, TABLE_3_ROWS, depth=2)


class Dl85Table3(Suite):
    """DL8, DL8.5 in four variants and exactree on continuous datasets."""

    name: ClassVar[str] = "dl85-table3"
    about: ClassVar[str] = "DL8, DL8.5 and exactree on 18 continuous sets at depth 2, compared with the DL8.5 paper"

    def plan(self, settings: Settings, results: Results) -> list[Match]:
        """Return one match per set and depth."""
        return TABLE.plan(settings, settings.depths or (TABLE.depth,))

    def report(self, settings: Settings, results: Results) -> Report:
        """Compare with the paper."""
        return TABLE.report(settings, results, settings.depths or (TABLE.depth,))
