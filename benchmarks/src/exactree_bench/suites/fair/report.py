"""Tables of the suite on fairness, and what contradicts what."""

from collections.abc import Sequence
from dataclasses import dataclass

from exactree_bench import formatting
from exactree_bench.contestants import fair
from exactree_bench.runner.checks import disagreements
from exactree_bench.runner.outcome import Outcome
from exactree_bench.runner.results import Results
from exactree_bench.suites.interface import Section

NOISE = 2e-6  # by which a difference of rates may exceed its limit: exactree documents this rounding
TARGET_DEPTH, TARGET = 2, 10.0  # CPU seconds to a proof
NAMES = tuple(contestant.name for contestant in fair.CONTESTANTS)
SEARCH = fair.SEARCH.name
FEWER = tuple(contestant.name for contestant in fair.CONTESTANTS if not contestant.proves_all)


@dataclass(frozen=True, slots=True)
class Problem:
    """A table at one depth under one notion, and what each contestant found."""

    name: str
    depth: int
    notion: str
    runs: tuple[tuple[str, Outcome], ...]

    @classmethod
    def of(cls, results: Results, name: str, depth: int, notion: str) -> "Problem":
        """Collect the runs."""
        pairs = ((contestant, results.get(name, depth, contestant, part=notion)) for contestant in NAMES)
        return cls(name, depth, notion, tuple((contestant, run) for contestant, run in pairs if run is not None))

    @property
    def label(self) -> str:
        """Short description."""
        return f"{self.name}, depth {self.depth}, {self.notion}"

    @property
    def fair_runs(self) -> list[tuple[str, Outcome]]:
        """Runs with a tree that satisfies the constraint."""
        return [(name, run) for name, run in self.runs if run.errors is not None and not is_unfair(run)]

    @property
    def fewest(self) -> int | None:
        """Fewest errors of a tree that satisfies the constraint."""
        return min((run.errors for _, run in self.fair_runs if run.errors is not None), default=None)

    def contradictions(self) -> list[str]:
        """Report trees that violate the constraint, and proofs and bounds that others refute."""
        texts = [
            f"{name} violates the constraint by {run.counters['excess']:.6f}"
            for name, run in self.runs
            if is_unfair(run)
        ]
        return [f"{self.label}: {text}" for text in texts + disagreements(self.fair_runs, FEWER)]

    def unreached(self) -> list[str]:
        """Report where the search is worse than another, or has no proof at depth 2 in time."""
        run = dict(self.runs).get(SEARCH)
        if run is None:
            return []
        texts = []
        if run.errors is None or (self.fewest is not None and run.errors > self.fewest):
            texts.append(f"{self.label}: the search makes {run.errors} errors, another tree {self.fewest}")
        if self.depth == TARGET_DEPTH and not run.proved:
            texts.append(f"{self.label}: not proved")
        elif self.depth == TARGET_DEPTH and run.cpu is not None and run.cpu > TARGET:
            texts.append(f"{self.label}: proved in {run.cpu:.1f} CPU seconds, target {TARGET:g}")
        return texts


def is_unfair(run: Outcome) -> bool:
    """Whether a tree violates the constraint on the training rows."""
    return run.counters.get("excess", 0.0) > NOISE


def sections(found: Sequence[Problem]) -> list[Section]:
    """Return one table per depth and notion."""
    kinds = dict.fromkeys((problem.depth, problem.notion) for problem in found if problem.runs)
    return [
        _section(depth, notion, [problem for problem in found if (problem.depth, problem.notion) == (depth, notion)])
        for depth, notion in kinds
    ]


def _section(depth: int, notion: str, found: Sequence[Problem]) -> Section:
    header = ("set", "contestant", "errors", "bound", "violation", "test violation", "test errors", "seconds")
    rows, records = [], []
    for problem in found:
        for name, run in problem.runs:
            counters = run.counters
            bound = "-" if run.bound is None else f"{run.bound:.0f}"
            test_errors = "-" if "test_errors" not in counters else f"{counters['test_errors']:.0f}"
            shares = [_percent(counters.get(key)) for key in ("train_violation", "test_violation")]
            errors = formatting.errors(run) + "!" * is_unfair(run)
            rows.append((problem.name, name, errors, bound, *shares, test_errors, formatting.time_taken(run)))
            records.append({"set": problem.name, "depth": depth, "notion": notion, "contestant": name} | _record(run))
    title = f"Depth {depth}, {notion}"
    return Section(f"depth-{depth}-{notion.replace(' ', '-')}", title, header, tuple(rows), tuple(records))


def _record(run: Outcome) -> dict[str, object]:
    keys = ("train_violation", "test_violation", "test_errors", "train_rows", "test_rows", "questions")
    return {
        "errors": run.errors,
        "bound": run.bound,
        "proved": run.proved,
        **{key: run.counters.get(key) for key in keys},
        "cpu_seconds": run.cpu,
        "wall_seconds": run.wall,
        "status": run.status.value,
    }


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f}"


def summary(found: Sequence[Problem]) -> Section:
    """Count proofs and best trees of each contestant, and compare times with the search's where both have a proof."""
    header = ("depth", "contestant", "runs", "proved", "fewest errors", "worse than search", "better", "time / search")
    rows, records = [], []
    for depth in dict.fromkeys(problem.depth for problem in found):
        at_depth = [problem for problem in found if problem.depth == depth]
        for name in NAMES:
            record = _counts(name, [problem for problem in at_depth if name in dict(problem.runs)])
            if record["runs"]:
                rows.append(
                    (str(depth), name, *(formatting.seconds(v) if k == "ratio" else str(v) for k, v in record.items()))
                )
                records.append({"depth": depth, "contestant": name, **record})
    return Section("summary", "Summary", header, tuple(rows), tuple(records))


def _counts(name: str, found: Sequence[Problem]) -> dict[str, float | None]:
    runs = [dict(problem.runs)[name] for problem in found]
    compared = []  # errors of this contestant minus the search's
    ratios = []
    for problem, run in zip(found, runs, strict=True):
        search = dict(problem.fair_runs).get(SEARCH)
        if search is None or search.errors is None:
            continue
        if run.errors is not None and not is_unfair(run):
            compared.append(run.errors - search.errors)
        if run.proved and search.proved and run.cpu and search.cpu:
            ratios.append(run.cpu / search.cpu)
    return {
        "runs": len(runs),
        "proved": sum(run.proved for run in runs),
        "fewest": sum((name, problem.fewest) in [(n, r.errors) for n, r in problem.fair_runs] for problem in found),
        "worse": sum(difference > 0 for difference in compared),
        "better": sum(difference < 0 for difference in compared),
        "ratio": formatting.geometric_mean(ratios),
    }
