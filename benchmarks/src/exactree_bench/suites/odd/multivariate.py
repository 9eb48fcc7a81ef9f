"""Multivariate against univariate splits, of diagrams, of trees within skeletons, and of OCT-H."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from exactree_bench.published.odd import SETS, SKELETONS
from exactree_bench.runner.job import Layers, Match
from exactree_bench.runner.outcome import Outcome
from exactree_bench.runner.results import Results
from exactree_bench.suites.interface import Report, Section, Settings, Suite, common_notes
from exactree_bench.suites.odd.plan import ACCEPTED, TOLERANCE, chosen_sets, depth_of, grid, skeleton_of

DIAGRAMS = "diagram search", "ODD"  # without and with oblique splits
TREES = "exactree", "OCT-H"
DEPTHS = (2, 3)
FEW, SEEDS, ALPHAS = ("smallest12",), (1,), (0.1,)  # unless the user says otherwise


@dataclass(frozen=True, slots=True)
class Pair:
    """The same problem without and with oblique splits."""

    name: str
    shape: str
    univariate: Outcome
    multivariate: Outcome

    @property
    def costs(self) -> tuple[float, float]:
        """Costs as shares of the training rows."""
        both = self.univariate, self.multivariate
        found = [found.counters.get("cost", float(found.errors or 0)) for found in both]
        rows = self.univariate.counters["train_rows"]
        return found[0] / rows, found[1] / rows

    @property
    def compared(self) -> str:
        """Whether oblique splits are better, equal or worse."""
        before, after = self.costs
        slack = TOLERANCE / self.univariate.counters["train_rows"]
        return "better" if after < before - slack else "worse" if after > before + slack else "equal"


class OddMultivariate(Suite):
    """Oblique splits against univariate ones, at the same time limit."""

    name: ClassVar[str] = "odd-multivariate"
    about: ClassVar[str] = "diagrams and trees with and without oblique splits: cost and held-out accuracy side by side"
    seconds: ClassVar[float] = 10.0
    accepts: ClassVar[tuple[str, ...]] = tuple(option for option in ACCEPTED if option != "splits")

    def plan(self, settings: Settings, results: Results) -> list[Match]:
        """Return one match per split, set and shape; first seeds first, so that an interrupted run covers all sets."""
        once = replace(settings, repeats=1)
        found = []
        for seed, name in _splits(settings):
            case = SETS[name].case(name, seed)
            for one in _layers(settings):
                solver = DIAGRAMS[one.multivariate]
                found.append(replace(once.match(case, depth_of(one), [(solver, 1)], one.label), layers=one))
            for depth in _depths(settings):
                found.append(once.match(case, depth, [(name, 1) for name in TREES]))
        return found

    def report(self, settings: Settings, results: Results) -> Report:
        """Compare by shape and by set."""
        found = _pairs(settings, results)
        shapes = list(dict.fromkeys(pair.shape for pair in found))
        by_shape = [(shape, [pair for pair in found if pair.shape == shape]) for shape in shapes]
        names = list(dict.fromkeys(pair.name for pair in found))
        by_set = [(name, [pair for pair in found if pair.name == name]) for name in names]
        worse = [pair for pair in found if pair.compared == "worse"]
        return Report(
            sections=(
                _section("shapes", "By shape", "shape", [*by_shape, ("all", found)]),
                _section("sets", "By set", "set", [*by_set, ("all", found)]),
            ),
            unreached=tuple(f"{pair.name} {pair.shape}: oblique splits cost more, {pair.costs}" for pair in worse),
            notes=(
                *common_notes(replace(settings, repeats=1), results),
                "Mean cost in percent of the training rows, prices of nodes included; mean accuracy in percent on the "
                "test rows, a quarter. Skeletons I to IV and tree: OptimalDiagramClassifier with multivariate=False "
                "and True; OCT-H: OptimalTreeClassifier by search and by OCT(multivariate=True), without prices.",
            ),
        )


def _splits(settings: Settings) -> list[tuple[int, str]]:
    names = chosen_sets(settings if settings.sets is not None else replace(settings, sets=FEW))
    return [(seed, name) for seed in settings.seeds or SEEDS for name in names]


def _layers(settings: Settings) -> list[Layers]:
    chosen = replace(settings, splits=("univariate", "multivariate"), alphas=settings.alphas or ALPHAS)
    return grid(replace(chosen, skeletons=settings.skeletons or SKELETONS))


def _depths(settings: Settings) -> tuple[int, ...]:
    """Depths of OCT-H; none if skeletons are chosen."""
    return () if settings.skeletons else DEPTHS


def _pairs(settings: Settings, results: Results) -> list[Pair]:
    found = []
    for seed, name in _splits(settings):
        case = f"{name}/{seed}"
        for one in _layers(settings):
            if one.multivariate:
                without = replace(one, multivariate=False)
                both = [
                    results.get(case, depth_of(layers), DIAGRAMS[layers.multivariate], part=layers.label)
                    for layers in (without, one)
                ]
                found += _pair(name, f"{skeleton_of(one)}, price {one.alpha:g}", both)
        for depth in _depths(settings):
            found += _pair(name, f"OCT-H, depth {depth}", [results.get(case, depth, solver) for solver in TREES])
    return found


def _pair(name: str, shape: str, both: Sequence[Outcome | None]) -> list[Pair]:
    """Return the pair if both fits have a model."""
    without, oblique = both
    if without is None or oblique is None or without.errors is None or oblique.errors is None:
        return []
    return [Pair(name, shape, without, oblique)]


def _section(name: str, title: str, first: str, groups: Sequence[tuple[str, Sequence[Pair]]]) -> Section:
    header = (first, "runs", "better", "equal", "worse", "cost", "oblique", "test", "oblique", "proved", "oblique")
    records = [{first: label, **_record(some)} for label, some in groups if some]
    rows = tuple(tuple(_cell(value) for value in record.values()) for record in records)
    return Section(name, title, header, rows, tuple(records))


def _record(some: Sequence[Pair]) -> Mapping[str, object]:
    counts = {kind: sum(pair.compared == kind for pair in some) for kind in ("better", "equal", "worse")}
    costs = np.mean([pair.costs for pair in some], axis=0)
    right = [[_accuracy(found) for found in (pair.univariate, pair.multivariate)] for pair in some]
    accuracy = np.mean(right, axis=0)
    return {
        "runs": len(some),
        **counts,
        "cost": 100 * float(costs[0]),
        "cost_oblique": 100 * float(costs[1]),
        "test": 100 * float(accuracy[0]),
        "test_oblique": 100 * float(accuracy[1]),
        "proved": sum(pair.univariate.proved for pair in some),
        "proved_oblique": sum(pair.multivariate.proved for pair in some),
    }


def _accuracy(found: Outcome) -> float:
    return 1 - found.counters["test_errors"] / found.counters["test_rows"]


def _cell(value: object) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)
