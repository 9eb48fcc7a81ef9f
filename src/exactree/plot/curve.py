"""A Pareto front as an SVG plot: a decreasing step function of two shares."""

from collections.abc import Sequence
from dataclasses import dataclass

from exactree.model.wording import printable
from exactree.plot.axis import Axis
from exactree.plot.palette import class_colour, mixed
from exactree.plot.svg_elements import FAINT, box, number, stroke, svg_root, text, tooltip
from exactree.plot.typeset import wrap_text

_WIDTH, _HEIGHT = 560.0, 360.0  # of the frame
_LEFT, _RIGHT, _TOP, _BOTTOM = 74.0, 30.0, 24.0, 58.0  # around it
_TITLE, _NAME, _TICK = 18.0, 13.0, 11.0  # font sizes
_DOT = 4.5
_MARGIN = 0.06  # of the axes, on both sides of what is shown
_LINE, _GRID = class_colour(0), "#e3e8ed"


@dataclass(frozen=True, slots=True)
class Dot:
    """A point of a Pareto front.

    Parameters
    ----------
    x, y : float
        Its shares; y decreases as x increases.
    sure : bool
        Whether it is proved, and drawn filled; others are hollow.
    tooltip : str
        Text that is shown when the pointer rests on it.

    Examples
    --------
    >>> Dot(0.9, 0.5, sure=True, tooltip="7 leaves").y
    0.5
    """

    x: float
    y: float
    sure: bool
    tooltip: str


def curve_svg(
    dots: Sequence[Dot],
    *,
    x: str,
    y: str,
    lower_is_better: bool = False,
    title: str | None = None,
    note: str = "",
    width: float | None = None,
) -> str:
    """Plot a Pareto front as a step function.

    Parameters
    ----------
    dots : sequence of Dot
        The points.
    x, y : str
        Names of the axes.
    lower_is_better : bool, default=False
        Whether small shares are the good ones, of both; the area of what can be reached is then above the steps.
    title : str or None, default=None
        A line to write above it.
    note : str, default=""
        A remark below it.
    width : float or None, default=None
        Displayed width in pixels; None for the natural size.

    Returns
    -------
    str
        The text of an SVG file.

    Examples
    --------
    >>> picture = curve_svg([Dot(0.9, 0.5, True, "a"), Dot(0.8, 0.7, False, "b")], x="right", y="worst leaf")
    >>> picture.count("<circle")
    2
    """
    ordered = sorted(dots, key=lambda dot: dot.x)
    across, up = _axis([dot.x for dot in dots], _WIDTH), _axis([dot.y for dot in dots], _HEIGHT)
    lines = wrap_text(printable(title or ""), _TITLE, _WIDTH, n_lines=2, bold=True)
    head = [
        text(line, 0, -14 - 24 * (len(lines) - 1 - i), size=_TITLE, bold=True, anchor="start")
        for i, line in enumerate(lines)
    ]
    top = _TOP + 24 * len(lines)
    drawing = "\n".join([*head, *_frame(across, up, x, y, note), *_steps(ordered, across, up, lower_is_better)])
    total = _LEFT + _WIDTH + _RIGHT, top + _HEIGHT + _BOTTOM
    return (
        f"{svg_root(title or f'{y} against {x}', total, width)}\n{box(0, 0, *total, fill='#ffffff')}\n"
        f'<g transform="translate({number(_LEFT)} {number(top)})">\n{drawing}\n</g>\n</svg>\n'
    )


def _axis(values: Sequence[float], room: float) -> Axis:
    """Return an axis a little longer than its values, with ticks at round numbers."""
    spread = max(max(values) - min(values), 0.01)
    low, high = max(min(values) - _MARGIN * spread, 0.0), min(max(values) + _MARGIN * spread, 1.0)
    if high - low < spread:  # a single value
        low = max(high - spread, 0.0)
    return Axis.of(low, high, room)


def _percent(axis: Axis, share: float) -> str:
    return f"{100 * share:.{max(0, axis.digits - 2)}f} %"


def _frame(across: Axis, up: Axis, x: str, y: str, note: str) -> list[str]:
    parts = []
    for tick in across.ticks:
        place = across.at(tick)
        parts.append(stroke(f"M{number(place)} 0V{number(_HEIGHT)}", _GRID, 1))
        parts.append(text(_percent(across, tick), place, _HEIGHT + 18, size=_TICK, colour=FAINT))
    for tick in up.ticks:
        place = _HEIGHT - up.at(tick)
        parts.append(stroke(f"M0 {number(place)}H{number(_WIDTH)}", _GRID, 1))
        parts.append(text(_percent(up, tick), -8, place + 4, size=_TICK, colour=FAINT, anchor="end"))
    parts.append(stroke(f"M0 0V{number(_HEIGHT)}H{number(_WIDTH)}", FAINT, 1.2))
    parts.append(text(x, _WIDTH / 2, _HEIGHT + 40, size=_NAME))
    middle = number(_HEIGHT / 2)
    parts.append(f'<g transform="translate(-54 {middle}) rotate(-90)">{text(y, 0, 0, size=_NAME)}</g>')
    if note:
        parts.append(text(note, _WIDTH, _HEIGHT + 40, size=_TICK, colour=FAINT, anchor="end"))
    return parts


def _steps(dots: Sequence[Dot], across: Axis, up: Axis, lower_is_better: bool) -> list[str]:
    """Return the step function, the area of what can be reached, and a mark at each corner."""
    corners = [(across.at(dot.x), _HEIGHT - up.at(dot.y)) for dot in dots]
    if lower_is_better:
        path = f"M{number(corners[0][0])} 0" + "".join(f"H{number(x)}V{number(y)}" for x, y in corners)
        line = f"{path}H{number(_WIDTH)}"
        closed = f"{line}V0Z"
    else:
        path = f"M0 {number(corners[0][1])}" + "".join(f"V{number(y)}H{number(x)}" for x, y in corners)
        line = f"{path}V{number(_HEIGHT)}"
        closed = f"{line}H0Z"
    parts = [f'<path d="{closed}" fill="{mixed(_LINE, "#ffffff", 0.88)}"/>', stroke(line, _LINE, 2)]
    for dot, (x, y) in zip(dots, corners, strict=True):
        fill = _LINE if dot.sure else "#ffffff"
        mark = f'<circle cx="{number(x)}" cy="{number(y)}" r="{_DOT}" fill="{fill}" stroke="{_LINE}" stroke-width="2"/>'
        parts.append(f"<g>{tooltip(dot.tooltip)}{mark}</g>")
    return parts
