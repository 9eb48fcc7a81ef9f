"""Shared by the suites of diagrams: selected sets, seeds, skeletons and penalties, and their runs."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from exactree.datasets.nearest import did_you_mean
from exactree.errors import InputError
from exactree.problem import SKELETONS as WIDTHS
from exactree_bench.published.odd import ALPHAS, SEEDS, SETS, SKELETONS, TREE
from exactree_bench.runner.job import Layers, Match
from exactree_bench.runner.outcome import Outcome, Status
from exactree_bench.runner.results import Results
from exactree_bench.suites.interface import Settings

SOLVERS = ("ODD", "diagram search")
SPLITS = ("univariate", "multivariate")
ACCEPTED = ("seeds", "alphas", "skeletons", "splits")
RUNS_FILE = "odd-runs.csv"  # one for all suites of diagrams: they report the same fits
TOLERANCE = 1e-6  # in rows: costs closer than this are equal
SMALLEST = re.compile(r"smallest(\d+)")


@dataclass(frozen=True, slots=True)
class Run:
    """One fit and its outcome."""

    name: str  # of the set
    seed: int
    layers: Layers
    solver: str
    outcome: Outcome

    @property
    def cost(self) -> float:
        """Cost of the diagram."""
        return self.outcome.counters["cost"]

    @property
    def start_cost(self) -> float | None:
        """Cost of the heuristic's diagram; None if the solver does not report it."""
        return self.outcome.counters.get("start_cost")

    @property
    def is_better(self) -> bool:
        """Whether the solver improved on the heuristic."""
        return self.start_cost is not None and self.cost < self.start_cost - TOLERANCE

    @property
    def nodes(self) -> int:
        """Number of internal nodes."""
        return int(self.outcome.counters["nodes"])

    def accuracy(self, part: str) -> float:
        """Return the accuracy on ``validation`` or ``test`` rows."""
        rows = self.outcome.counters[f"{part}_rows"]
        return 1 - self.outcome.counters[f"{part}_errors"] / rows


def chosen_sets(settings: Settings) -> list[str]:
    """Return the selected sets, smallest first; ``smallest15`` selects the fifteen with the fewest rows."""
    ordered = sorted(SETS, key=lambda name: (SETS[name].rows, name))
    if settings.sets is None:
        return ordered
    selected: set[str] = set()
    for name in settings.sets:
        few = SMALLEST.fullmatch(name)
        if few is None and name not in SETS:
            hint = did_you_mean(name, SETS) or f" It has: {', '.join(ordered)}, and smallestN for the N smallest."
            raise InputError(f"--sets names {name!r}, which is not in this suite.{hint}")
        selected |= {name} if few is None else set(ordered[: int(few[1])])
    return [name for name in ordered if name in selected]


def chosen_seeds(settings: Settings) -> tuple[int, ...]:
    """Return the selected seeds."""
    return settings.seeds or SEEDS


def grid(settings: Settings, least: Iterable[float] = (0.0,), *, trees: bool = True) -> list[Layers]:
    """Return the selected skeletons and penalties; a tree counts as a skeleton."""
    for given, known, option in (
        (settings.skeletons or (), SKELETONS, "--skeletons"),
        (settings.splits or (), SPLITS, "--splits"),
    ):
        for name in given:
            if name not in known:
                raise InputError(f"{option} names {name!r}. Expected some of {', '.join(known)}.")
    shares = tuple(least)
    return [
        Layers("I" if skeleton == TREE else skeleton, alpha, skeleton == TREE, split == "multivariate", share)
        for split in settings.splits or SPLITS[:1]
        for share in shares
        for alpha in settings.alphas or ALPHAS
        for skeleton in settings.skeletons or SKELETONS
        if trees or skeleton != TREE
    ]


def skeleton_of(layers: Layers) -> str:
    """Return the name of a skeleton in Table 1."""
    return TREE if layers.tree else layers.skeleton


def matches(settings: Settings, layers: Sequence[Layers]) -> list[Match]:
    """Return one match per seed, set and diagram; first seeds first, so that an interrupted run covers all sets."""
    once = replace(settings, repeats=1)
    entries = [(solver, 1) for solver in SOLVERS]
    found = []
    for seed in chosen_seeds(settings):
        for one in layers:
            able = [entry for entry in entries if not one.multivariate or entry[0] == "ODD"]
            for name in chosen_sets(settings):
                match = once.match(SETS[name].case(name, seed), depth_of(one), able, one.label)
                found.append(replace(match, layers=one))
    return found


def runs(settings: Settings, results: Results, layers: Sequence[Layers]) -> list[Run]:
    """Return the runs that found a diagram."""
    found = []
    for seed in chosen_seeds(settings):
        for one in layers:
            for name in chosen_sets(settings):
                for solver in SOLVERS:
                    outcome = results.get(f"{name}/{seed}", depth_of(one), solver, part=one.label)
                    if outcome is not None and "cost" in outcome.counters:
                        found.append(Run(name, seed, one, solver, outcome))
    return found


def failures(settings: Settings, results: Results, layers: Sequence[Layers]) -> list[str]:
    """Report fits without a diagram, and why; unavailable solvers are reported in the notes."""
    texts = []
    for (part, case, _, solver, _), outcomes in results.repeats.items():
        for outcome in outcomes:
            if "cost" not in outcome.counters and outcome.status is not Status.MISSING:
                texts.append(f"{case} {part}, {solver}: {outcome.status.value} {outcome.reason}".rstrip())
    return texts


def disagreements(found: Sequence[Run]) -> list[str]:
    """Report all pairs of costs and bounds that contradict each other."""
    texts, groups = [], dict[tuple[str, int, Layers], list[Run]]()
    for run in found:
        groups.setdefault((run.name, run.seed, run.layers), []).append(run)
        where = f"{run.name}/{run.seed} {run.layers.label}, {run.solver}"
        if run.start_cost is not None and run.cost > run.start_cost + TOLERANCE:
            texts.append(f"{where}: costs {run.cost:g}, but its warm start costs {run.start_cost:g}")
    for (name, seed, layers), group in groups.items():
        # Every tree on skeleton I is a diagram on it, and costs the same.
        trees = groups.get((name, seed, replace(layers, tree=True)), []) if not layers.tree else []
        best = min([*group, *trees], key=lambda run: run.cost)
        for run in group:
            bound = run.outcome.counters["bound"]
            if bound > best.cost + TOLERANCE:
                what = "a tree" if best.layers.tree and not layers.tree else best.solver
                conflict = f"{run.solver} has the lower bound {bound:g}, but {what} costs {best.cost:g}"
                texts.append(f"{name}/{seed} {layers.label}: {conflict}")
    return texts


def depth_of(layers: Layers) -> int:
    """Return the number of layers."""
    return len(WIDTHS[layers.skeleton])
