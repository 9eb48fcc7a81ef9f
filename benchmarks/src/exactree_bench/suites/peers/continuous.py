"""exactree and ConTree on continuous datasets, on one thread; then exactree on two threads against one."""

from typing import ClassVar

from exactree_bench import formatting
from exactree_bench.datasets import continuous
from exactree_bench.datasets.case import Case
from exactree_bench.runner.checks import contradictions
from exactree_bench.runner.job import Match
from exactree_bench.runner.outcome import Outcome
from exactree_bench.runner.results import Results
from exactree_bench.suites.interface import Report, Section, Settings, Suite, common_notes
from exactree_bench.suites.peers.binary import record, threads, unproved
from exactree_bench.suites.peers.plan import matches
from exactree_bench.suites.peers.summary import OURS, Ratio, Target, mean_target, speed_up, threads_target, worst_target

RIVALS = ("ConTree", "ConTree unsorted")  # the better of them counts
PEERS = (OURS, *RIVALS)
DEPTHS = (2, 3, 4)
DEEPEST_FOR_ALL = 3
DEEP = ("bank", "wilt", "bidding", "room", "segment", "raisin", "rice", "skin")  # the sets of depth 4
WORTH_TIMING = 0.5  # CPU seconds of ConTree: below, start-up is most of the time
QUICK = ("wilt", "bidding", "room")  # proved by ConTree at depth 4 in two minutes
HARD = ("segment", "raisin", "rice")  # not proved
SMALL_GAP = 0.05


class PeersContinuous(Suite):
    """Time to proof on continuous datasets."""

    name: ClassVar[str] = "peers-continuous"
    about: ClassVar[str] = "exactree and ConTree on continuous sets at depths 2, 3 and 4; two threads against one"

    def plan(self, settings: Settings, results: Results) -> list[Match]:
        """Plan all contestants on one thread, then exactree on two threads where one needs more than a second."""
        pairs = [(case, depth) for depth in settings.depths or DEPTHS for case in cases(settings, depth)]
        return matches(settings, results, pairs, PEERS)

    def report(self, settings: Settings, results: Results) -> Report:
        """Compare by set, summarize, and check every proof."""
        depths = settings.depths or DEPTHS
        names = {depth: [case.name for case in cases(settings, depth)] for depth in depths}
        sections = [comparison(results, depth, names[depth]) for depth in depths]
        if any(speed_up(results, name, depth) for depth in depths for name in names[depth]):
            sections.append(threads(results, names))
        return Report(
            sections=(*sections, summary(results, names)),
            contradictions=tuple(contradictions(results, continuous.KNOWN)),
            unreached=tuple(unproved(results, names)),
            notes=common_notes(settings, results),
        )


def cases(settings: Settings, depth: int) -> list[Case]:
    """Return the sets of a depth: all up to depth 3, a selection beyond unless sets are named."""
    chosen = settings.chosen(continuous.CASES)
    if depth <= DEEPEST_FOR_ALL or settings.sets is not None:
        return chosen
    return [case for case in chosen if case.name in DEEP]


def better(results: Results, name: str, depth: int) -> Outcome | None:
    """Return the faster proof of the two ConTree contestants, or else the better outcome."""
    runs = [run for rival in RIVALS if (run := results.get(name, depth, rival)) is not None and run.cpu]
    return min(runs, key=lambda run: (not run.proved, run.cpu), default=None)


def ratio(results: Results, name: str, depth: int) -> Ratio | None:
    """ConTree over exactree; a run stopped at its limit counts with its time, and the sign marks a bound."""
    ours, rival = results.get(name, depth, OURS), better(results, name, depth)
    if ours is None or rival is None or not ours.cpu or not rival.cpu or not (ours.proved or rival.proved):
        return None
    sign = "" if ours.proved and rival.proved else ">" if ours.proved else "<"
    return Ratio(rival.cpu / ours.cpu, sign)


def comparison(results: Results, depth: int, names: list[str]) -> Section:
    """Return errors and seconds of each contestant, and the speed-up of exactree over the better ConTree."""
    header = ("set", *(f"{name} {what}" for what in ("errors", "CPU s") for name in PEERS), "ConTree / exactree")
    rows, records = [], []
    for name in names:
        runs = [results.get(name, depth, peer) for peer in PEERS]
        found = ratio(results, name, depth)
        times = "-" if found is None else str(found)
        rows.append((name, *map(formatting.errors, runs), *map(formatting.time_taken, runs), times))
        records.append(record(name, depth, dict(zip(PEERS, runs, strict=True))))
    return Section(f"depth-{depth}", f"Depth {depth}, one thread", header, tuple(rows), tuple(records))


def ratios(results: Results, depth: int, names: list[str], least: float = 0.0) -> dict[str, Ratio]:
    """Return the ratios of the sets where ConTree takes at least ``least`` seconds."""
    found = {name: ratio(results, name, depth) for name in names}
    rivals = {name: better(results, name, depth) for name in names}
    return {
        name: value
        for name, value in found.items()
        if value is not None and (run := rivals[name]) is not None and (run.cpu or 0.0) >= least
    }


def summary(results: Results, names: dict[int, list[str]]) -> Section:
    """Return the summary with the targets."""
    paper = {case.name for case in continuous.CONTREE}
    shallow, middle, deep = (names.get(depth, []) for depth in DEPTHS)
    timed = ratios(results, 3, [name for name in middle if name in paper], WORTH_TIMING)
    binoct = ratios(results, 3, [name for name in middle if name not in paper], WORTH_TIMING)
    quick = ratios(results, 4, [name for name in deep if name in QUICK])
    skin = {
        depth: ratios(results, depth, [name for name in names.get(depth, []) if name == "skin"]) for depth in (3, 4)
    }
    targets = [
        mean_target("depth 3: ConTree / exactree, geometric mean of its paper's sets from 0.5 s on", timed, 20.0),
        worst_target(timed, 6.0),
        mean_target("depth 3: the same, BinOCT's sets", binoct, 20.0),
        worst_target(binoct, 20.0),
        *(mean_target(f"skin, depth {depth}", found, 10.0) for depth, found in skin.items()),
        worst_target(quick, 20.0, f"depth 4: worst of {', '.join(QUICK)}"),
        *(gap_target(results, name) for name in deep if name in HARD),
        worst_target(ratios(results, 2, shallow), 1.0, "depth 2: worst set"),
        threads_target(results, names, 1.7),
    ]
    rows = tuple(target.row() for target in targets)
    header = ("measure", "ConTree", OURS, "target", "met")
    return Section("summary", "Summary", header, rows, tuple(dict(zip(header, row, strict=True)) for row in rows))


def gap_target(results: Results, name: str) -> Target:
    """Return the row of a hard set: proved, or its gap."""
    ours, rival = results.get(name, 4, OURS), better(results, name, 4)
    gap = None
    if ours is not None and ours.errors and ours.bound is not None:
        gap = (ours.errors - ours.bound) / ours.errors
    text = "-" if ours is None else formatting.time_taken(ours)
    if ours is not None and not ours.proved and gap is not None:
        text = f"gap {gap:.1%}"
    met = None if ours is None else ours.proved or (gap is not None and gap < SMALL_GAP)
    return Target(
        f"{name}, depth 4", formatting.time_taken(rival) or "-", text, f"proved, or a gap below {SMALL_GAP:.0%}", met
    )
