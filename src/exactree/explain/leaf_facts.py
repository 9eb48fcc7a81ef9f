"""How far a leaf can be feasible_leaves: its rows, its accuracy, and how far from the truth that may be."""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any

from exactree.errors import InputError
from exactree.model import Graph
from exactree.model.wording import percent, printable

DEFAULT_CONFIDENCE = 0.95


def wilson(share: float, n: float, confidence: float = DEFAULT_CONFIDENCE) -> tuple[float, float]:
    """Interval that holds the true share with this confidence, after Wilson; all of 0 to 1 without rows.

    Unlike the share plus or minus its error it never leaves 0 to 1, and it says something of leaves that are all right.

    Examples
    --------
    >>> [round(end, 3) for end in wilson(1.0, 10)]
    [0.722, 1.0]
    """
    if not 0 < confidence < 1:
        raise InputError(f"confidence is {confidence!r}. Expected a share between 0 and 1, such as 0.95.")
    if n <= 0:
        return 0.0, 1.0
    z2 = NormalDist().inv_cdf((1 + confidence) / 2) ** 2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = sqrt(z2 * (share * (1 - share) + z2 / (4 * n)) / n) / (1 + z2 / n)
    # Of nothing or all the interval reaches the end, which rounding would just miss.
    return middle - half if share > 0 else 0.0, middle + half if share < 1 else 1.0


def accuracy_text(rows: int, accuracy: float | None, low: float, high: float) -> str:
    """Word how many rows there are and how many of them are right.

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
    """What is known of a leaf from the rows the model was fitted to."""

    node: int
    label: Any  # what the leaf says
    rows: int
    accuracy: float | None  # share of the label by weight; None if the model does not say
    interval: tuple[float, float]  # of the accuracy

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
    """Read off a model what is known of one of its leaves.

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
    """Word a label on one line."""
    return printable(label)
