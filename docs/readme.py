"""Computes the figures of README.md: writes docs/tree.svg and prints the comparison with CART.

Run it from the root of the project: ``python docs/readme.py``. It takes half a minute.
"""

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from exactree import OptimalTreeClassifier, datasets
from exactree.plot import save_svg

FIGURE = Path(__file__).with_name("tree.svg")
COMPARED = (
    ("iris", 3),
    ("wine", 2),
    ("wine", 3),
    ("balance-scale", 3),
    ("breast-cancer", 2),
    ("breast-cancer", 3),
    ("digits", 3),
)
FOLDS = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0)


def draw() -> None:
    """Write docs/tree.svg."""
    data = datasets.load("breast-cancer")
    tree = OptimalTreeClassifier(max_depth=2).fit(data.X, data.y)
    save_svg(tree.tree_, FIGURE, title="Breast cancer: the best of all trees of depth 2")


def compare(name: str, depth: int) -> str:
    """Return a row of the table: both methods on the same rows, folds and depth."""
    data = datasets.load(name)
    X, y = data.to_numpy().astype(np.float64), data.y
    cart = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
    began = time.process_time()  # CPU time: the search has one thread
    best = OptimalTreeClassifier(max_depth=depth, time_limit=None).fit(X, y)
    seconds = time.process_time() - began
    errors = [int((model.predict(X) != y).sum()) for model in (cart, best)]
    held_out = [f"{100 * _held_out(model, X, y):.1f} %" for model in (cart, best)]
    cells = (name, depth, *errors, f"{best.lower_bound_:g}", *held_out, f"{seconds:.2f} s")
    return f"| {' | '.join(map(str, cells))} |\n"


def _held_out(model: DecisionTreeClassifier | OptimalTreeClassifier, X: NDArray[np.float64], y: NDArray[Any]) -> float:
    return float(cross_val_score(model, X, y, cv=FOLDS).mean())


if __name__ == "__main__":
    draw()
    for table, questions in COMPARED:
        sys.stdout.write(compare(table, questions))
        sys.stdout.flush()
