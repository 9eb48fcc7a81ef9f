"""The plan of the suites with peers: all on one thread, then exactree on two threads where a fit takes long."""

from collections.abc import Sequence

from exactree_bench.datasets.case import Case
from exactree_bench.runner.job import Match
from exactree_bench.runner.results import Results
from exactree_bench.suites.interface import Settings
from exactree_bench.suites.peers.summary import OURS, THREADS

LONG = 1.0  # seconds: sets above are run on two threads as well


def matches(
    settings: Settings, results: Results, pairs: Sequence[tuple[Case, int]], peers: Sequence[str]
) -> list[Match]:
    """Return the matches known so far for these sets and depths."""
    planned = [settings.match(case, depth, [(name, 1) for name in peers]) for case, depth in pairs]
    for case, depth in pairs:
        alone = results.get(case.name, depth, OURS)
        if alone is not None and alone.proved and (alone.wall or 0.0) > LONG:
            planned.append(settings.match(case, depth, [(OURS, 1), (OURS, 2)], part=THREADS))
    return planned
