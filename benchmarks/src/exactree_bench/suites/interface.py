"""The interface of suites, and how a suite is run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Protocol

from exactree.datasets.nearest import did_you_mean
from exactree.errors import InputError
from exactree_bench.contestants import CONTESTANTS, contestant_version
from exactree_bench.datasets import synthetic
from exactree_bench.datasets.case import Case
from exactree_bench.runner.job import Entry, Match
from exactree_bench.runner.results import Results
from exactree_bench.runner.run_log import RunLog
from exactree_bench.runner.runner import ProgressCallback, Runner


@dataclass(frozen=True, slots=True)
class Settings:
    """Options of a run; ``None`` leaves the choice to the suite."""

    data: Path  # folder of the tables
    output: Path  # folder for the results
    seconds: float = 60.0
    memory: int | None = 4 * 10**9
    jobs: int = 1
    repeats: int = 3
    depths: tuple[int, ...] | None = None
    sets: tuple[str, ...] | None = None
    contestants: tuple[str, ...] | None = None
    fresh: bool = False
    backend: str | None = None  # of joblib; None: worker processes on this machine
    seeds: tuple[int, ...] | None = None  # from here on for suites that accept them
    alphas: tuple[float, ...] | None = None
    skeletons: tuple[str, ...] | None = None
    splits: tuple[str, ...] | None = None
    ladder: tuple[float, ...] | None = None
    prices: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        for name in self.contestants or ():
            if name not in CONTESTANTS:
                hint = did_you_mean(name, CONTESTANTS) or f" There are: {', '.join(CONTESTANTS)}."
                raise InputError(f"--contestants names {name!r}, which is not a contestant.{hint}")

    def match(self, case: Case, depth: int, entries: Sequence[tuple[str, int]], part: str = "main") -> Match:
        """Return a match under these limits between the selected ones of (contestant, threads)."""
        selected = [entry for entry in entries if self.contestants is None or entry[0] in self.contestants]
        named = tuple(Entry(name, contestant_version(name), threads) for name, threads in selected)
        return Match(case, depth, named, self.seconds, self.memory, self.repeats, part)

    def chosen(self, cases: Sequence[Case], groups: Mapping[str, Sequence[Case]] | None = None) -> list[Case]:
        """Return the selected cases, in the suite's order; ``groups`` of them have names too."""
        if self.sets is None:
            return list(cases)
        known = {case.name: [case] for case in cases} | {name: list(group) for name, group in (groups or {}).items()}
        for name in self.sets:
            if name not in known:
                hint = did_you_mean(name, known) or f" It has: {', '.join(known)}."
                raise InputError(f"--sets names {name!r}, which is not in this suite.{hint}")
        selected = [case for name in self.sets for case in known[name]]
        return [case for case in cases if case in selected]


@dataclass(frozen=True, slots=True)
class Section:
    """One table of a report: as texts for people, as records for CSV and JSON."""

    name: str  # part of the file's name
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    records: tuple[Mapping[str, object], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a suite."""

    sections: tuple[Section, ...]
    contradictions: tuple[str, ...] = ()  # pairs of results that cannot both be correct: there is a bug
    unreached: tuple[str, ...] = ()  # published or known results that were not reproduced within the limits
    notes: tuple[str, ...] = ()
    figures: tuple[Path, ...] = field(default=())


class Suite(Protocol):
    """A set of matches and a report on them."""

    name: ClassVar[str]
    about: ClassVar[str]
    seconds: ClassVar[float] = 60.0  # per fit, unless the user says otherwise
    accepts: ClassVar[tuple[str, ...]] = ()  # of the options that few suites have, such as seeds

    @property
    def runs(self) -> str:
        """File of the finished fits, in the output folder."""
        return f"{self.name}-runs.csv"

    def plan(self, settings: Settings, results: Results) -> list[Match]:
        """Return all matches known so far; called again with their results until there are no new ones."""
        ...

    def report(self, settings: Settings, results: Results) -> Report:
        """Summarize the results."""
        ...


def run_suite(suite: Suite, settings: Settings, callback: ProgressCallback) -> Report:
    """Run the matches of a suite, stage by stage, and report. The run log is in the output folder."""
    settings.output.mkdir(parents=True, exist_ok=True)
    run_log = RunLog(settings.output / suite.runs, fresh=settings.fresh)
    runner = Runner(settings.data, run_log, callback, settings.backend)
    matches: list[Match] = []
    while new := [match for match in suite.plan(settings, Results(matches, run_log)) if match not in matches]:
        require_tables(new, settings.data)
        # fits with several threads are measured alone
        several = any(entry.threads > 1 for match in new for entry in match.entries)
        runner.run(new, workers=1 if several else settings.jobs)
        matches += new
    results = Results(matches, run_log)
    require_runs(suite, results)
    return suite.report(settings, results)


def require_runs(suite: Suite, results: Results) -> None:
    """Raise an error if nothing ran: where there is no result, none contradicts another."""
    missing = results.unavailable()
    if results.n_runs > 0:
        return
    if missing:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in missing.items())
        raise InputError(f"Nothing ran in the suite {suite.name!r}: no contestant is available ({reasons}).")
    raise InputError(
        f"Nothing ran: the suite {suite.name!r} has no runs with these options. Leave out --sets, "
        f"--contestants, --depths or others that narrow it."
    )


def require_tables(matches: Sequence[Match], folder: Path) -> None:
    """Raise an error at the start if a table is missing, not hours later."""
    for match in matches:
        if match.case.file not in synthetic.MAKERS and not (folder / match.case.file).is_file():
            raise InputError(
                f"The data folder {str(folder)!r} has no {match.case.file!r}. Set EXACTREE_DATA or --data to the "
                "folder of benchmark tables, or choose others with --sets."
            )


def common_notes(settings: Settings, results: Results) -> tuple[str, ...]:
    """Return notes on the measurements and on contestants that could not be run."""
    limit = "no memory limit" if settings.memory is None else f"{settings.memory / 1e9:g} GB each"
    notes = [
        f"CPU seconds of fit() on all threads, shortest of up to {settings.repeats}; every fit in its own process,"
        f" in turn; limits {settings.seconds:g} s, {limit}. * proved; TO: time limit.",
    ]
    if settings.jobs > 1:
        notes.append(f"{settings.jobs} fits ran in parallel (--jobs): times are longer than on an idle machine.")
    notes += [f"Peak memory: {how}." for how in results.measured()]
    notes += [f"{name}: not available, {reason}." for name, reason in results.unavailable().items()]
    return tuple(notes)
