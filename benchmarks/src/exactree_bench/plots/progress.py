"""Errors and bound over time, a panel per set and depth, and the mean gap over time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exactree_bench.plots import style
from exactree_bench.plots.style import STYLES, add_grid, add_legend

BOUND = "bound"
MARGIN = 0.04  # of the axis of errors, below 0 and above the highest value, so that lines there are seen
LABELS_PER_PANEL = 1.6  # in the legend, per column of panels

Curve = Sequence[tuple[float, float]]  # (seconds, value) at every change


@dataclass(frozen=True, slots=True)
class Panel:
    """A set at a depth."""

    title: str
    curves: Mapping[str, Curve]  # errors, by contestant; the first one's bound is drawn too
    bound: Curve
    top: float  # curves above it run along the upper edge


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
        add_legend(figure, fullest, columns=max(2, int(LABELS_PER_PANEL * len(panels[0]))))

    return style.save_figure(stem, (0.8 + 2.5 * len(panels[0]), 0.9 + 1.7 * len(panels)), paint)


def _panel(axis: Any, panel: Panel, times: tuple[float, float], names: Sequence[str]) -> None:
    first, last = times
    top = max(1.0, panel.top)

    def within(curve: Curve) -> tuple[list[float], list[float]]:
        return [min(max(at, first), last) for at, _ in curve], [min(value, top) for _, value in curve]

    for name, curve in panel.curves.items():
        colour, mark = STYLES[names.index(name)]
        if len(curve) == 1:
            axis.plot(*within(curve), mark, color=colour, markersize=5, label=name, zorder=3, clip_on=False)
        else:
            axis.step(*within(curve), where="post", color=colour, linewidth=1.3, label=name)
    if panel.bound:
        axis.step(*within(panel.bound), where="post", color=STYLES[0][0], linewidth=1.2, linestyle=":", label=BOUND)
    axis.set_xscale("log")
    axis.set_xlim(first, last * 1.1)
    axis.set_ylim(-MARGIN * top, (1 + MARGIN) * top)
    axis.yaxis.get_major_locator().set_params(integer=True, nbins=4)
    axis.set_title(panel.title, fontsize=8)
    add_grid(axis)


def draw_gaps(panels: Mapping[str, Mapping[str, Curve]], names: Mapping[str, Sequence[str]], stem: Path) -> list[Path]:
    """Draw the mean normalised gap over time, a panel per kind of table; ``names`` has all contestants by kind."""

    def paint(figure: Any) -> None:
        axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axis, (kind, curves) in zip(axes, panels.items(), strict=True):
            for name, curve in curves.items():
                colour, mark = STYLES[names[kind].index(name)]
                shown = [(at, 100 * gap) for at, gap in curve]
                places = {"marker": mark, "markersize": 4, "markevery": 4}
                axis.step(*zip(*shown, strict=True), where="post", color=colour, linewidth=1.3, label=name, **places)
            axis.set_xscale("log")
            axis.set_ylim(-2, 102)
            axis.set_title(kind)
            axis.set_xlabel("seconds")
            add_grid(axis)
            axis.legend(frameon=False, fontsize=8, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.13))
        axes[0].set_ylabel("mean normalised gap, %")

    return style.save_figure(stem, (1.0 + 4.2 * len(panels), 4.0), paint)
