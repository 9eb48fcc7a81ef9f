"""What all enumerations of trees share: the splits of some points, shares of leaves, and trees put together."""

from collections.abc import Callable, Iterator

from exactree.arrays import Ints
from exactree.problem import Problem
from exactree.solve.trees.ranked_tree import RankedNode

Points = Ints  # (n,) indices of points
Poll = Callable[[], None]  # raises when the enumeration is to stop


def splits(problem: Problem, points: Points, poll: Poll) -> Iterator[tuple[RankedNode, Points, Points]]:
    """Every allowed question, as a root without children, and the points on its two sides."""
    for c, column in enumerate(problem.data.columns):
        for rank in range(column.n_ranks - 1):
            poll()
            answers = column.ranks[points] <= rank
            yes, no = points[answers], points[~answers]
            if len(yes) and len(no) and problem.allows_sides(yes, no):
                yield RankedNode(c, rank, 0, 0, 0), yes, no


def shares_of_leaves(leaves: int, depth: int) -> range:
    """How many leaves the yes side may get, so that neither side gets more than its depth can use."""
    most: int = 2 ** (depth - 1)
    return range(max(1, leaves - most), min(most, leaves - 1) + 1)


def join(root: RankedNode, yes: list[RankedNode], no: list[RankedNode]) -> list[RankedNode]:
    """Return the nodes of a tree with these subtrees."""
    root = root._replace(yes=1, no=1 + len(yes))
    return [root, *_shift(yes, 1), *_shift(no, 1 + len(yes))]


def _shift(nodes: list[RankedNode], by: int) -> list[RankedNode]:
    return [n if n.column < 0 else n._replace(yes=n.yes + by, no=n.no + by) for n in nodes]
