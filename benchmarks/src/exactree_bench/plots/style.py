"""Shared by all figures: colours, markers, grid and legend, and writing files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

# Colour-blind safe colours (Okabe and Ito), each with a marker for print in grey.
STYLES = (
    ("#000000", "o"),
    ("#E69F00", "s"),
    ("#56B4E9", "^"),
    ("#009E73", "v"),
    ("#D55E00", "D"),
    ("#CC79A7", "P"),
    ("#0072B2", "X"),
)


def save_figure(stem: Path, size: tuple[float, float], paint: Callable[[Any], None]) -> list[Path]:
    """Call ``paint`` with a figure and write it to ``stem``.svg and ``stem``.png."""
    with matplotlib.rc_context({"svg.hashsalt": "exactree", "font.size": 9}):  # reproducible files
        figure = Figure(figsize=size, layout="constrained")
        paint(figure)
        paths = [stem.with_name(f"{stem.name}.{suffix}") for suffix in ("svg", "png")]
        for path in paths:
            figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)
    return paths


def add_grid(axis: Any) -> None:
    """Add a light grid and remove the frame."""
    axis.grid(visible=True, which="major", color="0.9", linewidth=0.6)
    axis.spines[["top", "right"]].set_visible(False)


def add_legend(figure: Any, axis: Any, columns: int) -> None:
    """Add the legend of one panel below all panels."""
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False)
