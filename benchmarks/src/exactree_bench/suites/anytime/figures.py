"""The figures of the suite ``anytime``."""

import math
from pathlib import Path

from exactree_bench.plots import progress
from exactree_bench.suites.anytime.states import LADDER_PEERS, OURS, Kind, Problem, States, history, peers
from exactree_bench.suites.anytime.tables import KINDS, ONE_POINT, mean_gaps

ROWS = 8  # sets per figure
EARLIEST = 0.01  # seconds
HEADROOM = 1.2  # of the axis of errors, above CART
POINTS = 8  # of the mean gap, per factor of ten


def draw(states: States, stem: Path) -> list[Path]:
    """Draw the errors and the bound over time, set by set, and the mean gap."""
    drawn = []
    for kind in KINDS:
        sets = [case for case in states.sets.get(kind, ()) if _panel(states, Problem(kind, case, states.depths[0]))]
        for first in range(0, len(sets), ROWS):
            panels = [
                [_panel(states, Problem(kind, case, depth)) for depth in states.depths]
                for case in sets[first : first + ROWS]
            ]
            name = stem.with_name(f"{stem.name}-{kind}-{first // ROWS + 1}")
            drawn += progress.draw(panels, name, (EARLIEST, states.steps[-1]), peers(kind))
    gaps = {kind: gap_curves(states, kind) for kind in KINDS}
    shown: dict[str, dict[str, list[tuple[float, float]]]] = {kind: curves for kind, curves in gaps.items() if curves}
    names: dict[str, tuple[str, ...]] = {kind: peers(kind) for kind in KINDS}
    return drawn + (progress.draw_gaps(shown, names, stem.with_name(f"{stem.name}-gap")) if shown else [])


def _panel(states: States, problem: Problem) -> progress.Panel | None:
    ours = states.run(problem, OURS)
    if ours is None:
        return None
    curves = {}
    for name in states.available(problem.kind):
        run = states.run(problem, name)
        if run is None or run.errors is None:
            continue
        end = states.steps[-1]
        if name in ONE_POINT:
            curves[name] = [(run.cpu or 0.0, run.errors)]
        elif name == LADDER_PEERS[problem.kind]:
            found = [(step, states.errors(problem, name, step)) for step in states.steps]
            curves[name] = [(step, errors) for step, errors in found if errors is not None]
        else:
            curves[name] = [(at, int(errors)) for at, errors, _ in history(run)] + [(end, run.errors)]
    bound = [(at, bound) for at, _, bound in history(ours)] + [(states.steps[-1], ours.bound or 0.0)]
    return progress.Panel(problem.label, curves, bound if ours.errors is not None else [], top(states, problem))


def top(states: States, problem: Problem) -> float:
    """Return the highest errors to draw: a fifth above those of CART, or all last ones where it was not run."""
    runs = {name: states.run(problem, name) for name in states.available(problem.kind)}
    found = {name: run.errors for name, run in runs.items() if run is not None and run.errors is not None}
    return HEADROOM * found.get("CART", max(found.values(), default=1))


def gap_curves(states: States, kind: Kind) -> dict[str, list[tuple[float, float]]]:
    """Return the mean normalised gap of each contestant over time."""
    end = states.steps[-1]
    count = max(2, round(POINTS * math.log10(end / EARLIEST)))
    times = {EARLIEST * (end / EARLIEST) ** (at / count) for at in range(count + 1)} | set(states.steps)
    curves: dict[str, list[tuple[float, float]]] = {}
    for seconds in sorted(times):
        for name, gap in mean_gaps(states, kind, seconds).items():
            curves.setdefault(name, []).append((seconds, gap))
    return curves
