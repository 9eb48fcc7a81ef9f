"""Costs of sparse trees, recomputed, and what they say about each other's proofs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from exactree_bench.contestants.interface import DEPTH_LIMIT, LEAVES, OBJECTIVE, OBJECTIVE_BOUND
from exactree_bench.contestants.search import SEARCH
from exactree_bench.contestants.streed import STREED as STREED_CONTESTANT
from exactree_bench.runner.outcome import Outcome
from exactree_bench.runner.results import Results

OURS, RIVAL, STREED = SEARCH.name, "FastSmallTree", STREED_CONTESTANT.name
DEEPEST = 10  # depth of those that need a limit
# Prices times rows are no integers, and GOSDT computes in single precision.
TOLERANCE = 1e-3
ROWS = "rows"


def part(price: float) -> str:
    """Return the part of the suite with one price."""
    return f"price {price:g}"


def cost(run: Outcome | None, price: float) -> float | None:
    """Return errors + price * rows * leaves.

    Examples
    --------
    >>> from exactree_bench.runner.outcome import Status
    >>> cost(Outcome(Status.PROVED, errors=5, counters={"rows": 100.0, "leaves": 3.0}), 0.01)
    8.0
    """
    if run is None or run.errors is None or LEAVES not in run.counters:
        return None
    return run.errors + price * run.counters[ROWS] * run.counters[LEAVES]


@dataclass(frozen=True, slots=True)
class Cell:
    """All runs of a set at one price, by contestant."""

    case: str
    price: float
    runs: dict[str, Outcome]

    def cost(self, name: str) -> float | None:
        """Return the cost of a contestant's tree."""
        return cost(self.runs.get(name), self.price)

    @property
    def best(self) -> tuple[str, float] | None:
        """Contestant and cost of the cheapest tree."""
        found = [(name, value) for name in self.runs if (value := self.cost(name)) is not None]
        return min(found, key=lambda pair: pair[1], default=None)

    def proved(self, name: str) -> bool:
        """Whether a contestant claims a proof."""
        run = self.runs.get(name)
        return run is not None and run.proved

    @property
    def label(self) -> str:
        """Set and price."""
        return f"{self.case}, price {self.price:g}"

    def contradictions(self) -> Iterator[str]:
        """Report claims, proofs and bounds that a tree refutes.

        A proof over trees of limited depth is tested against the trees of contestants with that limit only.
        """
        for name, run in self.runs.items():
            found = self.cost(name)
            claimed = run.counters.get(OBJECTIVE)
            if found is not None and claimed is not None and abs(found - claimed) > TOLERANCE:
                yield f"{self.label}: {name} claims a cost of {claimed:g}, but its tree costs {found:g}"
            limit = run.counters.get(DEPTH_LIMIT)
            for other in self.runs:
                value = self.cost(other)
                if value is None or (limit is not None and self.runs[other].counters.get(DEPTH_LIMIT) != limit):
                    continue
                if found is not None and run.proved and found > value + TOLERANCE:
                    yield f"{self.label}: {name} proves a cost of {found:g}, but {other} finds {value:g}"
                elif run.counters.get(OBJECTIVE_BOUND, 0.0) > value + TOLERANCE:
                    bound = run.counters[OBJECTIVE_BOUND]
                    yield f"{self.label}: {name} states that no tree costs under {bound:g}, but {other} finds {value:g}"


class Costs:
    """All cells of the suite."""

    def __init__(
        self, results: Results, cases: Sequence[str], prices: Sequence[float], contestants: Sequence[str]
    ) -> None:
        self.cases, self.prices, self.contestants = cases, prices, contestants
        self.cells = {
            (case, price): Cell(
                case,
                price,
                {
                    name: run
                    for name in contestants
                    if (run := results.get(case, DEEPEST, name, part=part(price))) is not None
                },
            )
            for price in prices
            for case in cases
        }

    def contradictions(self) -> list[str]:
        """Report what cannot be true together."""
        return [text for cell in self.cells.values() for text in cell.contradictions()]

    def unproved(self) -> list[str]:
        """Report where another contestant has a proof and exactree has none."""
        return [
            f"{cell.label}: {', '.join(others)} proved it, exactree did not"
            for cell in self.cells.values()
            if OURS in cell.runs
            and not cell.proved(OURS)
            and (others := [name for name in cell.runs if cell.proved(name)])
        ]

    def dearer(self) -> list[str]:
        """Report where another contestant has a cheaper tree."""
        found = []
        for cell in self.cells.values():
            ours, best = cell.cost(OURS), cell.best
            if ours is not None and best is not None and ours > best[1] + TOLERANCE:
                found.append(f"{cell.label}: exactree's tree costs {ours:g}, that of {best[0]} {best[1]:g}")
        return found
