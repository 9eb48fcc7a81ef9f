"""Ways through a graph as boxes: for every column the values with which a row goes that way."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from exactree.explain.counterfactual.value_sets import Values, answering, every_value
from exactree.model import Graph
from exactree.table import Test


@dataclass(frozen=True, slots=True)
class Box:
    """All rows that go one way from the root to a node."""

    node: int
    values: Mapping[int, Values] = field(default_factory=dict)  # by column; one that is not here may hold anything
    sums: tuple[tuple[int, bool], ...] = ()  # LINEAR nodes passed and the answers there, which no box can hold


def beyond(graph: Graph, box: Box, *, yes: bool) -> Box | None:
    """Return the box of a child of the box's node, or None if no row can go there."""
    node = box.node
    child = int(graph.yes[node] if yes else graph.no[node])
    if graph.test[node] == Test.LINEAR:
        if bool(graph.missing_yes[node]) == yes:
            return Box(child, box.values, (*box.sums, (node, yes)))
        # On the other side than missing values every column of the sum has a value.
        asked = {j: values_of(graph, box, j).present() for j, _ in graph.sum_at(node)}
        empty = any(values.is_empty for values in asked.values())
        return None if empty else Box(child, {**box.values, **asked}, (*box.sums, (node, yes)))
    column = int(graph.column[node])
    values = answering(graph, node, values_of(graph, box, column), yes=yes)
    return None if values.is_empty else Box(child, {**box.values, column: values}, box.sums)


def values_of(graph: Graph, box: Box, column: int) -> Values:
    """Values that a column may have in a box."""
    return box.values[column] if column in box.values else every_value(graph.schema.columns[column])


def leaf_boxes(graph: Graph) -> list[Box]:
    """Boxes of all ways to leaves that a row can go, yes side first; a tree has at most one per leaf.

    Examples
    --------
    >>> from exactree.table import Schema
    >>> leaf_boxes(Graph.leaf(Schema((), named=False), ["a"], 0, [1.0], 1))
    [Box(node=0, values={}, sums=())]
    """
    found, waiting = [], [Box(0)]
    while waiting:
        box = waiting.pop()
        if graph.is_leaf(box.node):
            found.append(box)
            continue
        children = (beyond(graph, box, yes=yes) for yes in (False, True))
        waiting.extend(child for child in children if child is not None)
    return found
