"""Errors and bound over time at depths 4 to 8: exactree, CART, LicketySPLIT, pytrees, STreeD and ConTree."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from exactree_bench.datasets import continuous, cp4im
from exactree_bench.datasets.case import Case
from exactree_bench.published.anytime import FIGURES
from exactree_bench.published.dl85 import TABLE_2_ROWS
from exactree_bench.published.optima import KNOWN
from exactree_bench.runner.checks import contradictions
from exactree_bench.runner.job import Match
from exactree_bench.runner.outcome import Status
from exactree_bench.runner.results import Results
from exactree_bench.suites.anytime import figures, tables, targets
from exactree_bench.suites.anytime.states import ANYTIME, LADDER_PEERS, LICKETYSPLIT, OURS, Kind, States, part
from exactree_bench.suites.dl85.comparison import proofs
from exactree_bench.suites.interface import Report, Settings, Suite, common_notes

DEPTHS = (4, 5, 6, 7, 8)
LADDER = (0.1, 0.3, 1.0, 3.0, 10.0, 60.0)  # seconds
# Those of the ConTree paper, and spambase, which is in the table of figures to beat.
NUMBERS = tuple(case for case in continuous.APART if case.name == "spambase" or case.file.startswith("continuous/"))
CASES: dict[Kind, tuple[Case, ...]] = {"bits": cp4im.CASES, "numbers": NUMBERS}


class Anytime(Suite):
    """Errors and bound after each step of a ladder of times."""

    name: ClassVar[str] = "anytime"
    about: ClassVar[str] = (
        "errors and bound after 0.1 to 60 s at depths 4 to 8: exactree, CART, LicketySPLIT, pytrees, STreeD, ConTree"
    )
    accepts: ClassVar[tuple[str, ...]] = ("ladder",)

    def plan(self, settings: Settings, results: Results) -> list[Match]:
        """Run anytime methods once, for the longest time, and the others once per step until they have a proof."""
        steps, planned = ladder(settings), []
        for kind, depth, case in problems(settings):
            once = [(name, 1) for name in (OURS, "CART", LICKETYSPLIT, ANYTIME[kind])]
            planned.append(replace(settings.match(case, depth, once), seconds=steps[-1], repeats=1))
            for seconds in due(results, case, depth, LADDER_PEERS[kind], steps):
                match = settings.match(case, depth, [(LADDER_PEERS[kind], 1)], part(seconds))
                planned.append(replace(match, seconds=seconds, repeats=1))
        return [match for match in planned if match.entries]

    def report(self, settings: Settings, results: Results) -> Report:
        """Compare errors over time, check the goals, and draw."""
        steps = ladder(settings)
        names = {kind: [case.name for at, _, case in problems(settings) if at == kind] for kind in CASES}
        sets = {kind: list(dict.fromkeys(found)) for kind, found in names.items()}
        states = States(results, sets, settings.depths or DEPTHS, steps)
        optima = {**KNOWN, 4: proofs(TABLE_2_ROWS) | KNOWN[4]}
        stem = settings.output / self.name
        return Report(
            sections=(*tables.all_sections(states), *targets.all_sections(states)),
            contradictions=tuple(contradictions(results, optima)),
            unreached=tuple(targets.unreached(states)),
            notes=(*notes(states), *common_notes(replace(settings, repeats=1, seconds=steps[-1]), results)),
            figures=tuple(figures.draw(states, stem)),
        )


def problems(settings: Settings) -> list[tuple[Kind, int, Case]]:
    """Return kind, depth and case of all problems, in order."""
    every = [case for cases in CASES.values() for case in cases]
    figures_of = {name for name, _ in FIGURES}
    groups = {"cp4im": CASES["bits"], "numbers": CASES["numbers"]}
    chosen = settings.chosen(every, {**groups, "figures": [case for case in every if case.name in figures_of]})
    return [
        (kind, depth, case)
        for kind, cases in CASES.items()
        for depth in settings.depths or DEPTHS
        for case in cases
        if case in chosen
    ]


def ladder(settings: Settings) -> tuple[float, ...]:
    """Return the steps: those asked for, or the usual ones below the time limit, and the limit.

    Examples
    --------
    >>> from pathlib import Path
    >>> ladder(Settings(Path(), Path(), seconds=5.0))
    (0.1, 0.3, 1.0, 3.0, 5.0)
    """
    return settings.ladder or (*(step for step in LADDER if step < settings.seconds), settings.seconds)


def due(results: Results, case: Case, depth: int, name: str, steps: Sequence[float]) -> Sequence[float]:
    """Return the steps of a method that is run once per step: up to the first with a proof, and one more to run."""
    for at, seconds in enumerate(steps):
        found = results.get(case.name, depth, name, part=part(seconds))
        if found is None or found.proved or found.status in (Status.MISSING, Status.FAILED):
            return steps[: at + 1]
    return steps


def notes(states: States) -> list[str]:
    """Say how times were taken."""
    busy = states.share_of_cpu()
    return [
        "CPU seconds since fit() began. exactree and pytrees: one run, with the errors of every improvement, stopped "
        "by the clock after the last step; STreeD and ConTree: one run per step, stopped by the clock, until the first "
        "proof; CART and LicketySPLIT: one point.",
        *([] if busy is None else [f"exactree had a processor for {busy:.0%} of the time by the clock."]),
        "LicketySPLIT asks 0/1 columns: numbers get the thresholds of its own binarizer, within its time.",
        "Normalised gap: (errors - best known) / errors, 100 % without a tree; best known: of all contestants and "
        "times here, of the figures to beat, and of known optima.",
    ]
