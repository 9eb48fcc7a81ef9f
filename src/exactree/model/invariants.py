"""The invariants of a graph's arrays; every message names the array or node that violates one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.arrays import Floats, Int32s, Ints
from exactree.errors import InputError
from exactree.table import ColumnType, Kind, Schema, Test

LEAF, LINEAR, LAST_TEST = int(Test.LEAF), int(Test.LINEAR), int(max(Test))


def check_array(name: str, value: Any, dtype: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return a read-only copy of an array that has exactly this type and shape."""
    wanted = np.dtype(dtype)
    if not isinstance(value, np.ndarray) or value.dtype != wanted or value.shape != shape:
        got = f"{value.dtype} of shape {value.shape}" if isinstance(value, np.ndarray) else type(value).__name__
        raise InputError(f"The array {name} of a graph must be {wanted} of shape {shape}; got {got}.")
    return _frozen(value)


def check_classes(classes: Any) -> NDArray[Any]:
    """Return a read-only copy of the class labels."""
    if not isinstance(classes, np.ndarray) or classes.ndim != 1 or len(classes) == 0:
        raise InputError("The classes of a graph must be a 1-D array with at least one label.")
    return _frozen(classes)


def check_nodes(
    schema: Schema,
    test: NDArray[np.uint8],
    column: Int32s,
    threshold: Floats,
    code: Ints,
) -> None:
    """Check that the split of each branch suits its column."""
    if len(test) == 0:
        raise InputError("A graph needs at least one node.")
    n_columns = len(schema.columns)
    # Lists, as reading single cells of arrays takes most of the time of a small tree.
    nodes = zip(test.tolist(), column.tolist(), threshold.tolist(), code.tolist(), strict=True)
    for node, (asks, at, cut, level) in enumerate(nodes):
        if asks > LAST_TEST:
            raise InputError(f"Node {node} has the unknown test {asks}.")
        if asks == LEAF:
            if at != -1:
                raise InputError(f"Node {node} is a leaf, so its column must be -1; got {at}.")
            continue
        if asks == LINEAR:
            continue  # see check_linear_splits
        if not 0 <= at < n_columns:
            raise InputError(f"Node {node} asks column {at}, but the schema has {n_columns}.")
        if error := _split_error(schema.columns[at], Test(asks), cut, level):
            raise InputError(f"Node {node} {error}.")


def check_linear_splits(
    schema: Schema,
    test: NDArray[np.uint8],
    column: Int32s,
    threshold: Floats,
    factors: Floats,
) -> None:
    """Check that oblique splits combine numeric columns, and that other nodes have no factors."""
    for node in np.flatnonzero(test == Test.LINEAR).tolist():
        if column[node] != -1:
            raise InputError(f"Node {node} is an oblique split: its column must be -1; got {column[node]}.")
        if not np.isfinite(threshold[node]):
            raise InputError(f"Node {node} is an oblique split: its threshold must be finite; got {threshold[node]}.")
        if not factors[node].any() or not np.isfinite(factors[node]).all():
            raise InputError(f"Node {node} is an oblique split: its factors must be finite and not all zero.")
        for j in np.flatnonzero(factors[node]).tolist():
            if schema.columns[j].kind not in (Kind.NUMBER, Kind.BOOLEAN):
                name, kind = schema.columns[j].name, schema.columns[j].kind.value
                raise InputError(f"Node {node} is an oblique split: column {name!r} must be a number; got kind {kind}.")
    if len(factors):
        for node in np.flatnonzero(factors.any(axis=1) & (test != Test.LINEAR))[:1]:
            raise InputError(f"Node {node} has factors, but is no oblique split.")


def check_children(test: NDArray[np.uint8], yes: Int32s, no: Int32s) -> None:
    """Check that children come after their parents and that every node but the root has a parent."""
    n_nodes = len(test)
    has_parent = np.zeros(n_nodes, dtype=np.bool_)
    has_parent[0] = True
    for node, (asks, *children) in enumerate(zip(test.tolist(), yes.tolist(), no.tolist(), strict=True)):
        if asks == LEAF:
            if children != [-1, -1]:
                raise InputError(
                    f"Node {node} is a leaf, so its children must be -1; got {children[0]} and {children[1]}."
                )
            continue
        for child in children:
            if not node < child < n_nodes:
                raise InputError(
                    f"Node {node} has the child {child}; children must come after their parent, among {n_nodes} nodes."
                )
            has_parent[child] = True
    for node in np.flatnonzero(~has_parent)[:1]:
        raise InputError(f"Node {node} has no parent; only the root, node 0, may have none.")


def _split_error(column: ColumnType, test: Test, threshold: float, code: int) -> str | None:
    """Return what is wrong with a split on a column, or None."""
    if test == Test.IS_LEVEL:
        if column.kind is not Kind.CATEGORY:
            return f"asks for a level of column {column.name!r}, whose kind is {column.kind.value}, not category"
        if not 0 <= code < len(column.levels):
            return f"asks for level {code} of column {column.name!r}, which has {len(column.levels)} levels"
    if test == Test.AT_MOST:
        if column.kind is Kind.CATEGORY:
            return f"compares column {column.name!r}, whose levels have no order"
        if column.kind is not Kind.INTEGER and np.isnan(threshold):
            return f"compares column {column.name!r} with a threshold that is not a number"
    return None


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    copy = np.array(array, copy=True, order="C")
    copy.flags.writeable = False
    return copy


def check_counts(label: Int32s, weight: Floats, rows: Ints, n_classes: int) -> None:
    """Check that every node has one of the classes, finite weights, and a number of rows."""
    for node in np.flatnonzero((label < 0) | (label >= n_classes))[:1]:
        raise InputError(f"Node {node} has label {label[node]}, but there are {n_classes} classes.")
    wrong = ~(np.isfinite(weight) & (weight >= 0)).all(axis=1) | (rows < 0)
    for node in np.flatnonzero(wrong)[:1]:
        raise InputError(
            f"Node {node} must have finite weights and a number of rows, none below zero; "
            f"got {weight[node].tolist()} and {rows[node]}."
        )
