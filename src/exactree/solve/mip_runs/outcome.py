"""What the end of a MIP means for the problem: statuses translated, infeasibility explained."""

from exactree.errors import Infeasible, SolverBug
from exactree.mip import Answer, MipStatus
from exactree.problem import DiagramProblem, Problem
from exactree.solve.interface import Solution, Status
from exactree.solve.mip_runs.warm_starts import lone_leaf
from exactree.solve.trees.ranked_tree import to_graph

STATUSES = {
    MipStatus.OPTIMAL: Status.OPTIMAL,
    MipStatus.GAP_REACHED: Status.GAP_REACHED,
    MipStatus.TIME_LIMIT: Status.TIME_LIMIT,
    MipStatus.MEMORY_LIMIT: Status.MEMORY_LIMIT,
    MipStatus.INTERRUPTED: Status.INTERRUPTED,
}
NAMED = 4  # constraints that a message names


def check_status(
    answer: Answer, backend: str, problem: Problem | DiagramProblem, *, started: bool, noun: str = "tree"
) -> None:
    """Refuse what cannot be: a program is feasible if there is a model to start from, and costs are never below 0."""
    if answer.status not in STATUSES:
        if not started and problem.constraints:
            raise Infeasible(f"No {noun} within the limits satisfies all constraints. {advice(problem)}")
        raise SolverBug(f"{backend} finds the program {answer.status.value}, but the {noun} to start from fits it.")


def advice(problem: Problem | DiagramProblem) -> str:
    """What may be allowed more of, the first few if there are many."""
    texts = [limit.text for limit in problem.constraints]
    return f"Allow more of any of these: {'; '.join(texts[:NAMED])}{'; ...' if len(texts) > NAMED else ''}."


def without_questions(problem: Problem) -> Solution:
    """A single leaf is all there is."""
    nodes = lone_leaf(problem)
    if nodes is None:
        raise Infeasible(
            f"No single answer satisfies all constraints, and there is no question to ask. {advice(problem)}"
        )
    model = to_graph(problem, nodes)
    cost = problem.cost(model)
    return Solution.checked(problem, model, status=Status.OPTIMAL, claimed=cost, bound=cost)
