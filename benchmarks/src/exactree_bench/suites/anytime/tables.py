"""The tables of the suite ``anytime``: errors over time, mean ranks and gaps, and bounds."""

from collections.abc import Iterable
from statistics import fmean

from exactree_bench import formatting
from exactree_bench.suites.anytime.states import LICKETYSPLIT, OURS, Kind, Problem, States, normalised_gap
from exactree_bench.suites.interface import Section

KINDS: tuple[Kind, ...] = ("bits", "numbers")
BOUND_DEPTHS, BOUND_SECONDS = (4, 5), (10.0, 60.0)
ONE_POINT = ("CART", LICKETYSPLIT)


def all_sections(states: States) -> list[Section]:
    """Return the tables that have rows."""
    sections = [errors(states, kind, depth) for depth in states.depths for kind in KINDS]
    sections += [summary(states, what) for what in ("rank", "gap")]
    sections.append(bounds(states))
    return [section for section in sections if section.rows]


def errors(states: States, kind: Kind, depth: int) -> Section:
    """Return the errors of each contestant after each step, of one kind and depth."""
    names = states.available(kind)
    rows, records = [], []
    for problem in states.problems(kind, depth):
        best = states.best(problem)
        rows.append((problem.case, *(_over_time(states, problem, name) for name in names), _text(best)))
        found: dict[str, object] = {"set": problem.case, "depth": depth, "best": best}
        for name in names:
            found |= {f"{name} {step:g} s": states.errors(problem, name, step) for step in states.steps}
            run = states.run(problem, name)
            found |= {f"{name} seconds": run.cpu} if run is not None and name in ONE_POINT else {}
        records.append(found)
    steps = "/".join(f"{step:g}" for step in states.steps)
    title = f"On {kind}, depth {depth}: errors after {steps} s; of one point its seconds in brackets"
    return Section(f"errors-{kind}-depth-{depth}", title, ("set", *names, "best known"), tuple(rows), tuple(records))


def _over_time(states: States, problem: Problem, name: str) -> str:
    if name in ONE_POINT:
        run = states.run(problem, name)
        return "-" if run is None else f"{formatting.errors(run)} ({formatting.seconds(run.cpu)})"
    found = "/".join(_text(states.errors(problem, name, step)) for step in states.steps)
    run = states.run(problem, name)
    return found + "*" * (run is not None and run.proved)


def _text(errors: int | None) -> str:
    return "-" if errors is None else str(errors)


def ranks(found: dict[str, int | None]) -> dict[str, float]:
    """Rank contestants by errors; ties share the mean of their ranks, and no tree is last.

    Examples
    --------
    >>> ranks({"a": 3, "b": 5, "c": 3, "d": None})
    {'a': 1.5, 'b': 3.0, 'c': 1.5, 'd': 4.0}
    """
    value = {name: float("inf") if errors is None else float(errors) for name, errors in found.items()}
    below = {name: sum(other < value[name] for other in value.values()) for name in value}
    alike = {name: sum(other == value[name] for other in value.values()) for name in value}
    return {name: below[name] + (1 + alike[name]) / 2 for name in value}


def mean_ranks(states: States, kind: Kind, seconds: float) -> dict[str, float]:
    """Return the mean rank of each contestant after some seconds."""
    names = states.available(kind)
    found = [ranks({name: states.errors(each, name, seconds) for name in names}) for each in _solved(states, kind)]
    return {name: fmean(each[name] for each in found) for name in names} if found else {}


def mean_gaps(states: States, kind: Kind, seconds: float) -> dict[str, float]:
    """Return the mean normalised gap of each contestant after some seconds."""
    problems = list(_solved(states, kind))
    return {
        name: fmean(
            normalised_gap(states.errors(problem, name, seconds), states.best(problem) or 0) for problem in problems
        )
        for name in states.available(kind)
        if problems
    }


def _solved(states: States, kind: Kind) -> Iterable[Problem]:
    """Yield the problems with a tree of exactree."""
    return (problem for problem in states.problems(kind) if states.bound(problem, 0.0) is not None)


def summary(states: States, what: str) -> Section:
    """Return the mean rank or the mean gap of each contestant, by step."""
    of = mean_ranks if what == "rank" else mean_gaps
    rows, records = [], []
    for kind in KINDS:
        found = {step: of(states, kind, step) for step in states.steps}
        for name in states.available(kind):
            values = [found[step].get(name, 1.0) for step in states.steps]
            rows.append((f"{kind}, {name}", *(f"{v:.2f}" if what == "rank" else f"{v:.1%}" for v in values)))
            steps = dict(zip((f"{step:g} s" for step in states.steps), values, strict=True))
            records.append({"tables": kind, "contestant": name, **steps})
    depths = ", ".join(map(str, states.depths))
    title = ("Mean rank" if what == "rank" else "Mean normalised gap") + f" over all sets, depths {depths}"
    header = ("tables, contestant", *(f"{step:g} s" for step in states.steps))
    return Section(f"mean-{what}", title, header, tuple(rows), tuple(records))


def bounds(states: States) -> Section:
    """Return errors, bound and gap of exactree after 10 and 60 s at depths 4 and 5."""
    times = [seconds for seconds in BOUND_SECONDS if seconds <= states.steps[-1]] or [states.steps[-1]]
    header = ("set", "depth", *(f"{what} {seconds:g} s" for seconds in times for what in ("errors", "bound", "gap")))
    rows, records = [], []
    for depth in BOUND_DEPTHS:
        for problem in states.problems(depth=depth):
            cells: list[str] = []
            found: dict[str, object] = {"set": problem.case, "depth": depth}
            for seconds in times:
                value, bound = states.errors(problem, OURS, seconds), states.bound(problem, seconds)
                gap = None if value is None or bound is None else _gap(value, bound)
                cells += (_text(value), "-" if bound is None else f"{bound:g}", "-" if gap is None else f"{gap:.0%}")
                found |= {f"errors {seconds:g} s": value, f"bound {seconds:g} s": bound, f"gap {seconds:g} s": gap}
            rows.append((problem.case, str(depth), *cells))
            records.append(found)
    title = f"Bound of {OURS}, and its gap to the errors at that time"
    return Section("bounds", title, header, tuple(rows), tuple(records))


def _gap(errors: int, bound: float) -> float:
    return 0.0 if bound >= errors else (errors - bound) / errors
