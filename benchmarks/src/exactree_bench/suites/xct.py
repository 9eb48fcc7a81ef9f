"""Worst-leaf objective: exact search, XCT as a MIP and CART on six large tables, with models in the leaves."""

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from exactree_bench import formatting
from exactree_bench.datasets.case import Case, Encoding
from exactree_bench.runner.job import Match
from exactree_bench.runner.outcome import Outcome
from exactree_bench.runner.results import Results
from exactree_bench.suites.interface import Report, Section, Settings, Suite, common_notes

ROWS = 10_000  # training rows at most, of four fifths of a table
GRIDS = {2: "all", 3: "quantiles(32)", 4: "quantiles(8)"}  # candidate thresholds, by depth
TARGETS = {2: 5.0, 3: 5.0}  # seconds to a proof
SEARCH, MIP, CART = CONTESTANTS = ("worst leaf", "XCT", "CART of 50")
ALIKE = 1e-6  # tolerance: shares closer than this are equal


def _table(name: str, file: str, encoding: Encoding = Encoding.AS_IS) -> Case:
    return Case(name, f"{file}.csv.gz", None, encoding, split=0, train=0.8, test=0.2, rows=ROWS)


CASES = (
    _table("magic04", "continuous/magic"),
    _table("default-credit", "large/default-credit"),
    _table("eeg", "continuous/eeg"),
    _table("htru2", "continuous/htru"),
    _table("bank-marketing", "uci/bank-marketing-10pct", Encoding.ONE_HOT),
    _table("spambase", "uci/spambase"),
)


class Xct(Suite):
    """The accuracy of the worst leaf."""

    name: ClassVar[str] = "xct"
    about: ClassVar[str] = "worst-leaf accuracy of exact search, XCT on HiGHS and CART, with models in the leaves"
    seconds: ClassVar[float] = 600.0

    def plan(self, settings: Settings, results: Results) -> list[Match]:
        """Return one match per table and depth, shallow trees first."""
        entries = [(name, 1) for name in CONTESTANTS]
        once = replace(settings, repeats=1)
        return [
            once.match(replace(case, thresholds=GRIDS[depth]), depth, entries)
            for depth in _depths(settings)
            for case in settings.chosen(CASES)
        ]

    def report(self, settings: Settings, results: Results) -> Report:
        """One table per depth."""
        names = [case.name for case in settings.chosen(CASES)]
        depths = _depths(settings)
        return Report(
            sections=tuple(_section(results, names, depth) for depth in depths),
            contradictions=tuple(text for depth in depths for text in _beaten(results, names, depth)),
            unreached=tuple(text for depth in depths for text in _late(results, names, depth)),
            notes=(
                *common_notes(settings, results),
                f"At most {ROWS:,} training rows of four fifths of the table, one fifth to test, leaves of at least "
                "50 rows. Worst leaf and accuracy in percent; * proved optimal over these thresholds. "
                "Hybrid: gradient boosting in every leaf that needs a model, on held-out rows.",
                "CART is not restricted to these thresholds.",
            ),
        )


def _depths(settings: Settings) -> tuple[int, ...]:
    return tuple(depth for depth in settings.depths or GRIDS if depth in GRIDS)


def _section(results: Results, names: list[str], depth: int) -> Section:
    header = ("set", "tree", "leaves", "worst", "bound", "test worst", "accuracy", "test", "hybrid test", "seconds")
    rows, records = [], []
    for name in names:
        for contestant in CONTESTANTS:
            found = results.get(name, depth, contestant)
            record = _record(found)
            cells = [_percent(record[key]) for key in ("worst", "bound", "test_worst", "accuracy", "test", "hybrid")]
            cells[0] += "*" if found is not None and found.proved else ""
            leaves = "-" if record["leaves"] is None else f"{record['leaves']:.0f}"
            rows.append((name, contestant, leaves, *cells, formatting.seconds(record["seconds"])))
            records.append({"set": name, "depth": depth, "contestant": contestant, **record})
    return Section(f"depth-{depth}", f"Depth {depth}, thresholds: {GRIDS[depth]}", header, tuple(rows), tuple(records))


def _record(found: Outcome | None) -> dict[str, float | None]:
    """Return the figures of one fit."""
    counters: Mapping[str, float] = {} if found is None else found.counters
    errors = None if found is None or found.errors is None else float(found.errors)
    return {
        "leaves": counters.get("leaves"),
        "worst": counters.get("worst"),
        "bound": counters.get("worst_bound"),
        "test_worst": counters.get("test_worst"),
        "accuracy": _share(errors, counters.get("train_rows")),
        "test": _share(counters.get("test_errors"), counters.get("test_rows")),
        "hybrid": _share(counters.get("hybrid_test_errors"), counters.get("test_rows")),
        "seconds": None if found is None else found.wall,
    }


def _share(wrong: float | None, rows: float | None) -> float | None:
    return None if wrong is None or not rows else 1 - wrong / rows


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f}"


def _beaten(results: Results, names: list[str], depth: int) -> list[str]:
    """Report where XCT has a better worst leaf than the search, or than a bound allows."""
    texts = []
    for name in names:
        found = {contestant: results.get(name, depth, contestant) for contestant in (SEARCH, MIP)}
        records = {contestant: _record(outcome) for contestant, outcome in found.items()}
        ours, theirs = records[SEARCH]["worst"], records[MIP]["worst"]
        if ours is not None and theirs is not None and theirs > ours + ALIKE:
            texts.append(f"{name}, depth {depth}: XCT's worst leaf is {theirs:.4f}, the search's {ours:.4f}")
        best = max((worst for worst in (ours, theirs) if worst is not None), default=0.0)
        for contestant, record in records.items():
            bound = record["bound"]
            if bound is not None and best > bound + ALIKE:
                texts.append(
                    f"{name}, depth {depth}: {contestant} has the bound {bound:.4f}, but a worst leaf is {best:.4f}"
                )
    return texts


def _late(results: Results, names: list[str], depth: int) -> list[str]:
    """Report where the search has no proof, or took longer than the target."""
    texts = []
    for name in names:
        found = results.get(name, depth, SEARCH)
        target = TARGETS.get(depth)
        if found is None or target is None:
            continue
        if not found.proved:
            texts.append(f"{name}, depth {depth}: not proved")
        elif found.wall is not None and found.wall > target:
            texts.append(f"{name}, depth {depth}: proved in {found.wall:.1f} s, target {target:g} s")
    return texts
