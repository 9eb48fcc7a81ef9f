"""Consistency of results: proved optima must agree with each other and with known ones, and no tree may be better."""

from collections.abc import Collection, Mapping

from exactree_bench.runner.outcome import Outcome
from exactree_bench.runner.results import Results

HALF_AN_ERROR = 0.5  # errors are integers: claims and bounds within half of one are the same count


def contradictions(
    results: Results, known: Mapping[int, Mapping[str, int]] | None = None, fewer: Collection[str] = ()
) -> list[str]:
    """Report all pairs of results that contradict each other. ``known`` has errors of optimal trees, by depth and case.

    An unproved tree with more errors than the optimum is no contradiction. Contestants in ``fewer`` choose among fewer
    questions than the others: their proofs are not tested against trees of the others.
    """
    found = []
    for case, depth in results.problems():
        runs = results.all_runs(case, depth)
        where = f"{case}, depth {depth}"
        found += [f"{where}: {text}" for text in _against_known(runs, (known or {}).get(depth, {}).get(case))]
        found += [f"{where}: {text}" for text in disagreements(runs, fewer)]
    return list(dict.fromkeys(found))  # repeats report the same


def _against_known(runs: list[tuple[str, Outcome]], best: int | None) -> list[str]:
    if best is None:
        return []
    return [
        f"{name} {'proves' if run.proved else 'finds'} {run.errors} errors, but the optimum is known to be {best}"
        for name, run in runs
        if run.errors is not None and (run.errors < best or (run.proved and run.errors != best))
    ]


def disagreements(runs: list[tuple[str, Outcome]], fewer: Collection[str]) -> list[str]:
    """Report claims, proofs and bounds that the trees found for one problem refute."""
    texts = [
        f"{name} claims {run.claimed:g} errors, but its tree makes {run.errors}"
        for name, run in runs
        if run.errors is not None and run.claimed is not None and abs(run.claimed - run.errors) > HALF_AN_ERROR
    ]
    with_tree = [(name, run.errors) for name, run in runs if run.errors is not None]
    if not with_tree:
        return texts
    finder, fewest = min(with_tree, key=lambda pair: pair[1])
    for name, run in runs:
        if name in fewer:
            continue
        if run.proved and run.errors is not None and run.errors > fewest:
            texts.append(f"{name} proves {run.errors} errors, but {finder} finds {fewest}")
        elif run.bound is not None and run.bound > fewest + HALF_AN_ERROR:
            texts.append(f"{name} states that no tree has under {run.bound:g} errors, but {finder} finds {fewest}")
    return texts
