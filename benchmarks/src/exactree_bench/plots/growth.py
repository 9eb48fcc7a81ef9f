"""Time and memory against size, one column of panels per depth and per growing dimension."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exactree_bench.formatting import MEGABYTE
from exactree_bench.plots import style
from exactree_bench.plots.style import STYLES, add_grid

WIDE = 100  # ratio of sizes from which an axis has logarithmic ticks


@dataclass(frozen=True, slots=True)
class Curve:
    """One family of tables, by size."""

    sizes: Sequence[int]
    seconds: Sequence[float]
    memory: Sequence[int]  # bytes


@dataclass(frozen=True, slots=True)
class Panel:
    """Curves at one depth over one kind of size."""

    depth: int
    grows: str
    curves: Mapping[str, Curve]


def draw(panels: Sequence[Panel], stem: Path) -> list[Path]:
    """Draw seconds above memory to ``stem``.svg and ``stem``.png; nothing without curves."""
    shown = [panel for panel in panels if panel.curves]
    if not shown:
        return []

    def paint(figure: Any) -> None:
        axes = figure.subplots(2, len(shown), sharey="row", sharex="col", squeeze=False)
        for column, panel in enumerate(shown):
            for axis, what in zip(axes[:, column], ("seconds", "memory"), strict=True):
                _panel(axis, panel, what)
            alone = f", {next(iter(panel.curves))}" if len(panel.curves) == 1 else ""
            axes[0, column].set_title(f"depth {panel.depth}{alone}")
            axes[1, column].set_xlabel(panel.grows)
        axes[0, 0].set_ylabel("CPU seconds")
        axes[1, 0].set_ylabel("memory beyond the input, MB")
        fullest = max(range(len(shown)), key=lambda column: len(shown[column].curves))
        style.add_legend(figure, axes[0, fullest], columns=len(STYLES))

    return style.save_figure(stem, (1.0 + 3.6 * len(shown), 6.0), paint)


def _panel(axis: Any, panel: Panel, what: str) -> None:
    for (name, curve), (colour, mark) in zip(panel.curves.items(), STYLES, strict=False):
        values = curve.seconds if what == "seconds" else [max(size, 1) / MEGABYTE for size in curve.memory]
        axis.plot(curve.sizes, values, color=colour, marker=mark, markersize=4, linewidth=1.2, label=name)
    axis.set_xscale("log")
    axis.set_yscale("log")
    sizes = sorted({size for curve in panel.curves.values() for size in curve.sizes})
    if sizes[-1] < WIDE * sizes[0]:
        axis.set_xticks(sizes, [str(size) for size in sizes])
        axis.set_xticks([], minor=True)
    add_grid(axis)
