"""Finished jobs, summed up over their repeats."""

from collections.abc import Iterable, Sequence

from exactree_bench.runner.job import Match
from exactree_bench.runner.outcome import Outcome, best
from exactree_bench.runner.run_log import Ledger

Key = tuple[str, str, int, str, int]  # part, case, depth, contestant, threads


class Results:
    """What came of the jobs of some matches; one outcome per contestant, the best of its repeats."""

    def __init__(self, matches: Iterable[Match], ledger: Ledger) -> None:
        self.repeats: dict[Key, list[Outcome]] = {}
        for match in matches:
            for job in match.jobs():
                key = (job.part, job.case.name, job.terms.depth, job.contestant, job.terms.threads)
                if (outcome := ledger.get(job)) is not None:
                    self.repeats.setdefault(key, []).append(outcome)
        self._best = {key: found for key, outcomes in self.repeats.items() if (found := best(outcomes)) is not None}

    def get(self, case: str, depth: int, contestant: str, *, threads: int = 1, part: str = "main") -> Outcome | None:
        """Return the outcome of one contestant, or ``None`` if it was not run."""
        return self._best.get((part, case, depth, contestant, threads))

    def problems(self) -> list[tuple[str, int]]:
        """Case and depth of everything that was run, in order."""
        return list(dict.fromkeys((case, depth) for _, case, depth, _, _ in self._best))

    def of(self, case: str, depth: int) -> list[tuple[str, Outcome]]:
        """Contestant and outcome of every single run of a case at a depth, repeats and parts included."""
        return [
            (contestant if threads == 1 else f"{contestant} on {threads} threads", outcome)
            for (_, name, at, contestant, threads), outcomes in self.repeats.items()
            if (name, at) == (case, depth)
            for outcome in outcomes
        ]

    def measured(self) -> Sequence[str]:
        """How memory was measured."""
        return sorted({outcome.measured for outcome in self._best.values() if outcome.measured})

    def absent(self) -> dict[str, str]:
        """Why contestants could not take part."""
        return {
            contestant: outcome.reason
            for (_, _, _, contestant, _), outcome in self._best.items()
            if outcome.ending.value == "not available"
        }
