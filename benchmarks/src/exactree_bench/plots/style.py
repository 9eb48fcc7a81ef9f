"""What the pictures of the suites share: colours and marks, and how a figure is made and written."""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Colours that stay apart for the colour-blind (Okabe and Ito), and a mark each for print in grey.
STYLES = (
    ("#000000", "o"),
    ("#E69F00", "s"),
    ("#56B4E9", "^"),
    ("#009E73", "v"),
    ("#D55E00", "D"),
    ("#CC79A7", "P"),
    ("#0072B2", "X"),
)
NEEDED = "matplotlib is not installed (pip install 'exactree[bench]')"


def draw(stem: Path, size: tuple[float, float], paint: Callable[[Any], None]) -> list[Path]:
    """Let ``paint`` fill a figure and write it to ``stem``.svg and ``stem``.png; nothing without matplotlib."""
    try:
        matplotlib: Any = importlib.import_module("matplotlib")
        figures: Any = importlib.import_module("matplotlib.figure")
    except ImportError:
        return []
    with matplotlib.rc_context({"svg.hashsalt": "exactree", "font.size": 9}):  # the same file from the same figures
        figure = figures.Figure(figsize=size, layout="constrained")
        paint(figure)
        paths = [stem.with_name(f"{stem.name}.{ending}") for ending in ("svg", "png")]
        for path in paths:
            figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)
    return paths


def tidy(axis: Any) -> None:
    """Give a panel a light grid and no frame."""
    axis.grid(visible=True, which="major", color="0.9", linewidth=0.6)
    axis.spines[["top", "right"]].set_visible(False)


def legend(figure: Any, axis: Any, columns: int) -> None:
    """Put the legend of one panel below all of them."""
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False)
