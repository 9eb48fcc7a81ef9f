"""The decision path of a row: the questions, the answers, and the leaf where it ends."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from exactree.explain.counterfactual.result import value_text
from exactree.explain.counterfactual.value_sets import domain_of, values_on_side
from exactree.explain.hybrid.hybrid import hybrid_of
from exactree.explain.leaf_facts import DEFAULT_CONFIDENCE, LeafFacts, label_text, leaf_facts
from exactree.explain.rows import QueryRows, graph_of, read_rows
from exactree.explain.wording import EVERY, condition
from exactree.model import Graph
from exactree.model.oblique import linear_combination
from exactree.model.wording import printable


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One branch of a decision path.

    Parameters
    ----------
    node : int
        Number of the branch.
    question : str
        Its question.
    answer : bool
        The answer of the row.
    values : dict
        The row's values of the columns in the question, as the caller wrote them; None if missing.

    Examples
    --------
    >>> print(TraceStep(node=0, question="age <= 40.5", answer=True, values={"age": 30}))
    age <= 40.5? yes: age = 30
    """

    node: int
    question: str
    answer: bool
    values: dict[str, Any]

    def __str__(self) -> str:
        values = ", ".join(f"{printable(name)} = {value_text(value)}" for name, value in self.values.items())
        return f"{self.question}? {'yes' if self.answer else 'no'}: {values}"


@dataclass(frozen=True, slots=True)
class Trace:
    """The decision path of a row; prints as text.

    Parameters
    ----------
    steps : tuple of TraceStep
        The branches that the row passes, the root first.
    leaf : LeafFacts
        The leaf where it ends.

    Examples
    --------
    >>> leaf = LeafFacts(node=1, label="no", rows=5, accuracy=1.0, interval=(0.566, 1.0))
    >>> path = Trace((TraceStep(0, "age <= 40.5", True, {"age": 30}),), leaf)
    >>> path.label, path.nodes
    ('no', (0, 1))
    >>> print(path)
    age <= 40.5? yes: age = 30
    => no; leaf 1: 5 rows, 100.0 % right (56.6 to 100.0 %)
    """

    steps: tuple[TraceStep, ...]
    leaf: LeafFacts

    @property
    def label(self) -> Any:
        """The predicted label."""
        return self.leaf.label

    @property
    def nodes(self) -> tuple[int, ...]:
        """Nodes that the row passes, the root first and the leaf last."""
        return (*(step.node for step in self.steps), self.leaf.node)

    def __str__(self) -> str:
        lines = [str(step) for step in self.steps] or [EVERY]
        return "\n".join([*lines, f"=> {label_text(self.label)}; leaf {self.leaf.node}: {self.leaf}"])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        steps = [
            {"node": step.node, "question": step.question, "answer": step.answer, "values": dict(step.values)}
            for step in self.steps
        ]
        return {"label": self.label, "path": steps, "leaf": self.leaf.to_dict()}


def trace(model: Any, row: Any, *, confidence: float = DEFAULT_CONFIDENCE) -> Any:
    """Return the decision path of a row, and how far the leaf where it ends can be trusted.

    Parameters
    ----------
    model : fitted estimator or Graph
        The tree or diagram; or a hybrid tree, whose label is that of the model in the leaf.
    row : row or table
        One row as a list, dict, Series or table of one row; or a table, which gives a list of traces.
    confidence : float, default=0.95
        Confidence level of the interval of the leaf's accuracy.

    Returns
    -------
    Trace, or a list of them
        The branches passed, the row's answers, and the leaf.

    Examples
    --------
    >>> from exactree.model import Node
    >>> from exactree.table import ColumnType, Kind, Schema, Test
    >>> schema = Schema((ColumnType("age", Kind.NUMBER),), named=True)
    >>> nodes = [
    ...     Node(0, (5, 4), 9, test=Test.AT_MOST, column=0, threshold=40.5, yes=1, no=2),
    ...     Node(0, (5, 0), 5), Node(1, (0, 4), 4),
    ... ]
    >>> print(trace(Graph.of_nodes(schema, ["no", "yes"], nodes), {"age": 30}))
    age <= 40.5? yes: age = 30
    => no; leaf 1: 5 rows, 100.0 % right (56.6 to 100.0 %)
    """
    hybrid = hybrid_of(model)
    graph = graph_of(model) if hybrid is None else hybrid.graph
    rows = read_rows(graph, row, model)
    labels = [] if hybrid is None else hybrid.predicted(rows.cells(graph.schema))
    passed = graph.decision_path(rows.table)
    traces = []
    for at in range(rows.table.n_rows):
        # Children come after their parents, so the nodes of a row in ascending order are its decision path.
        nodes = sorted(passed.indices[passed.indptr[at] : passed.indptr[at + 1]].tolist())
        steps = (_step(graph, rows, at, node, child) for node, child in itertools.pairwise(nodes))
        if hybrid is None:
            facts = leaf_facts(graph, nodes[-1], confidence, nodes=nodes)
        else:
            facts = hybrid.leaf_facts(nodes[-1], labels[at], confidence)
        traces.append(Trace(tuple(steps), facts))
    return traces[0] if rows.single else traces


def _step(graph: Graph, rows: QueryRows, at: int, node: int, child: int) -> TraceStep:
    asked = [j for j, _ in graph.sum_at(node)] or [int(graph.column[node])]
    values = {graph.schema.columns[j].name: rows.given_value(j, at) for j in asked}
    return TraceStep(node, condition(graph, node, yes=True), _answer(graph, rows, at, node, child), values)


def _answer(graph: Graph, rows: QueryRows, at: int, node: int, child: int) -> bool:
    if graph.yes[node] != graph.no[node]:  # else both answers lead to the same node
        return int(graph.yes[node]) == child
    if graph.is_linear and graph.sum_at(node):
        total = linear_combination(
            graph.sum_at(node), [column.values[at : at + 1] for column in rows.table.columns], 1
        )[0]
        return bool(graph.missing_yes[node] if np.isnan(total) else total <= graph.threshold[node])
    column = int(graph.column[node])
    return rows.value(column, at) in values_on_side(graph, node, domain_of(graph.schema.columns[column]), yes=True)
