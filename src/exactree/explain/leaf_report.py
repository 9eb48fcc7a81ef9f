"""A report of all leaves: rule, rows, accuracy, and a confidence interval."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from exactree.arrays import Bools, Floats, Int32s
from exactree.errors import InputError
from exactree.explain.blocking import BlockingRows
from exactree.explain.hybrid.hybrid import Hybrid, hybrid_of
from exactree.explain.leaf_facts import DEFAULT_CONFIDENCE, accuracy_text, label_text, plain_label, wilson
from exactree.explain.rows import as_table, graph_of
from exactree.explain.wording import answers_along, path_text, rule_text
from exactree.model import Graph, paths_taken

MAX_PATHS = 8  # written per leaf of a diagram, those of most rows


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
class PathLine:
    """One decision path of a diagram in a report.

    Parameters
    ----------
    nodes : tuple of int
        Its nodes, from the root to the leaf.
    rule : str
        Its conditions.
    score, test : Score, Score or None
        As those of a leaf, over the rows that took the path.

    Examples
    --------
    >>> print(PathLine((0, 2), "age > 40.5", Score(rows=4, accuracy=1.0, low=0.51, high=1.0), test=None))
    age > 40.5: 4 rows, 100.0 % right (51.0 to 100.0 %)
    """

    nodes: tuple[int, ...]
    rule: str
    score: Score
    test: Score | None

    def __str__(self) -> str:
        tested = "" if self.test is None else f"; test: {self.test}"
        return f"{self.rule}: {self.score}{tested}"


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
    paths : tuple of PathLine, default=()
        In a diagram, the decision paths that any of the rows took, those of most rows first.
    model : str or None, default=None
        Name of the model that predicts there, in a hybrid tree; ``label`` is then the class of the leaf without it.

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
    paths: tuple[PathLine, ...] = ()
    model: str | None = None

    def __str__(self) -> str:
        n_paths = len(self.paths)
        where = f"on {n_paths} path{'s' * (n_paths != 1)}" if n_paths else f"if {self.rule}"
        answer = label_text(self.label) if self.model is None else self.model
        lines = [f"leaf {self.node}: {answer} {where}", f"  {self.score}"]
        lines += [] if self.test is None else [f"  test: {self.test}"]
        lines += [f"    {path}" for path in self.paths[:MAX_PATHS]]
        if rest := self.paths[MAX_PATHS:]:
            n_rows = sum(path.score.rows for path in rest)
            lines.append(f"    and {len(rest)} more path{'s' * (len(rest) != 1)}, {n_rows:,} rows together")
        return "\n".join(lines)


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
        blocks = [*self.leaves, *([] if self.blocking is None else [self.blocking])]
        return "\n".join(map(str, blocks))

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
        The tree or diagram; or a hybrid tree, whose scores are those of the models in its leaves.
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
    hybrid = hybrid_of(tree)
    graph = graph_of(tree) if hybrid is None else hybrid.graph
    if test is not None and (not isinstance(test, (tuple, list)) or len(test) != 2):
        raise InputError(f"test is a {type(test).__name__}. Expected a pair (X_test, y_test).")
    rows = _scored_rows(graph, hybrid, X, y, sample_weight, confidence)
    tested = None if test is None else _scored_rows(graph, hybrid, test[0], test[1], None, confidence)
    models = {} if hybrid is None else {score.node: score.model for score in hybrid.model.report_.leaves}
    return LeafReport(
        tuple(
            LeafLine(
                leaf,
                rule_text(graph, leaf),
                plain_label(graph, label),
                rows.score(leaf),
                None if tested is None else tested.score(leaf),
                () if graph.is_tree else _path_lines(graph, leaf, rows, tested),
                models.get(leaf),
            )
            for leaf, label in zip(graph.leaves.tolist(), graph.label[graph.leaves].tolist(), strict=True)
        ),
        confidence,
        blocking,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _ScoredRows:
    """Labelled rows, where they end, and whether the answer is right."""

    leaf: Int32s
    nodes: list[tuple[int, ...]]  # decision paths that rows take
    path: NDArray[np.intp]  # (n_rows,) index into them
    weight: Floats
    right: Bools
    confidence: float

    def score(self, leaf: int) -> Score:
        """Return the score of a leaf."""
        return self._of(self.leaf == leaf)

    def path_score(self, nodes: tuple[int, ...]) -> Score:
        """Return the score of a decision path."""
        return self._of(self.path == (self.nodes.index(nodes) if nodes in self.nodes else -1))

    def _of(self, chosen: Bools) -> Score:
        return _score(self.weight[chosen], self.right[chosen], self.confidence)


def _scored_rows(
    graph: Graph, hybrid: Hybrid | None, X: Any, y: Any, sample_weight: Any, confidence: float
) -> _ScoredRows:
    table = as_table(X).conform(graph.schema)
    labels = np.asarray(y)
    if labels.shape != (table.n_rows,):
        raise InputError(f"X has {table.n_rows} rows but y has shape {labels.shape}. Give one label per row.")
    check_known(graph, labels)
    nodes, path = paths_taken(graph, table)
    leaf = np.array([taken[-1] for taken in nodes], dtype=np.int32)[path]
    answers = graph.classes[graph.label[leaf]].tolist()
    if hybrid is not None:
        answers = np.asarray(hybrid.model.predict(X)).tolist()
    right = np.array([a == b for a, b in zip(answers, labels.tolist(), strict=True)], dtype=np.bool_)
    return _ScoredRows(leaf, nodes, path, _weights(sample_weight, table.n_rows), right, confidence)


def check_known(graph: Graph, labels: NDArray[Any]) -> None:
    """Reject labels that a model does not have, which no answer could match."""
    known = graph.classes.tolist()
    for label in dict.fromkeys(labels.tolist()):
        if label not in known:
            raise InputError(
                f"y has the label {label!r}, but the model's labels are: {', '.join(map(repr, known))}. Write labels "
                f"as in training, and leave out rows of other classes."
            )


def _path_lines(graph: Graph, leaf: int, rows: _ScoredRows, tested: _ScoredRows | None) -> tuple[PathLine, ...]:
    """Return the decision paths to a leaf that any row takes, those of most rows first."""
    taken = [*rows.nodes, *([] if tested is None else tested.nodes)]
    lines = [
        PathLine(
            nodes,
            path_text(graph, answers_along(graph, nodes)),
            rows.path_score(nodes),
            None if tested is None else tested.path_score(nodes),
        )
        for nodes in dict.fromkeys(taken)
        if nodes[-1] == leaf
    ]
    return tuple(sorted(lines, key=lambda line: (-line.score.rows, line.nodes)))


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
