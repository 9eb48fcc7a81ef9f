"""Outcomes of finished jobs, aggregated over their repeats."""

from collections.abc import Iterable, Sequence

from exactree_bench.runner.job import Match
from exactree_bench.runner.outcome import Outcome, Status, best
from exactree_bench.runner.run_log import RunLog

Key = tuple[str, str, int, str, int]  # part, case, depth, contestant, threads


class Results:
    """Outcomes of the jobs of some matches: one per contestant, the best of its repeats."""

    def __init__(self, matches: Iterable[Match], run_log: RunLog) -> None:
        self.repeats: dict[Key, list[Outcome]] = {}
        for match in matches:
            for job in match.jobs():
                key = (job.part, job.case.name, job.config.depth, job.contestant, job.config.threads)
                if (outcome := run_log.get(job)) is not None:
                    self.repeats.setdefault(key, []).append(outcome)
        self._best = {key: found for key, outcomes in self.repeats.items() if (found := best(outcomes)) is not None}

    def get(self, case: str, depth: int, contestant: str, *, threads: int = 1, part: str = "main") -> Outcome | None:
        """Return the outcome of one contestant, or ``None`` if it was not run."""
        return self._best.get((part, case, depth, contestant, threads))

    def problems(self) -> list[tuple[str, int]]:
        """Return the case and depth of all fits, in order."""
        return list(dict.fromkeys((case, depth) for _, case, depth, _, _ in self._best))

    def all_runs(self, case: str, depth: int) -> list[tuple[str, Outcome]]:
        """Return contestant and outcome of every fit of a case at a depth, repeats and parts included."""
        return [
            (contestant if threads == 1 else f"{contestant} on {threads} threads", outcome)
            for (_, name, at, contestant, threads), outcomes in self.repeats.items()
            if (name, at) == (case, depth)
            for outcome in outcomes
        ]

    def measured(self) -> Sequence[str]:
        """Return how memory was measured."""
        return sorted({outcome.measured for outcome in self._best.values() if outcome.measured})

    @property
    def n_runs(self) -> int:
        """Number of contestants that ran, of all problems."""
        return sum(outcome.status is not Status.MISSING for outcome in self._best.values())

    def unavailable(self) -> dict[str, str]:
        """Return the reason for every contestant that could not be run."""
        return {
            contestant: outcome.reason
            for (_, _, _, contestant, _), outcome in self._best.items()
            if outcome.status is Status.MISSING
        }
