"""``exactree-bench``: run exactree and its peers side by side and compare errors, proofs, time and memory."""

import csv
import os
import sys
from argparse import Namespace
from pathlib import Path
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from exactree.cli import guarded
from exactree.cli import report as output
from exactree.datasets.nearest import did_you_mean
from exactree.errors import InputError
from exactree.estimators.parameters import read_bytes
from exactree_bench import formatting
from exactree_bench import options as command_line
from exactree_bench.runner.job import Job
from exactree_bench.runner.outcome import Outcome, Status
from exactree_bench.suites import SUITES, Report, Section, Settings, Suite, run_suite

AGREED = 0
CONTRADICTED = 1
NOT_REACHED = 3
FOLDER = "EXACTREE_DATA"  # the environment variable that names the data folder


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    options = command_line.read(argv)
    return guarded("exactree-bench", lambda: run(options))


def run(options: Namespace) -> int:
    """List the suites, or run one; the exit code reports whether the results agree."""
    if options.suite is None:
        return list_suites(json=options.json)
    if options.suite not in SUITES:
        hint = did_you_mean(options.suite, SUITES) or f" There are: {', '.join(SUITES)}."
        raise InputError(f"There is no suite {options.suite!r}.{hint}")
    suite = SUITES[options.suite]
    settings = read_settings(options, suite)
    try:
        with Display() as display:
            report = run_suite(suite, settings, display)
    except KeyboardInterrupt:
        runs = settings.output / suite.runs
        kept = (
            f"Finished fits are in {runs}; run the same command again to resume."
            if runs.exists()
            else "No fit finished."
        )
        raise KeyboardInterrupt(f"interrupted. {kept}") from None
    written = write_tables(suite, settings, report)
    if options.json:
        output.write_json(as_json(suite, settings, report, written))
    else:
        sys.stdout.write(as_text(report, written))
    return CONTRADICTED if report.contradictions else NOT_REACHED if report.unreached else AGREED


def list_suites(*, json: bool) -> int:
    """List the suites with their descriptions."""
    if json:
        output.write_json({"suites": [{"name": suite.name, "about": suite.about} for suite in SUITES.values()]})
    else:
        width = max(map(len, SUITES)) + 2
        lines = [f"{suite.name:<{width}}{suite.about}\n" for suite in SUITES.values()]
        sys.stdout.write("".join(lines) + "\nRun one: exactree-bench SUITE --time-limit 60\n")
    return AGREED


def read_settings(options: Namespace, suite: Suite) -> Settings:
    """Validate the options and return settings."""
    for name, minimum in (("jobs", 1), ("repeat", 1)):
        if getattr(options, name) < minimum:
            raise InputError(f"--{name} must be {minimum} or more; got {getattr(options, name)}.")
    seconds: float | None = getattr(options, "time_limit", suite.seconds)
    if seconds is None or seconds <= 0:
        raise InputError("--time-limit must be a number of seconds above 0.")
    reject_unused_options(options, suite)
    return Settings(
        data=data_folder(options.data),
        output=Path(options.output),
        seconds=seconds,
        memory=None if options.memory_limit.lower() == "none" else read_bytes(options.memory_limit),
        jobs=options.jobs,
        repeats=options.repeat,
        depths=options.depths,
        sets=None if options.sets is None else tuple(options.sets),
        contestants=None if options.contestants is None else tuple(options.contestants),
        fresh=options.fresh,
        backend=options.backend,
        seeds=options.seeds,
        alphas=options.alphas,
        skeletons=None if options.skeletons is None else tuple(options.skeletons),
        splits=None if options.splits is None else tuple(options.splits),
        ladder=options.ladder,
        prices=options.prices,
    )


def reject_unused_options(options: Namespace, suite: Suite) -> None:
    """Raise an error for options that the suite does not accept."""
    for name in dict.fromkeys(name for other in SUITES.values() for name in other.accepts):
        if getattr(options, name) is not None and name not in suite.accepts:
            able = ", ".join(other.name for other in SUITES.values() if name in other.accepts)
            raise InputError(f"--{name} does not apply to the suite {suite.name!r}, only to {able}. Leave it out.")
    if options.depths is not None and "skeletons" in suite.accepts:
        raise InputError(f"--depths does not apply to the suite {suite.name!r}: its skeletons define the depth.")


def data_folder(asked: str | None) -> Path:
    """Find the folder of benchmark tables."""
    text = asked or os.environ.get(FOLDER)
    if not text:
        raise InputError(
            f"The data folder is not set. Use --data FOLDER or the environment variable: export {FOLDER}=FOLDER. "
            "The folder has cp4im/anneal.csv.gz, uci/iris.csv.gz and so on, each with a last column 'class'."
        )
    if not Path(text).is_dir():
        raise InputError(f"{'--data' if asked else FOLDER} names {text!r}, which is not a folder. Check the path.")
    return Path(text)


class Display:
    """Progress on standard error: a line per finished fit and, on a terminal, a bar."""

    def __init__(self) -> None:
        self.console = Console(stderr=True, highlight=False, soft_wrap=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        self.progress = Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=self.console)
        self.bar = self.progress.add_task("starting", total=0)
        self.total = 0

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            self.progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.console.is_terminal:
            self.progress.stop()

    def begin(self, total: int) -> None:
        """Extend the bar by the jobs of a stage."""
        self.total += total
        self.progress.update(self.bar, total=self.total)

    def start(self, job: Job) -> None:
        """Show the job beside the bar."""
        self.progress.update(self.bar, description=label(job))

    def done(self, job: Job, outcome: Outcome | None, *, known: bool) -> None:
        """Advance the bar; print a line for a fit that was run."""
        self.progress.advance(self.bar)
        if outcome is not None and not known:
            why = f" ({outcome.reason})" if outcome.reason else ""
            ended = "not proved" if outcome.status is Status.STOPPED else outcome.status.value  # CART proves nothing
            taken = f"{formatting.errors(outcome)} errors, {formatting.seconds(outcome.cpu)} s, {ended}{why}"
            self.console.print(f"{label(job)}: {taken}", markup=False)


def label(job: Job) -> str:
    """Return a short description of a job."""
    threads = f" on {job.config.threads} threads" if job.config.threads > 1 else ""
    if job.config.layers is not None:
        return f"{job.case.name} {job.part} {job.contestant}{threads}"
    if job.config.price is not None:
        return f"{job.case.name} {job.part} {job.contestant}"
    return f"{job.case.name} depth {job.config.depth} {job.contestant}{threads}"


def write_tables(suite: Suite, settings: Settings, report: Report) -> list[Path]:
    """Write each table as CSV, and return the paths of all files of the suite."""
    paths = [settings.output / suite.runs]
    for section in report.sections:
        paths.append(settings.output / f"{suite.name}-{section.name}.csv")
        write_csv(section, paths[-1])
    return [*paths, *report.figures]


def write_csv(section: Section, path: Path) -> None:
    """Write one table; cells of a contestant that was not run stay empty."""
    names = list(dict.fromkeys(name for record in section.records for name in record))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(section.records)


def as_text(report: Report, written: list[Path]) -> str:
    """Format tables, notes and mismatches as text; mismatches last, where they are seen."""
    blocks = [f"{section.title}\n\n{formatting.aligned(section.header, section.rows)}" for section in report.sections]
    blocks.append("\n".join([*report.notes, *(f"wrote {path}" for path in written)]))
    if report.unreached:
        blocks.append("\n  ".join(["Not reached within the limits:", *report.unreached]))
    if report.contradictions:
        blocks.append("\n  ".join(["!!! MISMATCH: these results contradict each other !!!", *report.contradictions]))
    else:
        blocks.append("All proofs agree.")
    return "\n\n".join(blocks) + "\n"


def as_json(suite: Suite, settings: Settings, report: Report, written: list[Path]) -> dict[str, object]:
    """Return the same as JSON."""
    return {
        "suite": suite.name,
        "time_limit": settings.seconds,
        "memory_limit": settings.memory,
        "tables": {section.name: list(section.records) for section in report.sections},
        "mismatches": list(report.contradictions),
        "not_reached": list(report.unreached),
        "notes": list(report.notes),
        "paths": [str(path) for path in written],
    }
