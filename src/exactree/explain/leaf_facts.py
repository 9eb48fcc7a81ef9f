"""How far a leaf can be trusted: its rows, its accuracy, and a confidence interval."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any

from exactree.arrays import Floats
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
class PathFacts:
    """Training statistics of one decision path of a diagram, whose leaves are the ends of many paths.

    Parameters
    ----------
    rows : int or None
        Training rows that took the path; None if the model does not have them, as it was made by hand or saved by an
        older release.
    accuracy : float or None
        Weighted share of the leaf's label among them; None without rows.
    interval : tuple of two floats
        Wilson's confidence interval of the accuracy.

    Examples
    --------
    >>> print(PathFacts(rows=4, accuracy=1.0, interval=(0.51, 1.0)))
    4 rows, 100.0 % right (51.0 to 100.0 %)
    >>> print(PathFacts(rows=None, accuracy=None, interval=(0.0, 1.0)))
    not counted; fit the model again
    """

    rows: int | None
    accuracy: float | None
    interval: tuple[float, float]

    def __str__(self) -> str:
        if self.rows is None:
            return "not counted; fit the model again"
        return accuracy_text(self.rows, self.accuracy, *self.interval)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {"rows": self.rows, "accuracy": self.accuracy, "interval": list(self.interval)}


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
    path : PathFacts or None, default=None
        The same for the rows of the decision path alone, in a diagram; None in a tree, where a leaf has one path.
    model : str or None, default=None
        Name of the model that predicts in the leaf of a hybrid tree.
    validated : bool, default=False
        Whether the accuracy is that of the model on rows that it was not fitted to.

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
    path: PathFacts | None = None
    model: str | None = None
    validated: bool = False

    def __str__(self) -> str:
        text = accuracy_text(self.rows, self.accuracy, *self.interval)
        if self.model is not None:
            text = f"{self.model}, {text}{' in validation' if self.validated else ' in training'}"
        return text if self.path is None else f"{text}; this path: {self.path}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "node": self.node,
            "label": self.label,
            "rows": self.rows,
            "accuracy": self.accuracy,
            "interval": list(self.interval),
            "path": None if self.path is None else self.path.to_dict(),
            "model": self.model,
            "validated": self.validated,
        }


def leaf_facts(
    graph: Graph, leaf: int, confidence: float = DEFAULT_CONFIDENCE, *, nodes: Sequence[int] | None = None
) -> LeafFacts:
    """Return the training statistics of a leaf.

    Parameters
    ----------
    graph : Graph
        The tree or diagram.
    leaf : int
        Number of the leaf.
    confidence : float, default=0.95
        Confidence level of the interval.
    nodes : sequence of int or None, default=None
        The decision path of a row to this leaf, from the root on: in a diagram its own statistics are added.

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
    label, rows = int(graph.label[leaf]), int(graph.rows[leaf])
    share, interval = _share(graph.weight[leaf], label, rows, confidence)
    path = None if nodes is None or graph.is_tree else path_facts(graph, nodes, confidence)
    return LeafFacts(leaf, plain_label(graph, label), rows, share, interval, path)


def path_facts(graph: Graph, nodes: Sequence[int], confidence: float = DEFAULT_CONFIDENCE) -> PathFacts:
    """Return the training statistics of a decision path.

    Examples
    --------
    >>> from exactree.table import Schema
    >>> path_facts(Graph.leaf(Schema((), named=False), ["a"], 0, [3.0], 3), [0]).rows is None
    True
    """
    if graph.paths is None:
        return PathFacts(None, None, (0.0, 1.0))
    at = graph.paths.number(nodes)
    if at is None:
        return PathFacts(0, None, (0.0, 1.0))
    rows = int(graph.paths.rows[at])
    return PathFacts(rows, *_share(graph.paths.weight[at], int(graph.label[nodes[-1]]), rows, confidence))


def _share(weight: Floats, label: int, rows: int, confidence: float) -> tuple[float | None, tuple[float, float]]:
    """Return the weighted share of a label, and its interval."""
    total = float(weight.sum())
    if total <= 0:
        return None, (0.0, 1.0)
    share = float(weight[label]) / total
    return share, wilson(share, rows, confidence)


def plain_label(graph: Graph, label: int) -> Any:
    """Return the caller's own label as a Python value."""
    return graph.classes[label : label + 1].tolist()[0]


def label_text(label: Any) -> str:
    """Return a label as text on one line."""
    return printable(label)
