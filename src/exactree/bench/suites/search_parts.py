"""What each part of the search on bit sets is worth: the same proofs with one part left out at a time."""

from typing import ClassVar

from exactree.bench import figures
from exactree.bench.checks import contradictions
from exactree.bench.contestants.search import SEARCH, WITHOUT
from exactree.bench.job import Match
from exactree.bench.results import Results
from exactree.bench.suites import cp4im
from exactree.bench.suites.interface import Report, Section, Settings, common_notes

NAMES = (SEARCH.name, *(contestant.name for contestant in WITHOUT))
SETS = ("anneal", "australian-credit", "german-credit", "heart-cleveland", "kr-vs-kp", "vehicle", "vote", "yeast")
DEPTH = 4


class SearchParts:
    """The search, and the search without one of its parts."""

    name: ClassVar[str] = "search-parts"
    about: ClassVar[str] = "the search with each of its parts left out in turn, on eight CP4IM sets at depth 4"

    def plan(self, settings: Settings, results: Results) -> list[Match]:
        """Return one match per set and depth."""
        return [
            settings.match(case, depth, [(name, 1) for name in NAMES])
            for depth in settings.depths or (DEPTH,)
            for case in settings.chosen(cp4im.CASES)
            if settings.sets is not None or case.name in SETS
        ]

    def report(self, settings: Settings, results: Results) -> Report:
        """Give the times, and how many times as long each part's absence takes."""
        depths = settings.depths or (DEPTH,)
        return Report(
            sections=tuple(_section(results, depth) for depth in depths),
            contradictions=tuple(contradictions(results, {})),
            notes=common_notes(settings, results),
        )


def _section(results: Results, depth: int) -> Section:
    names = [name for name, at in results.problems() if at == depth]
    rows, records = [], []
    factors: dict[str, list[float]] = {name: [] for name in NAMES}
    for case in names:
        runs = {name: results.get(case, depth, name) for name in NAMES}
        whole = runs[SEARCH.name]
        for name, run in runs.items():
            if run and whole and run.proved and whole.proved and run.cpu and whole.cpu:
                factors[name].append(run.cpu / whole.cpu)
        rows.append((case, *(figures.time_taken(run) for run in runs.values())))
        records.append({"set": case, "depth": depth} | {name: run.cpu for name, run in runs.items() if run})
    means = {name: figures.geometric_mean(ratios) for name, ratios in factors.items()}
    rows.append(("times as long", *("-" if mean is None else f"{mean:.2f}" for mean in means.values())))
    title = f"Depth {depth}: CPU seconds of fit; the last line is the geometric mean of the sets both prove"
    return Section(f"depth-{depth}", title, ("set", *NAMES), tuple(rows), tuple(records))
