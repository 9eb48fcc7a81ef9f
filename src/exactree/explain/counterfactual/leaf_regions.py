"""The region of a decision path: for every column the values with which a row follows the path."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from exactree.explain.counterfactual.value_sets import ValueSet, domain_of, values_on_side
from exactree.model import Graph
from exactree.table import Test


@dataclass(frozen=True, slots=True)
class LeafRegion:
    """All rows that follow one decision path from the root to a node."""

    node: int
    values: Mapping[int, ValueSet] = field(default_factory=dict)  # by column; others are free
    oblique: tuple[
        tuple[int, bool], ...
    ] = ()  # oblique splits on the path and their answers, which intervals cannot express


def child_region(graph: Graph, region: LeafRegion, *, yes: bool) -> LeafRegion | None:
    """Return the region of a child of the region's node; None if it is empty."""
    node = region.node
    child = int(graph.yes[node] if yes else graph.no[node])
    if graph.test[node] == Test.LINEAR:
        if bool(graph.missing_yes[node]) == yes:
            return LeafRegion(child, region.values, (*region.oblique, (node, yes)))
        # Missing values take the other side, so here every column of the linear combination has a value.
        asked = {j: values_of(graph, region, j).present() for j, _ in graph.sum_at(node)}
        empty = any(values.is_empty for values in asked.values())
        return None if empty else LeafRegion(child, {**region.values, **asked}, (*region.oblique, (node, yes)))
    column = int(graph.column[node])
    values = values_on_side(graph, node, values_of(graph, region, column), yes=yes)
    return None if values.is_empty else LeafRegion(child, {**region.values, column: values}, region.oblique)


def values_of(graph: Graph, region: LeafRegion, column: int) -> ValueSet:
    """Return the values that a column may have in a region."""
    return region.values[column] if column in region.values else domain_of(graph.schema.columns[column])


def leaf_regions(graph: Graph) -> list[LeafRegion]:
    """Return the non-empty regions of all decision paths to leaves, yes side first; a tree has at most one per leaf.

    Examples
    --------
    >>> from exactree.table import Schema
    >>> leaf_regions(Graph.leaf(Schema((), named=False), ["a"], 0, [1.0], 1))
    [LeafRegion(node=0, values={}, oblique=())]
    """
    found, queue = [], [LeafRegion(0)]
    while queue:
        region = queue.pop()
        if graph.is_leaf(region.node):
            found.append(region)
            continue
        children = (child_region(graph, region, yes=yes) for yes in (False, True))
        queue.extend(child for child in children if child is not None)
    return found


def path_regions(graph: Graph, nodes: Sequence[int]) -> list[LeafRegion]:
    """Return the non-empty regions of one decision path, given by its nodes: several where both answers lead on.

    Examples
    --------
    >>> from exactree.table import Schema
    >>> path_regions(Graph.leaf(Schema((), named=False), ["a"], 0, [1.0], 1), [0])
    [LeafRegion(node=0, values={}, oblique=())]
    """
    found = [LeafRegion(nodes[0])]
    for child in nodes[1:]:
        further = (child_region(graph, region, yes=yes) for region in found for yes in (True, False))
        found = [region for region in further if region is not None and region.node == child]
    return found
