"""What every suite has, and how one is run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Protocol

from exactree.datasets.nearest import did_you_mean
from exactree.errors import InputError
from exactree_bench.contestants import CONTESTANTS, entry_version
from exactree_bench.datasets import synthetic
from exactree_bench.datasets.case import Case
from exactree_bench.runner.job import Entry, Match
from exactree_bench.runner.results import Results
from exactree_bench.runner.run_log import Ledger
from exactree_bench.runner.runner import Callback, Runner


@dataclass(frozen=True, slots=True)
class Settings:
    """What was asked for; ``None`` leaves the choice to the suite."""

    data: Path  # folder of the tables
    output: Path  # folder for what is written
    seconds: float = 60.0
    memory: int | None = 4 * 10**9
    jobs: int = 1
    repeats: int = 3
    depths: tuple[int, ...] | None = None
    sets: tuple[str, ...] | None = None
    contestants: tuple[str, ...] | None = None
    fresh: bool = False
    backend: str | None = None  # who spreads fits; None: processes of this machine
    seeds: tuple[int, ...] | None = None  # these four only for suites that take them
    alphas: tuple[float, ...] | None = None
    skeletons: tuple[str, ...] | None = None
    splits: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for name in self.contestants or ():
            if name not in CONTESTANTS:
                hint = did_you_mean(name, CONTESTANTS) or f" There are: {', '.join(CONTESTANTS)}."
                raise InputError(f"--contestants names {name!r}, which takes part in no suite.{hint}")

    def match(self, case: Case, depth: int, entries: Sequence[tuple[str, int]], part: str = "main") -> Match:
        """Return a match under these limits between (contestant, threads), of those asked for."""
        wanted = [entry for entry in entries if self.contestants is None or entry[0] in self.contestants]
        named = tuple(Entry(name, entry_version(name), threads) for name, threads in wanted)
        return Match(case, depth, named, self.seconds, self.memory, self.repeats, part)

    def chosen(self, cases: Sequence[Case]) -> list[Case]:
        """Return the cases asked for, in the suite's order."""
        if self.sets is None:
            return list(cases)
        names = [case.name for case in cases]
        for name in self.sets:
            if name not in names:
                hint = did_you_mean(name, names) or f" It has: {', '.join(names)}."
                raise InputError(f"--sets names {name!r}, which the suite does not have.{hint}")
        return [case for case in cases if case.name in self.sets]


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
    """What a suite tells at its end."""

    sections: tuple[Section, ...]
    contradictions: tuple[str, ...] = ()  # two statements that cannot both be true: somebody has a bug
    unreached: tuple[str, ...] = ()  # published or known results that were not reached within the limits
    notes: tuple[str, ...] = ()
    pictures: tuple[Path, ...] = field(default=())


class Suite(Protocol):
    """A set of matches and a report on them."""

    name: ClassVar[str]
    about: ClassVar[str]
    seconds: ClassVar[float] = 60.0  # per fit, unless the user says otherwise
    takes: ClassVar[tuple[str, ...]] = ()  # settings of its own: seeds, alphas, skeletons, splits

    @property
    def runs(self) -> str:
        """File of the finished fits, in the output folder."""
        return f"{self.name}-runs.csv"

    def plan(self, settings: Settings, results: Results) -> list[Match]:
        """Return all matches wanted so far; asked again with their results until there are no new ones."""
        ...

    def report(self, settings: Settings, results: Results) -> Report:
        """Sum up."""
        ...


def run_suite(suite: Suite, settings: Settings, callback: Callback) -> Report:
    """Run what a suite plans, stage by stage, and report. What is finished is in a file of the output folder."""
    settings.output.mkdir(parents=True, exist_ok=True)
    ledger = Ledger(settings.output / suite.runs, fresh=settings.fresh)
    runner = Runner(settings.data, ledger, callback, settings.backend)
    matches: list[Match] = []
    while new := [match for match in suite.plan(settings, Results(matches, ledger)) if match not in matches]:
        require_tables(new, settings.data)
        # threads are measured on a machine of their own
        several = any(entry.threads > 1 for match in new for entry in match.entries)
        runner.run(new, workers=1 if several else settings.jobs)
        matches += new
    return suite.report(settings, Results(matches, ledger))


def require_tables(matches: Sequence[Match], folder: Path) -> None:
    """Refuse to start when a table is missing, rather than find out hours later."""
    for match in matches:
        if match.case.file not in synthetic.MAKERS and not (folder / match.case.file).is_file():
            raise InputError(
                f"The data folder {str(folder)!r} has no {match.case.file!r}. Set EXACTREE_DATA or --data to the "
                "folder of benchmark tables, or choose others with --sets."
            )


def common_notes(settings: Settings, results: Results) -> tuple[str, ...]:
    """Say how things were measured and who could not take part."""
    limit = "no memory limit" if settings.memory is None else f"{settings.memory / 1e9:g} GB each"
    notes = [
        f"CPU seconds of fit() on all threads, shortest of up to {settings.repeats}; every fit in a process of its own,"
        f" in turn; limits {settings.seconds:g} s, {limit}. * proved; TO: time limit.",
    ]
    if settings.jobs > 1:
        notes.append(f"{settings.jobs} fits ran side by side (--jobs): times are longer than on a quiet machine.")
    notes += [f"Peak memory: {how}." for how in results.measured()]
    notes += [f"{name}: not available, {reason}." for name, reason in results.absent().items()]
    return tuple(notes)
