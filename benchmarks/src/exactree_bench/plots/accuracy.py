"""Accuracy of trees and diagrams: as boxes, sorted from the lowest to the highest, and the rows that nodes see."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from exactree_bench.plots import style
from exactree_bench.plots.style import STYLES, legend, tidy


def draw(accuracies: Mapping[str, Sequence[float]], stem: Path) -> list[Path]:
    """Draw the distribution beside the sorted accuracies (Figures 2 and 3 of ODD); nothing without matplotlib."""

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
            # What is drawn first is larger, so that it is seen where both are the same.
            size = 6 if name == next(iter(accuracies)) else 3.5
            sorted_.plot(places, ascending, color=colour, marker=mark, markersize=size, linewidth=1.2, label=name)
        boxes.set_ylabel("test accuracy, %")
        sorted_.set_xlabel("sets and splits, ascending")
        sorted_.xaxis.get_major_locator().set_params(integer=True)
        for axis in (boxes, sorted_):
            tidy(axis)
        legend(figure, sorted_, len(accuracies))

    return style.draw(stem, (8.0, 4.0), paint)


def draw_shares(shares: Mapping[str, Sequence[Sequence[tuple[int, float]]]], stem: Path) -> list[Path]:
    """Draw the share of rows that nodes see, layer by layer: a dot per node, a line through the means."""

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
        tidy(axis)
        legend(figure, axis, len(shares))

    return style.draw(stem, (6.0, 4.0), paint)
