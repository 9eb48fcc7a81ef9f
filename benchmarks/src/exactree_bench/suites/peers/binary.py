"""exactree, STreeD and pydl8.5 on the CP4IM sets, on one thread; then exactree on two threads against one."""

from typing import ClassVar

from exactree_bench import formatting
from exactree_bench.datasets import cp4im
from exactree_bench.datasets.case import Case
from exactree_bench.published.dl85 import TABLE_2_ROWS
from exactree_bench.published.optima import KNOWN
from exactree_bench.runner.checks import contradictions
from exactree_bench.runner.job import Match
from exactree_bench.runner.outcome import Outcome
from exactree_bench.runner.results import Results
from exactree_bench.suites.dl85.comparison import proofs
from exactree_bench.suites.interface import Report, Section, Settings, Suite, common_notes
from exactree_bench.suites.peers.plan import matches
from exactree_bench.suites.peers.summary import OURS, PEERS, RIVAL, THREADS, ratio, speed_up, summary

# The sets of depth 5; STreeD does not prove the last one in a minute: it has its own line in the summary.
DEEP = (
    "anneal",
    "yeast",
    "kr-vs-kp",
    "diabetes",
    "australian-credit",
    "hypothyroid",
    "soybean",
    "vote",
    "german-credit",
)
DEPTHS = (4, 5)


class PeersBinary(Suite):
    """Time to proof on binary datasets."""

    name: ClassVar[str] = "peers-binary"
    about: ClassVar[str] = "exactree, STreeD and pydl8.5 on the CP4IM sets at depths 4 and 5; two threads against one"

    def plan(self, settings: Settings, results: Results) -> list[Match]:
        """Plan all contestants on one thread, then exactree on two threads where one needs more than a second."""
        pairs = [(case, depth) for depth in settings.depths or DEPTHS for case in cases(settings, depth)]
        return matches(settings, results, pairs, PEERS)

    def report(self, settings: Settings, results: Results) -> Report:
        """Compare by set, summarize, and check every proof."""
        depths = settings.depths or DEPTHS
        optima = {**KNOWN, 4: proofs(TABLE_2_ROWS) | KNOWN[4]}
        names = {depth: [case.name for case in cases(settings, depth)] for depth in depths}
        sections = [comparison(results, depth, names[depth]) for depth in depths]
        if any(speed_up(results, name, depth) for depth in depths for name in names[depth]):
            sections.append(threads(results, names))
        return Report(
            sections=(*sections, summary(results, names, settings.seconds)),
            contradictions=tuple(contradictions(results, optima)),
            unreached=tuple(unproved(results, names)),
            notes=common_notes(settings, results),
        )


def cases(settings: Settings, depth: int) -> list[Case]:
    """Return the sets of a depth: all up to depth 4, a selection from depth 5 on unless sets are named."""
    chosen = settings.chosen(cp4im.CASES)
    return chosen if depth < DEPTHS[1] or settings.sets is not None else [case for case in chosen if case.name in DEEP]


def unproved(results: Results, names: dict[int, list[str]]) -> list[str]:
    """Report where exactree has no proof."""
    runs = [(name, depth, results.get(name, depth, OURS)) for depth in names for name in names[depth]]
    return [
        f"{name}, depth {depth}: not proved by exactree ({formatting.time_taken(run)}, {formatting.errors(run)} errors)"
        for name, depth, run in runs
        if run is not None and not run.proved
    ]


def comparison(results: Results, depth: int, names: list[str]) -> Section:
    """Return errors, seconds and memory of each contestant, and the speed-up of exactree."""
    header = ("set", *(f"{name} {what}" for what in ("errors", "CPU s", "MB") for name in PEERS), f"{RIVAL} / {OURS}")
    rows, records = [], []
    for name in names:
        runs = [results.get(name, depth, peer) for peer in PEERS]
        found = ratio(results, name, depth)
        rows.append(
            (
                name,
                *map(formatting.errors, runs),
                *map(formatting.time_taken, runs),
                *(formatting.megabytes(run.memory if run else None) for run in runs),
                "-" if found is None else str(found),
            )
        )
        records.append(record(name, depth, dict(zip(PEERS, runs, strict=True))))
    return Section(f"depth-{depth}", f"Depth {depth}, one thread", header, tuple(rows), tuple(records))


def record(name: str, depth: int, runs: dict[str, Outcome | None]) -> dict[str, object]:
    """Return the record of one set for CSV and JSON."""
    out: dict[str, object] = {"set": name, "depth": depth}
    for peer, run in runs.items():
        if run is not None:
            out |= {
                f"{peer} errors": run.errors,
                f"{peer} status": run.status.value,
                f"{peer} cpu_seconds": run.cpu,
                f"{peer} wall_seconds": run.wall,
                f"{peer} memory_bytes": run.memory,
                f"{peer} reason": run.reason,
            }
    return out


def threads(results: Results, names: dict[int, list[str]]) -> Section:
    """Return wall seconds of exactree on one and on two threads."""
    rows, records = [], []
    for depth, name in [(at, name) for at, sets in names.items() for name in sets]:
        gain = speed_up(results, name, depth)
        if gain is None:
            continue
        one, two = (results.get(name, depth, OURS, threads=n, part=THREADS) for n in (1, 2))
        walls = [run.wall if run else None for run in (one, two)]
        rows.append((name, str(depth), *map(formatting.seconds, walls), f"{gain:.2f}"))
        records.append({"set": name, "depth": depth, "one": walls[0], "two": walls[1], "speed_up": gain})
    header = ("set", "depth", "1 thread, s", "2 threads, s", "speed-up")
    return Section(THREADS, f"{OURS} on two threads, wall seconds", header, tuple(rows), tuple(records))
