"""How far a leaf can be trusted: its rows, its accuracy, and a confidence interval."""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any

from exactree.errors import InputError
from exactree.model import Graph
from exactree.model.wording import percent, printable

DEFAULT_CONFIDENCE = 0.95


def wilson(share: float, n: float, confidence: float = DEFAULT_CONFIDENCE) -> tuple[float, float]:
    """Return Wilson's confidence interval for a share; (0, 1) without rows.

    Unlike the normal approximation it never leaves the range from 0 to 1, and it is informative for shares of 0 and 1.

    Parameters
    ----------
    share : float
        The observed share.
    n : float
        The number of rows.
    confidence : float, default=0.95
        The confidence level.

    Returns
    -------
    tuple of two floats
        The ends of the interval.

    Examples
    --------
    >>> [round(end, 3) for end in wilson(1.0, 10)]
    [0.722, 1.0]
    """
    if not 0 < confidence < 1:
        raise InputError(f"confidence is {confidence!r}. Expected a number between 0 and 1, such as 0.95.")
    if n <= 0:
        return 0.0, 1.0
    z2 = NormalDist().inv_cdf((1 + confidence) / 2) ** 2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = sqrt(z2 * (share * (1 - share) + z2 / (4 * n)) / n) / (1 + z2 / n)
    # For shares of 0 and 1 the interval ends there exactly; rounding would miss it.
    return middle - half if share > 0 else 0.0, middle + half if share < 1 else 1.0


def accuracy_text(rows: int, accuracy: float | None, low: float, high: float) -> str:
    """Return the number of rows and their accuracy as text.

    Examples
    --------
    >>> accuracy_text(1, 1.0, 0.2065, 1.0), accuracy_text(0, None, 0.0, 1.0)
    ('1 row, 100.0 % right (20.6 to 100.0 %)', '0 rows')
    """
    support = f"{rows:,} row{'s' * (rows != 1)}"
    if accuracy is None:
        return support
    return f"{support}, {percent(accuracy)} right ({percent(low).removesuffix(' %')} to {percent(high)})"


@dataclass(frozen=True, slots=True)
class LeafFacts:
    """Training statistics of a leaf.

    Parameters
    ----------
    node : int
        Number of the leaf.
    label : object
        The label that it predicts.
    rows : int
        Training rows in the leaf.
    accuracy : float or None
        Weighted share of the label; None if the model does not have it.
    interval : tuple of two floats
        Wilson's confidence interval of the accuracy.

    Examples
    --------
    >>> print(LeafFacts(node=2, label="yes", rows=4, accuracy=1.0, interval=(0.51, 1.0)))
    4 rows, 100.0 % right (51.0 to 100.0 %)
    """

    node: int
    label: Any
    rows: int
    accuracy: float | None
    interval: tuple[float, float]

    def __str__(self) -> str:
        return accuracy_text(self.rows, self.accuracy, *self.interval)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "node": self.node,
            "label": self.label,
            "rows": self.rows,
            "accuracy": self.accuracy,
            "interval": list(self.interval),
        }


def leaf_facts(graph: Graph, leaf: int, confidence: float = DEFAULT_CONFIDENCE) -> LeafFacts:
    """Return the training statistics of a leaf.

    Parameters
    ----------
    graph : Graph
        The tree or diagram.
    leaf : int
        Number of the leaf.
    confidence : float, default=0.95
        Confidence level of the interval.

    Returns
    -------
    LeafFacts
        Rows and accuracy in training.

    Examples
    --------
    >>> from exactree.table import Schema
    >>> print(leaf_facts(Graph.leaf(Schema((), named=False), ["a", "b"], 0, [9.0, 1.0], 10), 0))
    10 rows, 90.0 % right (59.6 to 98.2 %)
    """
    label, total, rows = int(graph.label[leaf]), float(graph.weight[leaf].sum()), int(graph.rows[leaf])
    accuracy = float(graph.weight[leaf, label]) / total if total > 0 else None
    interval = wilson(accuracy, rows, confidence) if accuracy is not None else (0.0, 1.0)
    return LeafFacts(leaf, plain_label(graph, label), rows, accuracy, interval)


def plain_label(graph: Graph, label: int) -> Any:
    """Return the caller's own label as a Python value."""
    return graph.classes[label : label + 1].tolist()[0]


def label_text(label: Any) -> str:
    """Return a label as text on one line."""
    return printable(label)
