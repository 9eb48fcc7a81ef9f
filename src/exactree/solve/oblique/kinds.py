"""What the local search has to know about trees and about diagrams.

Both are lists of nodes as in ``ranked_diagram``: root first, children after all their parents, one leaf for each label.
In a tree each leaf is written once for every side that leads to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from exactree.arrays import Ints
from exactree.model import Graph
from exactree.problem import DiagramProblem, Problem
from exactree.solve.diagram_heuristic.construction import construct_diagrams
from exactree.solve.interface import Budget
from exactree.solve.search.trees import search_nodes
from exactree.solve.trees.ranked_diagram import diagram_to_graph, in_order, says_yes, tidied
from exactree.solve.trees.ranked_tree import RankedNode, to_graph

Nodes = list[RankedNode]
AnyProblem = TypeVar("AnyProblem", Problem, DiagramProblem, contravariant=True)

STARTS = 100  # diagrams that the heuristic builds from all splits that are known


class Fewest(NamedTuple):
    """Fewest rows, and least weight, of a side that ends in a leaf; fewest rows of a node that asks but the root."""

    leaf: int = 1
    node: int = 1
    leaf_weight: float = 0.0

    @property
    def any_rows_do(self) -> bool:
        """Whether a side may have any number of rows."""
        return self.leaf <= 1 and self.node <= 1 and self.leaf_weight <= 0


class Kind(Protocol, Generic[AnyProblem]):
    """Trees or diagrams."""

    def graph(self, problem: AnyProblem, nodes: Nodes) -> Graph:
        """Return the graph of some nodes."""
        ...

    def tidied(self, problem: AnyProblem, nodes: Nodes) -> Nodes:
        """Return the same predictions with fewer nodes, where some are redundant."""
        ...

    def node_price(self, problem: AnyProblem) -> float:
        """Price of a node that asks."""
        ...

    def fewest(self, problem: AnyProblem) -> Fewest:
        """Fewest rows of sides and nodes."""
        ...

    def rebuilt(self, problem: AnyProblem, nodes: Nodes, seconds: float | None, seed: int) -> Nodes:
        """Return the best model over all columns of the problem that is found in some time, from these nodes on."""
        ...


@dataclass(frozen=True, slots=True)
class Diagrams:
    """Diagrams, and trees within their limits."""

    def graph(self, problem: DiagramProblem, nodes: Nodes) -> Graph:
        """Return the graph of some nodes."""
        return diagram_to_graph(problem, nodes)

    def tidied(self, problem: DiagramProblem, nodes: Nodes) -> Nodes:
        """Return the same predictions with fewer nodes, where some are redundant."""
        return tidied(problem, nodes)

    def node_price(self, problem: DiagramProblem) -> float:
        """Price of a node that asks."""
        return problem.node_price

    def fewest(self, problem: DiagramProblem) -> Fewest:
        """Fewest rows of sides and nodes."""
        return Fewest(node=problem.limits.min_samples_node, leaf_weight=problem.min_leaf_weight)

    def rebuilt(self, problem: DiagramProblem, nodes: Nodes, seconds: float | None, seed: int) -> Nodes:
        """Build diagrams with the construction heuristic, and improve them together with the given one."""
        found = construct_diagrams(replace(problem, seed=seed), seconds, starts=STARTS, given=nodes)
        if found.interrupted:
            raise KeyboardInterrupt
        return nodes if found.nodes is None else found.nodes


@dataclass(frozen=True, slots=True)
class Trees:
    """Trees."""

    def graph(self, problem: Problem, nodes: Nodes) -> Graph:
        """Return the graph of some nodes."""
        return to_graph(problem, as_tree(problem, nodes))

    def tidied(self, problem: Problem, nodes: Nodes) -> Nodes:
        """Return the same predictions with fewer nodes, where some are redundant."""
        return in_order(as_tree(problem, nodes))

    def node_price(self, problem: Problem) -> float:
        """Price of a node that asks: of one more leaf."""
        return problem.leaf_price

    def fewest(self, problem: Problem) -> Fewest:
        """Fewest rows of sides and nodes."""
        return Fewest(leaf=problem.limits.min_samples_leaf, leaf_weight=problem.min_leaf_weight)

    def rebuilt(self, problem: Problem, nodes: Nodes, seconds: float | None, seed: int) -> Nodes:
        """Search for the best tree."""
        if problem.constraints:
            return nodes
        return in_order(search_nodes(problem, Budget(seconds), as_tree(problem, nodes)))


def as_tree(problem: Problem, nodes: Sequence[RankedNode]) -> Nodes:
    """Return the nodes with a leaf for every side that ends, without splits whose rows all take one side or one label.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.problem import Limits, accuracy
    >>> from exactree.table import Table
    >>> data = encode(Table.of([[0], [1]]), ["a", "b"])
    >>> leaf = RankedNode(-1, 0, -1, -1, 1)
    >>> as_tree(Problem(data, accuracy(data), Limits(1)), [RankedNode(0, 0, 1, 1, 0), leaf])
    [RankedNode(column=-1, rank=0, yes=-1, no=-1, label=1)]
    """
    written = Nodes()

    def write(at: int, points: Ints) -> int:
        node = nodes[at]
        while node.column >= 0:
            yes = says_yes(problem.data, node)[points]
            if yes.any() and not yes.all():
                break
            node = nodes[node.yes if yes.any() else node.no]
        number = len(written)
        written.append(node)
        if node.column >= 0:
            below = write(node.yes, points[yes]), write(node.no, points[~yes])
            both = [written[i] for i in below]
            if both[0].column < 0 and both[1].column < 0 and both[0].label == both[1].label:
                del written[number + 1 :]
                written[number] = both[0]
            else:
                written[number] = node._replace(yes=below[0], no=below[1])
        return number

    write(0, np.arange(problem.data.n_points))
    return written
