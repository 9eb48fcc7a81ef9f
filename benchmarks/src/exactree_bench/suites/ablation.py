"""Ablation of the search: the same proofs with one technique left out at a time."""

from dataclasses import dataclass
from typing import ClassVar

from exactree_bench import formatting
from exactree_bench.contestants.search import SEARCH, without
from exactree_bench.datasets import continuous, cp4im, synthetic
from exactree_bench.datasets.case import Case
from exactree_bench.runner.checks import contradictions
from exactree_bench.runner.job import Match
from exactree_bench.runner.results import Results
from exactree_bench.suites.interface import Report, Section, Settings, Suite, common_notes


@dataclass(frozen=True, slots=True)
class Engine:
    """A kind of table, and the techniques that the search uses on it."""

    name: str
    cases: tuple[Case, ...]
    depth: int
    parts: tuple[str, ...]

    @property
    def contestants(self) -> tuple[str, ...]:
        """The search, and the search without each technique."""
        return (SEARCH.name, *(without(part).name for part in self.parts))


def _some(cases: tuple[Case, ...], *names: str) -> tuple[Case, ...]:
    return tuple(case for case in cases if case.name in names)


ENGINES = (
    Engine(
        "bits",
        _some(
            cp4im.CASES,
            *("anneal", "australian-credit", "german-credit", "heart-cleveland"),
            *("kr-vs-kp", "vehicle", "vote", "yeast"),
        ),
        4,
        ("similarity", "look-ahead", "cache", "merging", "subtraction", "differences", "deepening", "anytime"),
    ),
    Engine("sparse bits", (Case("words", synthetic.WORDS, rows=2000, columns=200),), 4, ("scatter",)),
    Engine(
        "ranks",
        _some(continuous.CASES, "bank", "raisin", "wilt", "bidding", "occupancy", "fault"),
        3,
        ("similarity", "look-ahead", "cache", "deepening", "local-search", "hints", "slack", "anytime", "partition"),
    ),
)


class Ablation(Suite):
    """The search, and the search without one technique."""

    name: ClassVar[str] = "search-parts"
    about: ClassVar[str] = (
        "ablation: the search without each of its techniques in turn, on binary and on continuous tables"
    )

    def plan(self, settings: Settings, results: Results) -> list[Match]:
        """Return one match per set and depth."""
        return [
            settings.match(case, depth, [(name, 1) for name in engine.contestants])
            for engine in ENGINES
            for depth in settings.depths or (engine.depth,)
            for case in chosen(engine, settings)
        ]

    def report(self, settings: Settings, results: Results) -> Report:
        """Report CPU times, and the slow-down without each technique."""
        return Report(
            sections=tuple(
                _section(engine, results, depth, [case.name for case in cases])
                for engine in ENGINES
                for depth in settings.depths or (engine.depth,)
                if (cases := chosen(engine, settings))
            ),
            contradictions=tuple(contradictions(results, {})),
            notes=common_notes(settings, results),
        )


def chosen(engine: Engine, settings: Settings) -> list[Case]:
    """Return the selected sets of an engine."""
    asked = settings.chosen([case for each in ENGINES for case in each.cases])
    return [case for case in engine.cases if case in asked]


def _section(engine: Engine, results: Results, depth: int, cases: list[str]) -> Section:
    rows, records = [], []
    names = engine.contestants
    factors: dict[str, list[float]] = {name: [] for name in names}
    for case in cases:
        runs = {name: results.get(case, depth, name) for name in names}
        complete = runs[SEARCH.name]
        for name, run in runs.items():
            if run and complete and run.proved and complete.proved and run.cpu and complete.cpu:
                factors[name].append(run.cpu / complete.cpu)
        rows.append((case, *(formatting.time_taken(run) for run in runs.values())))
        records.append({"set": case, "depth": depth} | {name: run.cpu for name, run in runs.items() if run})
    means = {name: formatting.geometric_mean(ratios) for name, ratios in factors.items()}
    rows.append(("slow-down", *("-" if mean is None else f"{mean:.2f}" for mean in means.values())))
    title = (
        f"On {engine.name}, depth {depth}: CPU seconds of fit(); last row: geometric mean over the sets proved by both"
    )
    return Section(f"{engine.name}-depth-{depth}", title, ("set", *names), tuple(rows), tuple(records))
