"""A report of all leaves: rule, rows, accuracy, and a confidence interval."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from exactree.arrays import Bools, Floats
from exactree.errors import InputError
from exactree.explain.blocking import BlockingRows
from exactree.explain.leaf_facts import DEFAULT_CONFIDENCE, accuracy_text, label_text, plain_label, wilson
from exactree.explain.rows import as_table, graph_of
from exactree.explain.wording import rule_text
from exactree.model import Graph


@dataclass(frozen=True, slots=True)
class Score:
    """Accuracy of a leaf on some rows."""

    rows: int
    accuracy: float | None  # by weight; None without rows
    low: float  # confidence interval of the accuracy
    high: float

    def __str__(self) -> str:
        return accuracy_text(self.rows, self.accuracy, self.low, self.high)


@dataclass(frozen=True, slots=True)
class LeafLine:
    """One leaf of a report.

    Parameters
    ----------
    node : int
        Number of the leaf.
    rule : str
        The conditions of its decision path.
    label : object
        The label that it predicts.
    score : Score
        ``rows``, ``accuracy``, and ``low`` and ``high``, the ends of the confidence interval.
    test : Score or None
        The same for the test rows, if there are any.

    Examples
    --------
    >>> line = LeafLine(2, "age > 40.5", "yes", Score(rows=4, accuracy=1.0, low=0.51, high=1.0), test=None)
    >>> print(line.score)
    4 rows, 100.0 % right (51.0 to 100.0 %)
    """

    node: int
    rule: str
    label: Any
    score: Score
    test: Score | None


@dataclass(frozen=True, slots=True)
class LeafReport:
    """A report of all leaves, in the order of their nodes; prints as text.

    Parameters
    ----------
    leaves : tuple of LeafLine
        The leaves.
    confidence : float
        Confidence level of the intervals.
    blocking : BlockingRows or None, default=None
        Rows that keep the worst leaf from being better.

    Examples
    --------
    >>> line = LeafLine(2, "age > 40.5", "yes", Score(rows=4, accuracy=1.0, low=0.51, high=1.0), test=None)
    >>> print(LeafReport((line,), confidence=0.95))
    leaf 2: yes if age > 40.5
      4 rows, 100.0 % right (51.0 to 100.0 %)
    """

    leaves: tuple[LeafLine, ...]
    confidence: float
    blocking: BlockingRows | None = None

    def __str__(self) -> str:
        blocks = []
        for leaf in self.leaves:
            lines = [f"leaf {leaf.node}: {label_text(leaf.label)} if {leaf.rule}", f"  {leaf.score}"]
            blocks += lines if leaf.test is None else [*lines, f"  test: {leaf.test}"]
        return "\n".join(blocks if self.blocking is None else [*blocks, str(self.blocking)])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        found: dict[str, Any] = {"confidence": self.confidence, "leaves": [asdict(leaf) for leaf in self.leaves]}
        return found if self.blocking is None else {**found, "blocking": self.blocking.to_dict()}


def leaf_report(
    tree: Any,
    X: Any,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    test: Sequence[Any] | None = None,
    *,
    confidence: float = DEFAULT_CONFIDENCE,
    blocking: BlockingRows | None = None,
) -> LeafReport:
    """Report the accuracy of every leaf on rows with known labels.

    Parameters
    ----------
    tree : fitted estimator or Graph
        The tree or diagram.
    X, y : table and labels
        Rows to count, such as those the model was fitted to.
    sample_weight : array of shape (n_rows,), default=None
        Weight of each row. The interval is then that of the effective number of rows (Kish).
    test : pair (X_test, y_test), default=None
        Test rows, that the model was not fitted to.
    confidence : float, default=0.95
        Confidence level of the intervals, which are Wilson's.
    blocking : BlockingRows, default=None
        The result of :func:`exactree.blocking_rows`, to be printed at the end.

    Returns
    -------
    LeafReport
        The leaves, in the order of their nodes.

    Examples
    --------
    >>> from exactree.table import Schema, ColumnType, Kind
    >>> graph = Graph.leaf(Schema((ColumnType("x0", Kind.NUMBER),), named=False), ["a", "b"], 0, [2.0, 1.0], 3)
    >>> print(leaf_report(graph, [[1.0], [2.0], [3.0]], ["a", "a", "b"]))
    leaf 0: a if every row
      3 rows, 66.7 % right (20.8 to 93.9 %)
    """
    graph = graph_of(tree)
    scores = _scores(graph, X, y, sample_weight, confidence)
    if test is not None and (not isinstance(test, (tuple, list)) or len(test) != 2):
        raise InputError(f"test is a {type(test).__name__}. Expected a pair (X_test, y_test).")
    tested = {} if test is None else _scores(graph, test[0], test[1], None, confidence)
    return LeafReport(
        tuple(
            LeafLine(leaf, rule_text(graph, leaf), plain_label(graph, label), scores[leaf], tested.get(leaf))
            for leaf, label in zip(graph.leaves.tolist(), graph.label[graph.leaves].tolist(), strict=True)
        ),
        confidence,
        blocking,
    )


def _scores(graph: Graph, X: Any, y: Any, sample_weight: Any, confidence: float) -> dict[int, Score]:
    table = as_table(X).conform(graph.schema)
    labels = np.asarray(y)
    if labels.shape != (table.n_rows,):
        raise InputError(f"X has {table.n_rows} rows but y has shape {labels.shape}. Give one label per row.")
    weight = _weights(sample_weight, table.n_rows)
    leaves = graph.apply(table)
    answers = graph.classes[graph.label[leaves]].tolist()
    right = np.array([a == b for a, b in zip(answers, labels.tolist(), strict=True)], dtype=np.bool_)
    return {leaf: _score(weight[leaves == leaf], right[leaves == leaf], confidence) for leaf in graph.leaves.tolist()}


def _weights(given: Any, n_rows: int) -> Floats:
    if given is None:
        return np.ones(n_rows)
    weight = np.asarray(given, dtype=np.float64)
    if weight.shape != (n_rows,) or not (np.isfinite(weight) & (weight >= 0)).all():
        raise InputError(f"sample_weight must be {n_rows} finite numbers, 0 or more, one per row.")
    return weight


def _score(weight: Floats, right: Bools, confidence: float) -> Score:
    total = float(weight.sum())
    if total == 0:
        return Score(len(weight), None, *wilson(0.0, 0, confidence))
    accuracy = min(float(weight[right].sum()) / total, 1.0)
    effective = total**2 / float((weight**2).sum())  # Kish: rows of equal weight with the same variance
    return Score(len(weight), accuracy, *wilson(accuracy, effective, confidence))
