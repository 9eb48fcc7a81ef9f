"""Errors and bound over time, a panel per set and depth, and the mean gap over time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exactree_bench.plots import style
from exactree_bench.plots.style import STYLES, add_grid, add_legend

BOUND = "bound"
HEADROOM = 1.15  # of the axis of errors, above the highest last value

Curve = Sequence[tuple[float, float]]  # (seconds, value) at every change


@dataclass(frozen=True, slots=True)
class Panel:
    """A set at a depth."""

    title: str
    curves: Mapping[str, Curve]  # errors, by contestant; the first one's bound is drawn too
    bound: Curve


def draw(
    panels: Sequence[Sequence[Panel | None]], stem: Path, times: tuple[float, float], names: Sequence[str]
) -> list[Path]:
    """Draw one row of panels per set, one column per depth, to ``stem``.svg and ``stem``.png."""

    def paint(figure: Any) -> None:
        axes = figure.subplots(len(panels), len(panels[0]), sharex=True, squeeze=False)
        for row, found in zip(axes, panels, strict=True):
            for axis, panel in zip(row, found, strict=True):
                if panel is None:
                    axis.set_axis_off()
                else:
                    _panel(axis, panel, times, names)
            row[0].set_ylabel("errors")
        for axis in axes[-1]:
            axis.set_xlabel("seconds")
        fullest = max((axis for row in axes for axis in row), key=lambda axis: len(axis.get_legend_handles_labels()[1]))
        add_legend(figure, fullest, columns=len(STYLES))

    return style.save_figure(stem, (0.8 + 2.5 * len(panels[0]), 0.9 + 1.7 * len(panels)), paint)


def _panel(axis: Any, panel: Panel, times: tuple[float, float], names: Sequence[str]) -> None:
    first, last = times
    for name, curve in panel.curves.items():
        colour, mark = STYLES[names.index(name)]
        shown = [(min(max(at, first), last), value) for at, value in curve]
        if len(shown) == 1:
            axis.plot(*shown[0], mark, color=colour, markersize=5, label=name, zorder=3)
        else:
            axis.step(*zip(*shown, strict=True), where="post", color=colour, linewidth=1.3, label=name)
    if panel.bound:
        shown = [(min(max(at, first), last), value) for at, value in panel.bound]
        colour = STYLES[0][0]
        axis.step(*zip(*shown, strict=True), where="post", color=colour, linewidth=1.0, linestyle=":", label=BOUND)
    axis.set_xscale("log")
    axis.set_xlim(first, last * 1.1)
    tops = [curve[-1][1] for curve in panel.curves.values() if curve]
    axis.set_ylim(0, max(1.0, HEADROOM * max(tops, default=1.0)))
    axis.yaxis.get_major_locator().set_params(integer=True, nbins=4)
    axis.set_title(panel.title, fontsize=8)
    add_grid(axis)


def draw_gaps(panels: Mapping[str, Mapping[str, Curve]], stem: Path) -> list[Path]:
    """Draw the mean normalised gap over time, a panel per kind of table."""

    def paint(figure: Any) -> None:
        axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axis, (kind, curves) in zip(axes, panels.items(), strict=True):
            for (name, curve), (colour, mark) in zip(curves.items(), STYLES, strict=False):
                shown = [(at, 100 * gap) for at, gap in curve]
                axis.plot(*zip(*shown, strict=True), color=colour, marker=mark, markersize=3, linewidth=1.3, label=name)
            axis.set_xscale("log")
            axis.set_ylim(-2, 102)
            axis.set_title(kind)
            axis.set_xlabel("seconds")
            add_grid(axis)
            axis.legend(frameon=False, fontsize=8)
        axes[0].set_ylabel("mean normalised gap, %")

    return style.save_figure(stem, (1.0 + 4.2 * len(panels), 4.0), paint)
