"""The goals of the suite ``anytime``: beside LicketySPLIT, the figures to beat, bounds, and deeper is never worse."""

from collections.abc import Sequence

from exactree_bench import formatting
from exactree_bench.published.anytime import FIGURES, GAPS
from exactree_bench.suites.anytime.states import LICKETYSPLIT, OURS, Kind, Problem, States
from exactree_bench.suites.interface import Section
from exactree_bench.suites.peers.summary import Target

SOON = 0.1  # seconds: a quicker LicketySPLIT is compared at this time
LATER = 10.0
GOAL_DEPTHS = (5, 6, 7)  # on bits
SHARE = 0.9

Cells = dict[Problem, bool]  # whether a goal is met


def all_sections(states: States) -> list[Section]:
    """Return the tables of goals."""
    return [section for section in (beside(states), figures(states), summary(states)) if section.rows]


def against(states: States, problem: Problem, seconds: float | None) -> bool | None:
    """Whether exactree is no worse than LicketySPLIT, after its time or after some seconds; ``None`` if unknown."""
    rival = states.run(problem, LICKETYSPLIT)
    if rival is None or rival.errors is None or states.run(problem, OURS) is None:
        return None
    ours = states.errors(problem, OURS, max(SOON, rival.cpu or 0.0) if seconds is None else seconds)
    return ours is not None and ours <= rival.errors


def cells(states: States, kind: Kind, depths: Sequence[int], seconds: float | None) -> Cells:
    """Return the known comparisons with LicketySPLIT."""
    problems = [problem for problem in states.problems(kind) if problem.depth in depths]
    return {each: met for each in problems if (met := against(states, each, seconds)) is not None}


def beside(states: States) -> Section:
    """Return the share of cells with no more errors than LicketySPLIT, by depth."""
    later = min(LATER, states.steps[-1])
    header = ("tables, depth", "cells", "after its time", f"after {later:g} s")
    rows, records = [], []
    for kind in ("bits", "numbers"):
        for depth in states.depths:
            soon, late = (cells(states, kind, (depth,), seconds) for seconds in (None, later))
            if soon:
                rows.append((f"{kind}, {depth}", str(len(soon)), _share(soon), _share(late)))
                records.append(
                    {"tables": kind, "depth": depth, "cells": len(soon)}
                    | {"soon": sum(soon.values()), "later": sum(late.values())}
                )
    title = f"Cells where {OURS} is no worse than {LICKETYSPLIT}, after its time ({SOON:g} s at least) and later"
    return Section("beside-licketysplit", title, header, tuple(rows), tuple(records))


def _share(found: Cells) -> str:
    return f"{sum(found.values())} ({sum(found.values()) / len(found):.0%})" if found else "-"


def met_figures(states: States, seconds: float) -> Cells:
    """Return the figures to beat after some seconds, and whether they are met."""
    if seconds > states.steps[-1]:
        return {}
    return {
        problem: (found := states.errors(problem, OURS, seconds)) is not None and found <= figure.goals[seconds]
        for problem in states.problems()
        if (figure := FIGURES.get((problem.case, problem.depth))) is not None and states.run(problem, OURS) is not None
    }


def figures(states: States) -> Section:
    """Return the errors beside the figures to beat."""
    goals = [text for seconds in (1.0, LATER) for text in (f"goal {seconds:g} s", f"{OURS} {seconds:g} s", "met")]
    header = ("set", "depth", "prototype 1/10 s", "0.1.0 1/10 s", "CART", *goals)
    rows, records = [], []
    soon, late = met_figures(states, 1.0), met_figures(states, LATER)
    for problem in soon:
        figure = FIGURES[problem.case, problem.depth]
        found = {seconds: states.errors(problem, OURS, seconds) for seconds in (1.0, LATER)}
        rows.append(
            (
                problem.case,
                str(problem.depth),
                "/".join(map(str, figure.prototype[1:])),
                "/".join(map(str, figure.search)),
                str(figure.cart),
                *_goal(figure.goals[1.0], found[1.0], soon[problem]),
                *_goal(figure.goals[LATER], found[LATER] if late else None, late.get(problem)),
            )
        )
        records.append(
            {"set": problem.case, "depth": problem.depth, "goal 1 s": figure.goals[1.0], "errors 1 s": found[1.0]}
            | {"goal 10 s": figure.goals[LATER], "errors 10 s": found[LATER] if late else None}
        )
    return Section("figures-to-beat", "Figures to beat, and their goals", header, tuple(rows), tuple(records))


def _goal(goal: int, found: int | None, met: bool | None) -> tuple[str, str, str]:
    return (str(goal), "-" if found is None else str(found), {True: "yes", False: "NO", None: "-"}[met])


def shallower(states: States) -> list[str]:
    """Report where a tree of one question more on a path is worse after the same time."""
    found = []
    for problem in states.problems():
        deeper = Problem(problem.kind, problem.case, problem.depth + 1)
        for step in states.steps if deeper.depth in states.depths else ():
            less, more = states.errors(problem, OURS, step), states.errors(deeper, OURS, step)
            if less is not None and states.run(deeper, OURS) is not None and (more is None or more > less):
                found.append(f"{deeper.label}, {step:g} s: {_some(more)}, but {less} at depth {problem.depth}")
    return found


def summary(states: States) -> Section:
    """Return all goals, and whether they are met."""
    later = min(LATER, states.steps[-1])
    at = f"depths {', '.join(map(str, GOAL_DEPTHS))}"
    worse = shallower(states)
    goals = [
        share_target(
            f"bits, {at}: no worse than {LICKETYSPLIT} after its time", cells(states, "bits", GOAL_DEPTHS, None), SHARE
        ),
        share_target(
            f"bits, {at}: no worse than {LICKETYSPLIT} after {later:g} s",
            cells(states, "bits", GOAL_DEPTHS, later),
            1.0,
        ),
        *(
            share_target(f"figures to beat after {seconds:g} s", met_figures(states, seconds), SHARE)
            for seconds in (1.0, LATER)
        ),
        *(gap_target(states, *goal) for goal in GAPS),
        Target("cells where a deeper tree is worse", "-", str(len(worse)), "0", not worse if _ran(states) else None),
    ]
    header = ("measure", LICKETYSPLIT, OURS, "target", "met")
    rows = tuple(goal.row() for goal in goals)
    return Section("summary", "Goals", header, rows, tuple(dict(zip(header, row, strict=True)) for row in rows))


def _ran(states: States) -> bool:
    return any(states.run(problem, OURS) is not None for problem in states.problems())


def share_target(measure: str, found: Cells, least: float) -> Target:
    """Return the row of a share of cells."""
    met = None if not found else sum(found.values()) >= least * len(found)
    text = f"{sum(found.values())} of {len(found)} ({sum(found.values()) / len(found):.0%})" if found else "-"
    return Target(measure, "-", text, f">= {least:.0%}", met)


def gap_target(states: States, case: str, depth: int, seconds: float, most: float) -> Target:
    """Return the row of a goal for the gap of the bound."""
    measure, gap = f"{case}, depth {depth}: gap after {seconds:g} s", None
    for problem in states.problems("numbers", depth):
        if problem.case == case and seconds <= states.steps[-1]:
            errors, bound = states.errors(problem, OURS, seconds), states.bound(problem, seconds)
            gap = None if not errors or bound is None else max(0.0, (errors - bound) / errors)
    text = "-" if gap is None else f"{gap:.0%}"
    return Target(measure, "-", text, f"<= {most:.0%}", None if gap is None else gap <= most)


def unreached(states: States) -> list[str]:
    """Report the cells of each goal that is not met there."""
    later = min(LATER, states.steps[-1])
    found = []
    for when, seconds in (("its time", None), (f"{later:g} s", later)):
        for problem, met in cells(states, "bits", GOAL_DEPTHS, seconds).items():
            if not met:
                rival = states.run(problem, LICKETYSPLIT)
                spent = max(SOON, (rival.cpu if rival else None) or 0.0) if seconds is None else seconds
                errors = states.errors(problem, OURS, spent)
                found.append(
                    f"{problem.label}: {_some(errors)} after {formatting.seconds(spent)} s ({when}), "
                    f"{LICKETYSPLIT} {rival.errors if rival else '-'}"
                )
    for seconds in (1.0, LATER):
        for problem, met in met_figures(states, seconds).items():
            if not met:
                goal = FIGURES[problem.case, problem.depth].goals[seconds]
                errors = states.errors(problem, OURS, seconds)
                found.append(f"{problem.label}: {_some(errors)} after {seconds:g} s, figure to beat {goal}")
    return found + shallower(states)


def _some(errors: int | None) -> str:
    return "no tree yet" if errors is None else f"{errors} errors"
