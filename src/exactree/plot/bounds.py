"""The convergence of column generation as an SVG plot: restricted master, lower bound and incumbent over time.

Cost is minimised. The LP relaxation over the current columns decreases as columns are added. The Lagrangian bound on
the relaxation over all columns varies; the best one counts, rounded up for integer costs. The two meet when no column
is missing. The incumbent lies above both, and is proved optimal once the bound meets it. After branching, relaxations
and bounds of branches do not hold for all trees and are not part of the lines.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from math import isfinite, nan
from typing import Any, NamedTuple

from exactree.model.wording import printable
from exactree.plot.axis import Axis
from exactree.plot.palette import class_colour, mixed
from exactree.plot.svg_elements import FAINT, box, number, stroke, svg_root, text, tooltip
from exactree.plot.typeset import text_width, wrap_text

_WIDTH, _HEIGHT = 640.0, 360.0  # of the frame
_LEFT, _RIGHT, _TOP, _BOTTOM = 74.0, 30.0, 48.0, 58.0  # around it
_TITLE, _NAME, _TICK = 18.0, 13.0, 11.0  # font sizes
_MARGIN = 0.06  # of the axis of costs, above and below
_DOT = 2.6
_MOST_DOTS = 400  # bounds of single iterations; of more, every n-th is drawn
_GRID = "#e3e8ed"
_TREE, _RELAXED, _BOUND = class_colour(5), class_colour(0), class_colour(2)


class Moment(NamedTuple):
    """State of column generation after an iteration; unknown values are infinite or NaN.

    Parameters
    ----------
    seconds : float
        Time since the start.
    iteration : int
        Number of the iteration.
    columns : int
        Number of columns.
    relaxed : float
        Cost of the LP relaxation over the current columns.
    bound : float
        Lagrangian bound of this iteration.
    best : float
        Cost of the incumbent.
    proved : float, default=nan
        Best lower bound so far over all trees of the sampled questions; NaN: the best ``bound`` up to here.
    is_root : bool, default=True
        Whether relaxation and bound hold for all trees, not for a branch of a search.

    Examples
    --------
    >>> Moment(0.1, 1, 60, relaxed=9.0, bound=2.0, best=12.0).is_root
    True
    """

    seconds: float
    iteration: int
    columns: int
    relaxed: float
    bound: float
    best: float
    proved: float = nan
    is_root: bool = True


def bounds_svg(moments: Iterable[Sequence[Any]], *, title: str | None = None, width: float | None = None) -> str:
    """Plot the bounds of column generation over time.

    Costs below zero, and relaxations above the first incumbent, lie outside and are drawn along the edge.

    Parameters
    ----------
    moments : iterable of Moment
        One per iteration, or a sequence of the same numbers: the ``trace`` of a solution of
        :class:`~exactree.ColumnGeneration`.
    title : str or None, default=None
        A line to write above it.
    width : float or None, default=None
        Displayed width in pixels; None for the natural size.

    Returns
    -------
    str
        The text of an SVG file.

    Examples
    --------
    >>> picture = bounds_svg([(0.1, 1, 60, 9.0, 2.0, 12.0), (0.2, 2, 80, 8.0, 7.5, 8.0)])
    >>> picture.count("<circle"), "80 columns" in picture
    (2, True)
    """
    rows = sorted((Moment(*row) for row in moments), key=lambda moment: moment.seconds)
    lines = wrap_text(printable(title or ""), _TITLE, _WIDTH, n_lines=2, bold=True)
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
        f"{svg_root(title or 'Bounds of column generation over time', total, width)}\n"
        f"{box(0, 0, *total, fill='#ffffff')}\n"
        f'<g transform="translate({number(_LEFT)} {number(top)})">\n{drawing}\n</g>\n</svg>\n'
    )


def _costs(rows: Sequence[Moment]) -> Axis:
    """Return an axis of all incumbents, and of relaxations and bounds between zero and the first incumbent."""
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
        ("incumbent", _TREE, ""),
        ("relaxation over the current columns", _RELAXED, "6 3"),
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
    """Return the dots of single bounds, then bound, incumbent and relaxation; dashes keep the lines below visible."""
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
    """Return a lower bound over all trees; negative if there is none."""
    if isfinite(row.proved):
        return row.proved
    return row.bound if row.is_root and isfinite(row.bound) else -1.0


def _steps(
    seconds: Sequence[float], costs: Sequence[float], across: Axis, up: Axis, colour: str, dashes: str = ""
) -> str:
    """Return a step function."""
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
