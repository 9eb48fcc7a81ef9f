"""Constraints that no answers satisfy, whatever the questions: told before a model is looked for.

Rows that no question separates get the same answer from every tree and every diagram. An LP over the shares of labels
in each such group of rows asks whether any answers satisfy all constraints. Groups with the same coefficients are one,
so it is small.
"""

import numpy as np

from exactree.errors import Infeasible
from exactree.mip import Mip, MipOptions, MipStatus, backend_for
from exactree.problem import DiagramProblem, LinearLimit, Problem
from exactree.solve.gains import sums_by

NAMED = 4  # constraints that a message names
SLACK = 2e-6  # share of what a sum could reach: limits are held to half of it
SECONDS = 1.0  # limit: an LP of 50,000 groups takes a tenth of that


def infeasibility_advice(problem: Problem | DiagramProblem) -> str:
    """Which constraints to relax, the first few if there are many."""
    texts = [limit.text for limit in problem.constraints]
    return f"Allow more of any of these: {'; '.join(texts[:NAMED])}{'; ...' if len(texts) > NAMED else ''}."


def check_answers(problem: Problem | DiagramProblem, seconds: float | None = None, noun: str = "tree") -> None:
    """Raise ``Infeasible`` if no answers to the rows satisfy the constraints on answers."""
    limits = [limit for limit in problem.constraints if isinstance(limit, LinearLimit)]
    if limits and not any_answers(problem, limits, seconds):
        raise Infeasible(
            f"No {noun} satisfies all constraints, whatever it asks: rows that no question separates get the same "
            f"answer. {infeasibility_advice(problem)}"
        )


def any_answers(problem: Problem | DiagramProblem, limits: list[LinearLimit], seconds: float | None = None) -> bool:
    """Whether some answers satisfy the limits, as far as an LP can tell; True if it could not be solved in time."""
    data = problem.data
    group = data.point_groups[data.point_of]
    n_groups = int(data.point_groups.max()) + 1
    sums = np.stack([sums_by(group, limit.coefficient, n_groups) for limit in limits], axis=1)
    kinds, counts = np.unique(sums.reshape(n_groups, -1), axis=0, return_counts=True)
    kinds = kinds.reshape(len(kinds), len(limits), data.n_classes)
    reach = np.maximum(np.abs(sums).max(axis=2).sum(axis=0), np.finfo(float).tiny)  # what each sum could be at most
    mip = Mip()
    answered = mip.columns("answered", (len(kinds), data.n_classes))  # groups of each kind that get a label
    # one_label[i]: sum_k answered[i, k] = number of groups of kind i, as a share of all
    shares = counts / n_groups
    mip.family("one_label", [(1, answered)], at_least=shares, at_most=shares)
    everywhere = np.broadcast_to(answered.ravel(), (len(limits), answered.size))
    part = kinds.transpose(1, 0, 2).reshape(len(limits), -1) * n_groups / reach[:, None]
    at_most = np.array([limit.at_most for limit in limits]) / reach + SLACK
    # side[m]: sum of coefficients, as a share of what it could be <= limit
    mip.family("side", [(part, everywhere)], at_most=at_most)
    program = mip.program()
    allowed = SECONDS if seconds is None else min(SECONDS, seconds)
    result = backend_for(program, "highs").solve(program, MipOptions(seconds=allowed))
    if result.status is MipStatus.INTERRUPTED:
        raise KeyboardInterrupt
    return result.status is not MipStatus.INFEASIBLE
