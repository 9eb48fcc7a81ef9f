"""Decision paths as text."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise

from exactree.model import Graph
from exactree.model.wording import printable
from exactree.table import Test

EVERY = "every row"
OR_MISSING = " or missing"  # ends conditions that missing values satisfy too
MAX_PATHS = 3  # written per leaf of a diagram, which can have exponentially many

DecisionPath = tuple[tuple[int, bool], ...]  # the branches passed and the answer at each


def condition(graph: Graph, node: int, *, yes: bool) -> str:
    """Return the condition of one side of a branch as text."""
    return printable(graph.question(node).text(yes=yes))


def path_text(graph: Graph, path: Iterable[tuple[int, bool]]) -> str:
    """Return a decision path as text; of several bounds of one kind on a column only the tightest.

    Examples
    --------
    >>> from exactree.table import Schema
    >>> path_text(Graph.leaf(Schema((), named=False), ["a"], 0, [1.0], 1), ())
    'every row'
    """
    conditions: dict[tuple[int, ...], tuple[float, str]] = {}
    for node, yes in path:
        column = int(graph.column[node])
        # A condition that covers missing values as well is always written.
        limits = graph.test[node] == Test.AT_MOST and not graph.missing_seen[column]
        key = (column, int(yes)) if limits else (-1, node)
        cut = (
            float(graph.threshold[node]) if graph.threshold[node] == graph.threshold[node] else float(graph.code[node])
        )
        tightness = -cut if yes else cut
        if key not in conditions or tightness >= conditions[key][0]:
            conditions.pop(key, None)
            conditions[key] = (tightness, condition(graph, node, yes=yes))
    texts = [text for _, text in conditions.values()]
    if len(texts) > 1:  # "and" binds closer than "or"
        texts = [f"({text})" if text.endswith(OR_MISSING) else text for text in texts]
    return " and ".join(texts) or EVERY


def rule_text(graph: Graph, leaf: int) -> str:
    """Return the rule of a leaf as text: its decision paths, of which a tree has one."""
    texts = [path_text(graph, path) for path in islice(paths_to(graph, leaf), MAX_PATHS)]
    n_more = n_paths(graph)[leaf] - len(texts)
    more = f", or one of {n_more} more path{'s' * (n_more != 1)}" if n_more else ""
    return ", or ".join(texts) + more


def answers_along(graph: Graph, nodes: Sequence[int]) -> DecisionPath:
    """Return the answers along a decision path given by its nodes; branches whose answers lead to one node tell none.

    Examples
    --------
    >>> from exactree.table import Schema
    >>> answers_along(Graph.leaf(Schema((), named=False), ["a"], 0, [1.0], 1), [0])
    ()
    """
    steps = pairwise(nodes)
    return tuple((node, bool(graph.yes[node] == child)) for node, child in steps if graph.yes[node] != graph.no[node])


def paths_to(graph: Graph, leaf: int) -> Iterator[DecisionPath]:
    """Yield all decision paths to a node."""
    parents: list[list[tuple[int, bool]]] = [[] for _ in range(graph.n_nodes)]
    for node in range(graph.n_nodes):
        if not graph.is_leaf(node):
            parents[graph.no[node]].append((node, False))
            parents[graph.yes[node]].append((node, True))
    stack: list[tuple[int, DecisionPath]] = [(leaf, ())]
    while stack:
        node, path = stack.pop()
        if node == 0:
            yield path
        stack.extend((parent, ((parent, yes), *path)) for parent, yes in reversed(parents[node]))


def n_paths(graph: Graph) -> list[int]:
    """Return the number of decision paths to each node, without enumerating them."""
    counts = [1] + [0] * (graph.n_nodes - 1)
    for node in range(graph.n_nodes):
        if not graph.is_leaf(node):
            counts[graph.yes[node]] += counts[node]
            counts[graph.no[node]] += counts[node]
    return counts
