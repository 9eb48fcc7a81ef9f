"""``exactree demo``: the whole way once, on a table that comes with exactree."""

import sys
from argparse import Namespace

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from exactree import __version__, datasets
from exactree.cli import report
from exactree.cli.progress import Display
from exactree.cli.saved import verdict
from exactree.datasets import Dataset
from exactree.encode import Encoded, encode
from exactree.estimators import OptimalTreeClassifier
from exactree.export import to_text
from exactree.model import About
from exactree.plot import save_svg
from exactree.table import Table

# At depth 3 the greedy tree makes 108 errors on these 432 rows, the best one 48, and the proof takes no time at all.
NAME = "monks-1"
DEPTH = 3
PICTURE = "demo-tree.svg"

NEXT = f"""
{PICTURE} shows the tree; open it in a browser.

What to try next:
  exactree fit {NAME} --max-depth 4            one more question, and see what it gains
  exactree fit tic-tac-toe --max-leaf-nodes 6   as few leaves as you like to read
  exactree fit breast-cancer                    measured numbers: watch the gap close
  exactree fit YOURS.csv --target COLUMN        your own table, text and empty cells as they are
"""


def run(_options: Namespace) -> int:
    """Fit, prove, compare, draw."""
    report.writable(PICTURE, PICTURE)
    data = datasets.load(NAME)
    encoded = encode(Table.of(data.X), data.y)
    sys.stdout.write(
        f"{NAME}: {data.n_rows} rows, {data.n_columns} columns, {encoded.n_questions} questions to choose from. "
        f"{data.description}\nSearching for the best of all trees of depth {DEPTH}:\n\n"
    )
    sys.stdout.flush()
    estimator = OptimalTreeClassifier(DEPTH, time_limit=None)
    with Display(pause=None) as display:  # so short a search is best seen afterwards, change by change
        estimator.fit(data.X, data.y, callback=display)
        display.replay(estimator.history_)
    about = About(data.target, estimator.status_, estimator.cost_, estimator.lower_bound_, "all", __version__)
    sys.stdout.write(f"\n{to_text(estimator.tree_)}\n\n{verdict(about)}\n\n")
    sys.stdout.write(_comparison(data, encoded, estimator))
    save_svg(estimator.tree_, PICTURE)
    sys.stdout.write(NEXT)
    return 0


def _comparison(data: Dataset, encoded: Encoded, estimator: OptimalTreeClassifier) -> str:
    ours = int((estimator.predict(data.X) != data.y).sum())
    rows = (("greedy (scikit-learn's CART)", cart_errors(encoded)), ("proved best (exactree)", ours))
    lines = [f"  {who:<30}{wrong:>4} errors   {100 * (1 - wrong / data.n_rows):5.1f} % right\n" for who, wrong in rows]
    return f"Trees of depth {DEPTH} on the same rows and the same questions:\n{''.join(lines)}"


def cart_errors(encoded: Encoded) -> int:
    """Errors of scikit-learn's tree. Given ranks, it chooses among exactly the questions that exactree has.

    Examples
    --------
    >>> data = datasets.load("monks-1")
    >>> cart_errors(encode(Table.of(data.X), data.y))
    108
    """
    ranks = np.column_stack([column.ranks[encoded.point_of] for column in encoded.columns])
    greedy = DecisionTreeClassifier(max_depth=DEPTH, random_state=0).fit(ranks, encoded.labels)
    return int((greedy.predict(ranks) != encoded.labels).sum())
