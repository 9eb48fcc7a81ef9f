"""The log of finished jobs: one line of CSV per fit, written as soon as it ends, so that a suite can be resumed."""

import csv
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from exactree_bench.runner.job import Job
from exactree_bench.runner.outcome import Outcome, Status

KEY = (
    "part",
    "set",
    "file",
    "contestant",
    "version",
    "depth",
    "threads",
    "repeat",
    "time_limit",
    "memory_limit",
)  # in the order of Job.key
NUMBERS = ("errors", "claimed", "bound", "cpu_seconds", "wall_seconds", "memory_bytes")
RETRIED = (Status.FAILED, Status.MISSING)  # may succeed when a suite is resumed
COLUMNS = (*KEY, "status", *NUMBERS, "memory_measured", "counters", "reason", "history")


class RunLog:
    """Finished jobs by key, on disk and in memory; thread-safe."""

    def __init__(self, path: Path, *, fresh: bool = False) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._outcomes: dict[tuple[str, ...], Outcome] = {}
        if fresh:
            path.unlink(missing_ok=True)
        if path.exists():
            self._outcomes = {key: outcome for key, outcome in _read(path) if outcome.status not in RETRIED}

    def get(self, job: Job) -> Outcome | None:
        """Return the outcome of a job, if it was run with the same version under the same limits."""
        with self._lock:
            return self._outcomes.get(job.key)

    def add(self, job: Job, outcome: Outcome) -> None:
        """Append a line."""
        with self._lock:
            self._outcomes[job.key] = outcome
            new = not self.path.exists() or self.path.stat().st_size == 0
            incomplete = not new and _last_byte(self.path) != b"\n"
            with self.path.open("a", encoding="utf-8", newline="") as file:
                if incomplete:
                    file.write("\n")  # the last run was killed while it wrote a line
                writer = csv.writer(file, lineterminator="\n")
                writer.writerows([COLUMNS] if new else [])
                writer.writerow([*job.key, *_cells(outcome)])


def _last_byte(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1)


def _cells(outcome: Outcome) -> list[object]:
    numbers = (outcome.errors, outcome.claimed, outcome.bound, outcome.cpu, outcome.wall, outcome.memory)
    return [
        outcome.status.value,
        *("" if number is None else number for number in numbers),
        outcome.measured,
        json.dumps(dict(outcome.counters)),
        outcome.reason,
        json.dumps(outcome.history) if outcome.history else "",
    ]


def _read(path: Path) -> Iterator[tuple[tuple[str, ...], Outcome]]:
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            try:
                yield tuple(row[name] for name in KEY), _outcome(row)
            except (ValueError, KeyError, TypeError):
                continue  # an incomplete line: the job is run again


def _outcome(row: dict[str, Any]) -> Outcome:
    errors, claimed, bound, cpu, wall, memory = (float(row[name]) if row[name] else None for name in NUMBERS)
    return Outcome(
        status=Status(row["status"]),
        errors=None if errors is None else int(errors),
        claimed=claimed,
        bound=bound,
        cpu=cpu,
        wall=wall,
        memory=None if memory is None else int(memory),
        measured=row["memory_measured"],
        counters=json.loads(row["counters"]),
        reason=row["reason"],
        history=tuple(map(tuple, json.loads(row.get("history") or "[]"))),
    )
