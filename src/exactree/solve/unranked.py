"""What is returned if the time limit passes before the columns of a table are ranked."""

from exactree.problem import Problem
from exactree.solve.interface import Solution, Status
from exactree.solve.trees.ranked_tree import RankedNode, relabelled, to_graph


def lone_leaf(problem: Problem) -> Solution:
    """Return the best leaf, of which nothing is proved.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.problem import Limits, accuracy
    >>> from exactree.table import Table
    >>> late = encode(Table.of([[0], [1], [2]]), ["a", "b", "a"], is_late=lambda: True)
    >>> found = lone_leaf(Problem(late, accuracy(late), Limits(max_depth=1)))
    >>> found.status.value, found.cost, found.bound
    ('time_limit', 1.0, 0.0)
    """
    model = to_graph(problem, relabelled(problem, [RankedNode(-1, -1, -1, -1, 0)]))
    return Solution.checked(problem, model, status=Status.TIME_LIMIT, claimed=problem.cost(model), bound=0.0)
