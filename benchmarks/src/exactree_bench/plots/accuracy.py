"""Test accuracy of trees and diagrams as box plots and sorted curves, and the share of rows at each node."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from exactree_bench.plots import style
from exactree_bench.plots.style import STYLES, add_grid, add_legend


def draw(accuracies: Mapping[str, Sequence[float]], stem: Path) -> list[Path]:
    """Draw box plots beside sorted accuracies (Figures 2 and 3 of ODD)."""

    def paint(figure: Any) -> None:
        boxes, sorted_ = figure.subplots(1, 2, sharey=True, width_ratios=(1, 2))
        values = [[100 * share for share in shares] for shares in accuracies.values()]
        drawn = boxes.boxplot(values, widths=0.5, patch_artist=True, medianprops={"color": "black"})
        boxes.set_xticks(range(1, len(values) + 1), list(accuracies))
        for patch, (colour, _) in zip(drawn["boxes"], STYLES[1:], strict=False):
            patch.set_facecolor(colour)
        for (name, shares), (colour, mark) in zip(accuracies.items(), STYLES[1:], strict=False):
            ascending = sorted(100 * share for share in shares)
            places = range(1, len(ascending) + 1)
            # The first curve has larger markers, so that it is visible where both coincide.
            size = 6 if name == next(iter(accuracies)) else 3.5
            sorted_.plot(places, ascending, color=colour, marker=mark, markersize=size, linewidth=1.2, label=name)
        boxes.set_ylabel("test accuracy, %")
        sorted_.set_xlabel("sets and splits, ascending")
        sorted_.xaxis.get_major_locator().set_params(integer=True)
        for axis in (boxes, sorted_):
            add_grid(axis)
        add_legend(figure, sorted_, len(accuracies))

    return style.save_figure(stem, (8.0, 4.0), paint)


def draw_shares(shares: Mapping[str, Sequence[Sequence[tuple[int, float]]]], stem: Path) -> list[Path]:
    """Draw the share of rows at each node, by layer: a dot per node, a line through the means."""

    def paint(figure: Any) -> None:
        axis = figure.subplots()
        for at, ((name, models), (colour, mark)) in enumerate(zip(shares.items(), STYLES[1:], strict=False)):
            nodes = np.array([node for model in models for node in model]).reshape(-1, 2)
            aside = nodes[:, 0] + 0.16 * (at - 0.5)
            axis.plot(aside, 100 * nodes[:, 1], mark, color=colour, markersize=3, alpha=0.35)
            layers = sorted(set(nodes[:, 0].tolist()))
            means = [100 * nodes[nodes[:, 0] == layer, 1].mean() for layer in layers]
            axis.plot(layers, means, color=colour, marker=mark, markersize=7 - 2 * at, linewidth=1.4, label=name)
        axis.set_ylim(0, 105)
        axis.set_xlabel("layer")
        axis.set_ylabel("share of training rows at a node, %")
        axis.xaxis.get_major_locator().set_params(integer=True)
        add_grid(axis)
        add_legend(figure, axis, len(shares))

    return style.save_figure(stem, (6.0, 4.0), paint)
