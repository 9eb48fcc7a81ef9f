"""How column generation went, as an SVG picture: the relaxation, the bound and the best tree, against seconds.

Cost is minimised. The relaxation over the columns at hand falls as columns come; the Lagrangian bound, below which the
relaxation over all columns cannot fall, goes up and down, and the best of them counts, rounded up where costs are
whole. They meet where no column is missing. The best tree found lies above both, and is proved once the bound meets it.
Where branching follows, relaxations and bounds of branches say nothing of all trees: they are no part of the lines.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from math import isfinite, nan
from typing import Any, NamedTuple

from exactree.model.wording import printable
from exactree.plot.axis import Axis
from exactree.plot.palette import class_colour, mixed
from exactree.plot.svg_elements import FAINT, box, number, opening, stroke, text, tooltip
from exactree.plot.typeset import text_width, wrapped

_WIDTH, _HEIGHT = 640.0, 360.0  # of the frame
_LEFT, _RIGHT, _TOP, _BOTTOM = 74.0, 30.0, 48.0, 58.0  # around it
_TITLE, _NAME, _TICK = 18.0, 13.0, 11.0  # font sizes
_MARGIN = 0.06  # of the axis of costs, above and below
_DOT = 2.6
_MOST_DOTS = 400  # of the bounds of single iterations; more are drawn as every so many-th
_GRID = "#e3e8ed"
_TREE, _RELAXED, _BOUND = class_colour(5), class_colour(0), class_colour(2)


class Moment(NamedTuple):
    """Where column generation stands after an iteration; what is not known yet is infinite or NaN."""

    seconds: float
    iteration: int
    columns: int
    relaxed: float  # cost of the relaxation over the columns at hand
    bound: float  # Lagrangian bound of this iteration
    best: float  # cost of the best tree found
    proved: float = nan  # best bound so far on all trees; NaN: the best of the bounds above, up to here
    is_root: bool = True  # whether relaxation and bound are of all trees, not of a branch of a search


def bounds_svg(moments: Iterable[Sequence[Any]], *, title: str | None = None, width: float | None = None) -> str:
    """Return the picture of a run, given a :class:`Moment` or a row of the same numbers for each iteration.

    The ``trace`` of a solution of :class:`~exactree.ColumnGeneration` has them.
    Costs below zero, and relaxations above the first tree, lie outside and are drawn along the edge.

    Examples
    --------
    >>> picture = bounds_svg([(0.1, 1, 60, 9.0, 2.0, 12.0), (0.2, 2, 80, 8.0, 7.5, 8.0)])
    >>> picture.count("<circle"), "80 columns" in picture
    (2, True)
    """
    rows = sorted((Moment(*row) for row in moments), key=lambda moment: moment.seconds)
    lines = wrapped(printable(title or ""), _TITLE, _WIDTH, n_lines=2, bold=True)
    head = [
        text(line, 0, -38 - 24 * (len(lines) - 1 - i), size=_TITLE, bold=True, anchor="start")
        for i, line in enumerate(lines)
    ]
    top = _TOP + 24 * len(lines)
    across, up = Axis.of(0.0, max([row.seconds for row in rows] + [1e-3]), _WIDTH), _costs(rows)
    curves = _curves(rows, across, up)
    drawing = "\n".join([*head, *_legend(), *_frame(across, up, _note(rows)), *curves])
    total = _LEFT + _WIDTH + _RIGHT, top + _HEIGHT + _BOTTOM
    return (
        f"{opening(title or 'Bounds of column generation over time', total, width)}\n"
        f"{box(0, 0, *total, fill='#ffffff')}\n"
        f'<g transform="translate({number(_LEFT)} {number(top)})">\n{drawing}\n</g>\n</svg>\n'
    )


def _costs(rows: Sequence[Moment]) -> Axis:
    """Return an axis that holds all trees, and what relaxations and bounds lie between zero and the dearest tree."""
    trees = [row.best for row in rows if isfinite(row.best)]
    others = [value for row in rows for value in (row.relaxed, row.bound, row.proved) if isfinite(value)]
    top = max(trees or others or [1.0])
    shown = [min(max(value, 0.0), top) for value in (*trees, *others)] or [0.0]
    low, high = min(shown), max(top, max(shown))
    spread = max(high - low, 0.01 * abs(high), 1e-6)
    return Axis.of(max(0.0, low - _MARGIN * spread), high + _MARGIN * spread, _HEIGHT)


def _frame(across: Axis, up: Axis, note: str) -> list[str]:
    parts = []
    for tick in across.ticks:
        place = across.at(tick)
        parts.append(stroke(f"M{number(place)} 0V{number(_HEIGHT)}", _GRID, 1))
        parts.append(text(f"{tick:.{across.digits}f}", place, _HEIGHT + 18, size=_TICK, colour=FAINT))
    for tick in up.ticks:
        place = _HEIGHT - up.at(tick)
        parts.append(stroke(f"M0 {number(place)}H{number(_WIDTH)}", _GRID, 1))
        parts.append(text(f"{tick:.{up.digits}f}", -8, place + 4, size=_TICK, colour=FAINT, anchor="end"))
    parts.append(stroke(f"M0 0V{number(_HEIGHT)}H{number(_WIDTH)}", FAINT, 1.2))
    parts.append(text("seconds", _WIDTH / 2, _HEIGHT + 40, size=_NAME))
    parts.append(
        f'<g transform="translate(-54 {number(_HEIGHT / 2)}) rotate(-90)">{text("cost", 0, 0, size=_NAME)}</g>'
    )
    parts.append(text(note, _WIDTH, _HEIGHT + 40, size=_TICK, colour=FAINT, anchor="end"))
    return parts


def _legend() -> list[str]:
    parts, x = [], 0.0
    for name, colour, dashes in (
        ("best tree", _TREE, ""),
        ("relaxation over the columns at hand", _RELAXED, "6 3"),
        ("best bound (dots: each iteration's)", _BOUND, ""),
    ):
        parts.append(stroke(f"M{number(x)} -14h22", colour, 2.5, dashes=dashes))
        parts.append(text(name, x + 28, -10, size=_TICK + 1, anchor="start"))
        x += 28 + text_width(name, _TICK + 1) + 22
    return parts


def _note(rows: Sequence[Moment]) -> str:
    if not rows:
        return "no iteration"
    return f"{rows[-1].iteration} iterations, {rows[-1].columns} columns"


def _curves(rows: Sequence[Moment], across: Axis, up: Axis) -> list[str]:
    """Return the dots of single bounds, then bound, tree and relaxation; its dashes let the others through."""
    best = accumulate((_proved(row) for row in rows), max)
    seconds = [row.seconds for row in rows]
    relaxed = [row.relaxed if row.is_root else nan for row in rows]
    return [
        *_dots(rows, across, up),
        _steps(seconds, [bound if bound >= 0 else nan for bound in best], across, up, _BOUND),
        _steps(seconds, [row.best for row in rows], across, up, _TREE),
        _steps(seconds, relaxed, across, up, _RELAXED, dashes="6 3"),
    ]


def _proved(row: Moment) -> float:
    """Return a bound on all trees, below zero if there is none."""
    if isfinite(row.proved):
        return row.proved
    return row.bound if row.is_root and isfinite(row.bound) else -1.0


def _steps(
    seconds: Sequence[float], costs: Sequence[float], across: Axis, up: Axis, colour: str, dashes: str = ""
) -> str:
    """Return a staircase: a value holds until the next one comes."""
    path = ""
    for at, cost in zip(seconds, costs, strict=True):
        if isfinite(cost):
            x, y = number(across.at(at)), number(_height(cost, up))
            path += f"H{x}V{y}" if path else f"M{x} {y}"
    return stroke(f"{path}H{number(across.at(seconds[-1]))}", colour, 2.2, dashes=dashes) if path else ""


def _dots(rows: Sequence[Moment], across: Axis, up: Axis) -> list[str]:
    known = [row for row in rows if row.is_root and isfinite(row.bound)]
    every = -(-len(known) // _MOST_DOTS) or 1
    parts = []
    for row in known[::every]:
        x, y = number(across.at(row.seconds)), number(_height(row.bound, up))
        words = f"iteration {row.iteration}, {row.columns} columns: relaxation {row.relaxed:.6g}, bound {row.bound:.6g}"
        mark = f'<circle cx="{x}" cy="{y}" r="{_DOT}" fill="{mixed(_BOUND, "#ffffff", 0.45)}"/>'
        parts.append(f"<g>{tooltip(words)}{mark}</g>")
    return parts


def _height(cost: float, up: Axis) -> float:
    return _HEIGHT - up.at(min(max(cost, up.low), up.high))
