"""What the end of a MIP means for the problem: statuses translated, infeasibility explained."""

from exactree.errors import Infeasible, SolverBug
from exactree.mip import MipResult, MipStatus
from exactree.problem import DiagramProblem, Problem
from exactree.solve.feasibility import infeasibility_advice
from exactree.solve.interface import Solution, Status
from exactree.solve.mip_runs.warm_starts import single_leaf
from exactree.solve.trees.ranked_tree import to_graph

STATUSES = {
    MipStatus.OPTIMAL: Status.OPTIMAL,
    MipStatus.GAP_REACHED: Status.GAP_REACHED,
    MipStatus.TIME_LIMIT: Status.TIME_LIMIT,
    MipStatus.MEMORY_LIMIT: Status.MEMORY_LIMIT,
    MipStatus.INTERRUPTED: Status.INTERRUPTED,
}
# Limits and Ctrl-C, for runs that go on after other ends.
LIMIT_STATUSES = {
    status: STATUSES[status] for status in (MipStatus.TIME_LIMIT, MipStatus.MEMORY_LIMIT, MipStatus.INTERRUPTED)
}


def check_status(
    result: MipResult, backend: str, problem: Problem | DiagramProblem, *, started: bool, noun: str = "tree"
) -> None:
    """Check a back end's status: the MIP is feasible if there is a warm start, and costs are never negative."""
    if result.status not in STATUSES:
        if not started and problem.constraints:
            raise Infeasible(f"No {noun} within the limits satisfies all constraints. {infeasibility_advice(problem)}")
        raise SolverBug(f"{backend} finds the MIP {result.status.value}, but its warm start is feasible.")


def single_leaf_solution(problem: Problem) -> Solution:
    """The best single leaf, where no question can be asked."""
    nodes = single_leaf(problem)
    if nodes is None:
        advice = infeasibility_advice(problem)
        raise Infeasible(f"No single label satisfies all constraints, and there is no question to ask. {advice}")
    model = to_graph(problem, nodes)
    cost = problem.cost(model)
    return Solution.checked(problem, model, status=Status.OPTIMAL, claimed=cost, bound=cost)
