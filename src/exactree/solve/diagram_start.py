"""A diagram to start from."""

from collections.abc import Sequence
from dataclasses import dataclass

from exactree.problem import DiagramProblem
from exactree.solve.ranked_diagram import diagram_to_graph
from exactree.solve.ranked_tree import RankedNode


@dataclass(frozen=True, slots=True)
class Construction:
    """The best diagram that was constructed."""

    nodes: list[RankedNode] | None
    cost: float
    starts: int
    seconds: float
    interrupted: bool = False


def constructed(
    problem: DiagramProblem, seconds: float | None, *, starts: int = 1000, given: Sequence[RankedNode] | None = None
) -> Construction:
    """Return the best of the diagrams that give all rows one answer, or ``given``."""
    ways = [[RankedNode(-1, 0, -1, -1, label)] for label in range(problem.data.n_classes)]
    if given is not None and not problem.violations(diagram_to_graph(problem, given)):
        ways.append(list(given))
    cost, nodes = min((problem.cost(diagram_to_graph(problem, nodes)), nodes) for nodes in ways)
    return Construction(nodes, cost, len(ways), 0.0)


def improved(problem: DiagramProblem, nodes: Sequence[RankedNode]) -> list[RankedNode]:
    """Return the diagram as it is."""
    return list(nodes)
