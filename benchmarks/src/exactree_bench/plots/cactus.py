"""Cactus plots: how many datasets each contestant proves within a time, one panel per depth (Figure 4 of DL8.5)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from exactree_bench.plots import style
from exactree_bench.plots.style import STYLES, add_grid, add_legend
from exactree_bench.runner.results import Results

FASTEST = 1e-3  # seconds: resolution of the clock, shorter times are drawn here
Curves = Mapping[str, Sequence[float]]  # per contestant, the sorted seconds of its proofs


def curves(results: Results, contestants: Sequence[str], depth: int) -> Curves:
    """Return the sorted CPU seconds of each contestant's proofs at one depth."""
    cases = [case for case, at in results.problems() if at == depth]
    found = {name: [results.get(case, depth, name) for case in cases] for name in contestants}
    return {
        name: sorted(run.cpu for run in runs if run is not None and run.proved and run.cpu is not None)
        for name, runs in found.items()
    }


def draw(panels: Mapping[int, Curves], stem: Path, *, n_cases: int, limit: float) -> list[Path]:
    """Draw one panel per depth to ``stem``.svg and ``stem``.png."""

    def paint(figure: Any) -> None:
        axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axis, (depth, panel) in zip(axes, panels.items(), strict=True):
            _panel(axis, panel, n_cases, limit)
            axis.set_title(f"depth {depth}")
        axes[0].set_ylabel("CPU seconds")
        add_legend(figure, axes[0], len(panels[next(iter(panels))]) if len(panels) > 2 else 3)

    return style.save_figure(stem, (1.0 + 3.6 * len(panels), 4.0), paint)


def _panel(axis: Any, panel: Curves, n_cases: int, limit: float) -> None:
    for (name, times), (colour, mark) in zip(panel.items(), STYLES, strict=False):
        drawn = [max(time, FASTEST) for time in times]
        axis.plot(range(1, len(drawn) + 1), drawn, color=colour, marker=mark, markersize=4, linewidth=1.2, label=name)
    axis.set_yscale("log")
    axis.set_ylim(FASTEST / 1.5, limit * 1.5)
    axis.set_xlim(0, n_cases + 1)
    axis.axhline(limit, color="0.6", linewidth=0.8, linestyle=":")
    axis.set_xlabel("sets proved")
    add_grid(axis)
