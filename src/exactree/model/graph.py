"""Trees and diagrams as one structure of flat arrays: children come after their parents.

A tree is the special case in which no node has two parents, so prediction, explanation, export and plotting are
written once, here and in the folders after.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from exactree.arrays import Bools, Floats, Int32s, Ints
from exactree.errors import InputError
from exactree.kernel import apply as native_apply
from exactree.model.invariants import (
    LEAF,
    check_array,
    check_children,
    check_classes,
    check_counts,
    check_linear_splits,
    check_nodes,
)
from exactree.model.node import Node
from exactree.model.oblique import dense_factors, linear_combination
from exactree.model.path_counts import PathCounts, check_path_counts
from exactree.table import Kind, Question, Schema, Table, Test


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """A decision graph rooted at node 0: a tree, or a diagram with shared nodes.

    Every child has a larger index than its parent, hence there are no cycles. Every node but the root has a parent. The
    arrays are copied and made read-only; arrays that violate these invariants raise :class:`InputError`.

    Parameters
    ----------
    schema : Schema
        The columns of the table.
    classes : array of shape (n_classes,)
        The caller's own labels, sorted.
    test : array of uint8, shape (n_nodes,)
        The kind of split at each node, a ``Test``.
    column : array of int32, shape (n_nodes,)
        Index into ``schema.columns``; -1 at leaves and oblique splits.
    threshold : array of float64, shape (n_nodes,)
        Of ``AT_MOST`` and ``LINEAR`` splits; NaN elsewhere.
    code : array of int64, shape (n_nodes,)
        ``IS_LEVEL``: the level; ``AT_MOST`` on an integer column: the threshold; else 0.
    missing_yes : array of bool, shape (n_nodes,)
        ``AT_MOST`` and ``LINEAR``: whether missing values take the yes side.
    yes, no : arrays of int32, shape (n_nodes,)
        The children; -1 at leaves.
    label : array of int32, shape (n_nodes,)
        Index into ``classes``; at branches the label that a leaf there would have.
    weight : array of float64, shape (n_nodes, n_classes)
        Training weight of each class at the node.
    rows : array of int64, shape (n_nodes,)
        Training rows at the node.
    missing_seen : array of bool, shape (n_columns,), optional
        Whether the column had missing values in training; by default none had.
    factors : array of float64, shape (n_nodes, n_columns), optional
        ``LINEAR``: the coefficient of each column, 0 elsewhere; left out without oblique splits.
    paths : PathCounts or None, optional
        Training rows of every decision path of a diagram. In a tree a leaf has one path, and its rows.

    Examples
    --------
    >>> from exactree.table import ColumnType
    >>> age = ColumnType("age", Kind.NUMBER)
    >>> branch = Node(0, (2.0, 1.0), 3, test=Test.AT_MOST, column=0, threshold=40.5, yes=1, no=2)
    >>> leaves = Node(0, (2.0, 0.0), 2), Node(1, (0.0, 1.0), 1)
    >>> graph = Graph.of_nodes(Schema((age,), named=True), ["young", "old"], [branch, *leaves])
    >>> graph.n_leaves, graph.depth, graph.is_tree
    (2, 1, True)
    """

    schema: Schema
    classes: NDArray[Any]
    test: NDArray[np.uint8]
    column: Int32s
    threshold: Floats
    code: Ints
    missing_yes: Bools
    yes: Int32s
    no: Int32s
    label: Int32s
    weight: Floats
    rows: Ints
    missing_seen: Bools = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    factors: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    paths: PathCounts | None = None

    def __post_init__(self) -> None:
        classes = check_classes(self.classes)
        n_nodes, n_columns = len(self.test), len(self.schema.columns)
        if len(self.missing_seen) == 0:
            object.__setattr__(self, "missing_seen", np.zeros(n_columns, dtype=np.bool_))
        shapes = {"weight": (n_nodes, len(classes)), "missing_seen": (n_columns,)}
        shapes["factors"] = (n_nodes, n_columns) if self.is_linear else (0, 0)
        object.__setattr__(self, "classes", classes)
        for name, dtype in _DTYPES.items():
            array = check_array(name, getattr(self, name), dtype, shapes.get(name, (n_nodes,)))
            object.__setattr__(self, name, array)
        check_nodes(self.schema, self.test, self.column, self.threshold, self.code)
        check_linear_splits(self.schema, self.test, self.column, self.threshold, self.factors)
        check_children(self.test, self.yes, self.no)
        check_counts(self.label, self.weight, self.rows, self.n_classes)
        if self.paths is not None:
            check_path_counts(self.paths, self.yes, self.no, self.rows, self.n_classes)

    def __reduce__(self) -> tuple[Any, ...]:
        # Copies and pickles go through the constructor, so that they are checked and read-only as well.
        return type(self), tuple(getattr(self, f.name) for f in fields(self))

    @classmethod
    def of_nodes(
        cls,
        schema: Schema,
        classes: Any,
        nodes: Sequence[Node],
        missing_seen: Bools | None = None,
        paths: PathCounts | None = None,
    ) -> "Graph":
        """Build a graph from nodes, root first.

        Examples
        --------
        >>> Graph.of_nodes(Schema((), named=False), ["a", "b"], [Node(0, (2.0, 1.0), 3)]).n_nodes
        1
        """
        classes = np.asarray(classes)
        for i, node in enumerate(nodes):
            if len(node.weight) != len(classes):
                raise InputError(f"Node {i} has {len(node.weight)} weights, but there are {len(classes)} classes.")
        columns = {
            name: np.array([getattr(node, name) for node in nodes], dtype=dtype)
            for name, dtype in _DTYPES.items()
            if name not in ("weight", "missing_seen", "factors")
        }
        weight = np.array([node.weight for node in nodes], dtype=np.float64).reshape(len(nodes), len(classes))
        rest: dict[str, Any] = {} if missing_seen is None else {"missing_seen": missing_seen}
        if any(node.factors for node in nodes):
            rest["factors"] = dense_factors([node.factors for node in nodes], len(schema.columns))
        return cls(schema=schema, classes=classes, weight=weight, paths=paths, **columns, **rest)

    @classmethod
    def leaf(cls, schema: Schema, classes: Any, label: int, weight: Sequence[float], rows: int) -> "Graph":
        """Build the graph of a single leaf.

        Examples
        --------
        >>> Graph.leaf(Schema((), named=False), ["a", "b"], 0, [2.0, 1.0], 3).depth
        0
        """
        return cls.of_nodes(schema, classes, [Node(label, tuple(weight), rows)])

    def nodes(self) -> list[Node]:
        """Return the nodes, root first."""
        return [
            Node(
                label=int(self.label[i]),
                weight=tuple(self.weight[i].tolist()),
                rows=int(self.rows[i]),
                test=Test(self.test[i]),
                column=int(self.column[i]),
                threshold=float(self.threshold[i]),
                code=int(self.code[i]),
                missing_yes=bool(self.missing_yes[i]),
                yes=int(self.yes[i]),
                no=int(self.no[i]),
                factors=self.sum_at(i),
            )
            for i in range(self.n_nodes)
        ]

    @property
    def n_nodes(self) -> int:
        """Number of nodes, including leaves."""
        return len(self.test)

    @property
    def n_classes(self) -> int:
        """Number of classes, whether or not a leaf predicts each."""
        return len(self.classes)

    @property
    def leaves(self) -> Ints:
        """Indices of the leaves, ascending."""
        return np.flatnonzero(self.test == LEAF)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.test == LEAF))

    @property
    def depths(self) -> Ints:
        """Questions asked before each node, on the longest path to it."""
        depths = [0] * self.n_nodes
        for node, children in enumerate(zip(self.yes.tolist(), self.no.tolist(), strict=True)):
            for child in children:
                if child >= 0:
                    depths[child] = max(depths[child], depths[node] + 1)
        return np.array(depths, dtype=np.int64)

    @property
    def depth(self) -> int:
        """Questions on the longest path; a lone leaf has depth 0."""
        return int(self.depths.max())

    @property
    def is_tree(self) -> bool:
        """Whether no node has two parents."""
        # Every node but the root has a parent, so one edge less than nodes means exactly one each.
        return 2 * int(np.count_nonzero(self.test != LEAF)) == self.n_nodes - 1

    @property
    def is_linear(self) -> bool:
        """Whether the graph has oblique splits, which compare a linear combination of columns with a threshold."""
        return bool((self.test == Test.LINEAR).any())

    @property
    def coefficients(self) -> Floats:
        """The coefficients of oblique splits: ``factors``, by the usual word."""
        return self.factors

    def sum_at(self, node: int) -> tuple[tuple[int, float], ...]:
        """Columns and coefficients of an oblique split; empty at other nodes."""
        if not len(self.factors):
            return ()
        return tuple((int(j), float(self.factors[node, j])) for j in np.flatnonzero(self.factors[node]))

    def is_leaf(self, node: int) -> bool:
        """Whether a node is a leaf."""
        return bool(self.test[node] == Test.LEAF)

    def question(self, node: int) -> Question:
        """Return the question asked at a branch."""
        if self.is_leaf(node):
            raise InputError(f"Node {node} is a leaf: it asks no question.")
        if self.test[node] == Test.LINEAR:
            names = ((self.schema.columns[j].name, factor) for j, factor in self.sum_at(node))
            return Question.of_sum(names, float(self.threshold[node]), bool(self.missing_yes[node]))
        column = self.schema.columns[self.column[node]]
        test = Test(self.test[node])
        threshold: float | int = 0.0 if test == Test.IS_MISSING else float(self.threshold[node])
        if test == Test.IS_LEVEL or (test == Test.AT_MOST and column.kind is Kind.INTEGER):
            threshold = int(self.code[node])
        elif column.kind is Kind.ORDERED and np.isfinite(threshold):
            # Between two codes any threshold asks the same; the lower code is the last level that answers yes.
            threshold = int(np.floor(threshold))
        can_be_missing = bool(self.missing_seen[self.column[node]])
        return Question(column, test, threshold, bool(self.missing_yes[node]), can_be_missing)

    def apply(self, table: Table) -> Int32s:
        """Node index of the leaf where each row ends. The table must conform to the schema."""
        if table.schema != self.schema:
            table = table.conform(self.schema)
        if self.n_nodes == 1:
            return np.zeros(table.n_rows, dtype=np.int32)
        asked = np.unique(self.column[self.column >= 0])
        values: list[object] = [_readable(table.columns[j].values) for j in asked.tolist()]
        place = np.where(self.column < 0, -1, np.searchsorted(asked, self.column)).astype(np.int32)
        for node in np.flatnonzero(self.test == Test.LINEAR).tolist():
            place[node] = len(values)
            values.append(self._linear_values(node, table))
        leaf: Int32s = native_apply(
            values,
            # Each linear combination is one more column.
            np.where(self.test == Test.LINEAR, Test.AT_MOST, self.test).astype(np.uint8),
            place,
            self.threshold,
            self.code,
            self.missing_yes,
            self.yes,
            self.no,
        )
        return leaf

    def predict(self, table: Table) -> Int32s:
        """Label index of each row."""
        return self.label[self.apply(table)]

    def predict_proba(self, table: Table) -> Floats:
        """Class shares, by training weight, of the leaf where each row ends; shape (n_rows, n_classes).

        A leaf without training weight gives its label the share 1.
        """
        return self.shares[self.apply(table)]

    @property
    def shares(self) -> Floats:
        """Class shares of each node by training weight, shape (n_nodes, n_classes); without weight, 1 for the label."""
        total = self.weight.sum(axis=1, keepdims=True)
        certain = np.eye(self.n_classes)[self.label]
        return np.asarray(np.divide(self.weight, total, out=certain, where=total > 0))

    def decision_path(self, table: Table) -> csr_array:
        """Nodes that each row passes, including the leaf, as a sparse indicator of shape (n_rows, n_nodes)."""
        rows = self.reached(table)
        at = np.repeat(np.arange(self.n_nodes), [len(r) for r in rows])
        passed = np.concatenate(rows)
        return csr_array((np.ones(len(at), dtype=np.int64), (passed, at)), shape=(table.n_rows, self.n_nodes))

    def reached(self, table: Table) -> list[NDArray[np.intp]]:
        """Rows that reach each node, on any path."""
        if table.schema != self.schema:
            table = table.conform(self.schema)
        arrived: list[list[NDArray[np.intp]]] = [[] for _ in range(self.n_nodes)]
        arrived[0].append(np.arange(table.n_rows))
        rows: list[NDArray[np.intp]] = []
        for node in range(self.n_nodes):
            rows.append(np.concatenate(arrived[node]))
            if not self.is_leaf(node):
                answer = self._answers(node, self._compared_values(node, table)[rows[node]])
                arrived[self.yes[node]].append(rows[node][answer])
                arrived[self.no[node]].append(rows[node][~answer])
        return rows

    def same_as(self, other: "Graph") -> bool:
        """Whether two graphs agree in every field, NaN being equal to NaN.

        Examples
        --------
        >>> leaf = Graph.leaf(Schema((), named=False), ["a", "b"], 0, [2.0, 1.0], 3)
        >>> leaf.same_as(Graph.leaf(Schema((), named=False), ["a", "b"], 1, [2.0, 1.0], 3))
        False
        """
        return (
            self.schema == other.schema
            and self.classes.dtype == other.classes.dtype
            and self.classes.tolist() == other.classes.tolist()
            and all(_equal(getattr(self, name), getattr(other, name)) for name in _DTYPES)
            and (self.paths is None if other.paths is None else other.paths.same_as(self.paths))
        )

    def _compared_values(self, node: int, table: Table) -> NDArray[Any]:
        """Values of all rows that the split of a node compares."""
        linear = self.test[node] == Test.LINEAR
        return self._linear_values(node, table) if linear else table.columns[self.column[node]].values

    def _linear_values(self, node: int, table: Table) -> Floats:
        """Linear combination of each row at an oblique split."""
        return linear_combination(self.sum_at(node), [column.values for column in table.columns], table.n_rows)

    def _answers(self, node: int, values: NDArray[Any]) -> Bools:
        """Answers of single values to the question of a node, by the same native code that predicts."""
        test = Test.AT_MOST if self.test[node] == Test.LINEAR else self.test[node]
        leaf = native_apply(
            [values],
            np.array([test, Test.LEAF, Test.LEAF], dtype=np.uint8),
            np.array([0, -1, -1], dtype=np.int32),
            np.repeat(self.threshold[node], 3),
            np.repeat(self.code[node], 3),
            np.repeat(self.missing_yes[node], 3),
            np.array([1, -1, -1], dtype=np.int32),
            np.array([2, -1, -1], dtype=np.int32),
        )
        return np.asarray(leaf == 1)


_DTYPES: dict[str, Any] = {
    "test": np.uint8,
    "column": np.int32,
    "threshold": np.float64,
    "code": np.int64,
    "missing_yes": np.bool_,
    "yes": np.int32,
    "no": np.int32,
    "label": np.int32,
    "weight": np.float64,
    "rows": np.int64,
    "missing_seen": np.bool_,
    "factors": np.float64,
}


def _readable(values: NDArray[Any]) -> NDArray[Any]:
    """Return the values in a form that the native code reads in place; a copy only for fields of packed records."""
    whole = values.flags.aligned and values.strides[0] % values.itemsize == 0
    return values if whole else np.ascontiguousarray(values)


def _equal(a: NDArray[Any], b: NDArray[Any]) -> bool:
    return np.array_equal(a, b, equal_nan=a.dtype == np.float64)
