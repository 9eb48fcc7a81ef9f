"""Errors of a greedy tree beside those of a proved one, for ``exactree demo``."""

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from exactree.datasets import Dataset
from exactree.encode import Encoded
from exactree.estimators import OptimalTreeClassifier


def comparison(data: Dataset, encoded: Encoded, estimator: OptimalTreeClassifier) -> str:
    """Compare the errors of scikit-learn's tree with those of the proved one."""
    ours = int((estimator.predict(data.X) != data.y).sum())
    rows = (
        ("greedy (scikit-learn's CART)", cart_errors(encoded, estimator.max_depth)),
        ("proved best (exactree)", ours),
    )
    lines = [f"  {who:<30}{wrong:>4} errors   {100 * (1 - wrong / data.n_rows):5.1f} % right\n" for who, wrong in rows]
    size = "any depth" if estimator.max_depth is None else f"depth {estimator.max_depth}"
    return f"Trees of {size} on the same rows and the same questions:\n{''.join(lines)}"


def cart_errors(encoded: Encoded, depth: int | None) -> int:
    """Errors of scikit-learn's tree. Given ranks, it chooses among exactly the questions that exactree has.

    Examples
    --------
    >>> from exactree import datasets
    >>> from exactree.encode import encode
    >>> from exactree.table import Table
    >>> data = datasets.load("monks-1")
    >>> cart_errors(encode(Table.of(data.X), data.y), depth=3)
    108
    """
    ranks = np.column_stack([column.ranks[encoded.point_of] for column in encoded.columns])
    greedy = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(ranks, encoded.labels)
    return int((greedy.predict(ranks) != encoded.labels).sum())
