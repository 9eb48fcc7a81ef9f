"""The summary of ``peers-binary``: speed-ups, proofs and memory, with their targets."""

from collections.abc import Iterable
from dataclasses import dataclass

from exactree_bench import formatting
from exactree_bench.runner.outcome import Status
from exactree_bench.runner.results import Results
from exactree_bench.suites.interface import Section

OURS, RIVAL = "exactree", "STreeD"
PEERS = (OURS, RIVAL, "pydl8.5")
THREADS = "threads"  # the part of the suite with two threads
WORTH_TIMING = 0.05  # CPU seconds of STreeD: below, its Python call is most of the time
HARD = "german-credit"
SHALLOW, DEEP = 4, 5

Names = dict[int, list[str]]  # sets, by depth


@dataclass(frozen=True, slots=True)
class Ratio:
    """STreeD's CPU seconds over exactree's. ``sign`` marks a bound, where one of them has no proof.

    Examples
    --------
    >>> str(Ratio(12.34)), str(Ratio(7.0, ">"))
    ('12.3', '> 7.0')
    """

    value: float
    sign: str = ""

    def __str__(self) -> str:
        return f"{self.sign} {self.value:.1f}".strip()


@dataclass(frozen=True, slots=True)
class Target:
    """One line of the summary."""

    measure: str
    rival: str
    ours: str
    target: str
    met: bool | None  # None: unknown

    def row(self) -> tuple[str, ...]:
        """Return the cells as text."""
        return (self.measure, self.rival, self.ours, self.target, {True: "yes", False: "NO", None: "-"}[self.met])


def ratio(results: Results, name: str, depth: int) -> Ratio | None:
    """STreeD over exactree; a run stopped at its limit counts with its time, and the sign marks a bound."""
    ours, rival = results.get(name, depth, OURS), results.get(name, depth, RIVAL)
    if ours is None or rival is None or not ours.cpu or not rival.cpu:
        return None
    ends = {Status.PROVED, Status.STOPPED}
    if not {ours.status, rival.status} <= ends or not (ours.proved or rival.proved):
        return None
    sign = "" if ours.proved and rival.proved else ">" if ours.proved else "<"
    return Ratio(rival.cpu / ours.cpu, sign)


def speed_up(results: Results, name: str, depth: int) -> float | None:
    """Return the ratio of wall times on one and on two threads."""
    one, two = (results.get(name, depth, OURS, threads=n, part=THREADS) for n in (1, 2))
    if one is None or two is None or not (one.proved and two.proved and one.wall and two.wall):
        return None
    return one.wall / two.wall


def worth_timing(results: Results, names: Iterable[str], depth: int) -> dict[str, Ratio]:
    """Return the ratios of the sets where STreeD takes long enough for a meaningful ratio."""
    found = {name: ratio(results, name, depth) for name in names}
    rivals = {name: results.get(name, depth, RIVAL) for name in found}
    return {
        name: value
        for name, value in found.items()
        if value is not None and (run := rivals[name]) is not None and (run.cpu or 0.0) >= WORTH_TIMING
    }


def summary(results: Results, names: Names, limit: float) -> Section:
    """Return the summary with the targets."""
    shallow, deep = names.get(SHALLOW, []), [name for name in names.get(DEEP, []) if name != HARD]
    timed = worth_timing(results, shallow, SHALLOW)
    targets = [
        mean_target(f"depth {SHALLOW}: STreeD / exactree, geometric mean of sets with STreeD >= 50 ms", timed, 12.0),
        worst_target(timed, 4.0),
        proved_target(results, shallow, limit),
        mean_target(
            f"depth {DEEP}: STreeD / exactree, geometric mean",
            {name: value for name in deep if (value := ratio(results, name, DEEP)) is not None},
            8.0,
        ),
        hard_target(results, names, limit),
        threads_target(results, names, 1.7),
        *memory_targets(results, names),
    ]
    rows = tuple(target.row() for target in targets)
    header = ("measure", RIVAL, OURS, "target", "met")
    records = tuple(dict(zip(header, row, strict=True)) for row in rows)
    return Section("summary", "Summary", header, rows, records)


def mean_target(measure: str, ratios: dict[str, Ratio], target: float) -> Target:
    """Return the row of the geometric mean of ratios, bounds included."""
    mean = formatting.geometric_mean(found.value for found in ratios.values())
    bounds = sum(found.sign != "" for found in ratios.values())
    counted = f"{len(ratios)} set{'s' * (len(ratios) != 1)}" + (f", {bounds} of them bounds" if bounds else "")
    ours = "-" if mean is None else f"{mean:.1f} ({counted})"
    return Target(measure, "1", ours, f">= {target:g}", None if mean is None else mean >= target)


def worst_target(ratios: dict[str, Ratio], target: float, measure: str = "worst set in that list") -> Target:
    """Return the row of the set with the smallest ratio."""
    if not ratios:
        return Target(measure, "1", "-", f">= {target:g}", None)
    name = min(ratios, key=lambda name: ratios[name].value)
    return Target(measure, "1", f"{ratios[name]} ({name})", f">= {target:g}", ratios[name].value >= target)


def proved_target(results: Results, names: list[str], limit: float) -> Target:
    """Return the row of the number of proved sets."""
    counts = {}
    for peer in (OURS, RIVAL):
        runs = [run for name in names if (run := results.get(name, SHALLOW, peer)) is not None]
        counts[peer] = (sum(run.proved for run in runs), len(runs))
    proved, tried = counts[OURS]
    texts = {peer: f"{count[0]} of {count[1]}" for peer, count in counts.items()}
    measure = f"proved at depth {SHALLOW} within {limit:g} s"
    return Target(measure, texts[RIVAL], texts[OURS], "all", proved == tried if tried else None)


def hard_target(results: Results, names: Names, limit: float) -> Target:
    """Return the row of the set that STreeD does not prove in a minute."""
    texts = {}
    for peer in (OURS, RIVAL):
        run = results.get(HARD, DEEP, peer) if HARD in names.get(DEEP, []) else None
        took = "-" if run is None else formatting.time_taken(run)
        texts[peer] = f"proved in {took} s" if run is not None and run.proved else took
    ours = results.get(HARD, DEEP, OURS)
    met = None if texts[OURS] == "-" or ours is None else ours.proved
    rival = f"not in {limit:g} s" if texts[RIVAL] == "TO" else texts[RIVAL]
    return Target(f"{HARD} depth {DEEP}", rival, texts[OURS], "proved", met)


def threads_target(results: Results, names: Names, target: float) -> Target:
    """Return the row of the mean speed-up by a second thread."""
    gains = [gain for depth in names for name in names[depth] if (gain := speed_up(results, name, depth)) is not None]
    mean = formatting.geometric_mean(gains)
    ours = "-" if mean is None else f"{mean:.2f} ({len(gains)} set{'s' * (len(gains) != 1)})"
    return Target(
        "2 threads over 1, sets above 1 s", "-", ours, f">= {target:g}", None if mean is None else mean >= target
    )


def memory_targets(results: Results, names: Names) -> list[Target]:
    """Compare peak memory where both have a proof: a stopped search may not have reached its peak."""
    pairs = [
        (ours.memory, rival.memory)
        for depth in names
        for name in names[depth]
        if (ours := results.get(name, depth, OURS)) is not None
        and (rival := results.get(name, depth, RIVAL)) is not None
        and ours.proved
        and rival.proved
        and ours.memory is not None
        and rival.memory is not None
    ]
    if not pairs:
        return [Target("peak memory over the input, MB, sets proved by both", "-", "-", f"not above {RIVAL}", None)]

    ours_peaks, rival_peaks = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    within = max(ours_peaks) <= max(rival_peaks)
    above = sum(ours > rival for ours, rival in pairs)
    return [
        Target(
            "peak memory over the input, MB, sets proved by both",
            span(rival_peaks),
            span(ours_peaks),
            f"not above {RIVAL}",
            within,
        ),
        Target("of these, sets where exactree takes more memory", "-", f"{above} of {len(pairs)}", "0", above == 0),
    ]


def span(peaks: list[int]) -> str:
    """Format the smallest and the largest of some byte counts.

    Examples
    --------
    >>> span([3_000_000, 1_000_000])
    '1.0 to 3.0'
    """
    return f"{formatting.megabytes(min(peaks))} to {formatting.megabytes(max(peaks))}"
