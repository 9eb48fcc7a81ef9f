"""Ways through a graph in words."""

from collections.abc import Iterable, Iterator
from itertools import islice

from exactree.model import Graph
from exactree.model.wording import printable
from exactree.table import Test

EVERY = "every row"
OR_MISSING = " or missing"  # how conditions end that missing values meet too
MAX_PATHS = 3  # to one leaf of a diagram that are told; it may have thousands

DecisionPath = tuple[tuple[int, bool], ...]  # the branches passed and the answer given at each


def condition(graph: Graph, node: int, *, yes: bool) -> str:
    """Word what holds on one side of a branch."""
    return printable(graph.question(node).text(yes=yes))


def path_text(graph: Graph, way: Iterable[tuple[int, bool]]) -> str:
    """Word a way by its conditions; of several limits of one kind on a column only the tightest.

    Examples
    --------
    >>> from exactree.table import Schema
    >>> path_text(Graph.leaf(Schema((), named=False), ["a"], 0, [1.0], 1), ())
    'every row'
    """
    said: dict[tuple[int, ...], tuple[float, str]] = {}
    for node, yes in way:
        column = int(graph.column[node])
        # A question that says something about missing values as well is told in any case.
        limits = graph.test[node] == Test.AT_MOST and not graph.missing_seen[column]
        key = (column, int(yes)) if limits else (-1, node)
        cut = (
            float(graph.threshold[node]) if graph.threshold[node] == graph.threshold[node] else float(graph.code[node])
        )
        tightness = -cut if yes else cut
        if key not in said or tightness >= said[key][0]:
            said.pop(key, None)
            said[key] = (tightness, condition(graph, node, yes=yes))
    texts = [text for _, text in said.values()]
    if len(texts) > 1:  # "and" binds closer than "or"
        texts = [f"({text})" if text.endswith(OR_MISSING) else text for text in texts]
    return " and ".join(texts) or EVERY


def rule_text(graph: Graph, leaf: int) -> str:
    """Word the ways to a leaf: in a tree there is one."""
    texts = [path_text(graph, way) for way in islice(paths_to(graph, leaf), MAX_PATHS)]
    n_more = n_paths(graph)[leaf] - len(texts)
    more = f", or one of {n_more} more path{'s' * (n_more != 1)}" if n_more else ""
    return ", or ".join(texts) + more


def paths_to(graph: Graph, leaf: int) -> Iterator[DecisionPath]:
    """Return all ways to a node, one at a time."""
    parents: list[list[tuple[int, bool]]] = [[] for _ in range(graph.n_nodes)]
    for node in range(graph.n_nodes):
        if not graph.is_leaf(node):
            parents[graph.no[node]].append((node, False))
            parents[graph.yes[node]].append((node, True))
    queue: list[tuple[int, DecisionPath]] = [(leaf, ())]
    while queue:
        node, way = queue.pop()
        if node == 0:
            yield way
        queue.extend((parent, ((parent, yes), *way)) for parent, yes in reversed(parents[node]))


def n_paths(graph: Graph) -> list[int]:
    """Number of ways to each node, counted without going them."""
    ways = [1] + [0] * (graph.n_nodes - 1)
    for node in range(graph.n_nodes):
        if not graph.is_leaf(node):
            ways[graph.yes[node]] += ways[node]
            ways[graph.no[node]] += ways[node]
    return ways
