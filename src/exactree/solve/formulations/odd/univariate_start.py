"""The univariate diagram that the search for oblique splits starts from."""

from collections.abc import Callable
from dataclasses import replace

from exactree.errors import Unsupported
from exactree.problem import DiagramProblem
from exactree.solve.interface import Budget, Callback, Progress, Solution, Status
from exactree.solve.refusal import diagram_refusal
from exactree.solve.run_state import RunState
from exactree.solve.search.diagrams import DiagramSearch
from exactree.solve.trees.ranked_diagram import diagram_from_graph
from exactree.solve.trees.ranked_tree import RankedNode

SEARCH_SHARE, SEARCH_SECONDS = 0.35, 60.0  # of the time left; without a limit


def univariate_search(problem: DiagramProblem) -> Callable[[Budget, Callback], Solution] | None:
    """Return the search for diagrams without oblique splits, ``None`` if the problem has none or it cannot take it."""
    search, univariate = DiagramSearch(), replace(problem, limits=replace(problem.limits, multivariate=False))
    if not problem.limits.multivariate or diagram_refusal(search, univariate) is not None:
        return None
    return lambda budget, callback: search.solve(univariate, budget, callback=callback)


def best_univariate_diagram(state: RunState, problem: DiagramProblem, nodes: list[RankedNode]) -> list[RankedNode]:
    """Search for a better diagram than the given one without oblique splits, and offer it to the run.

    Its bound is none of a problem with oblique splits.
    """
    search = univariate_search(problem)
    if search is None:
        return nodes
    left = state.left()
    budget = replace(state.budget, seconds=SEARCH_SECONDS if left is None else SEARCH_SHARE * left, gap=0.0)
    callback = state.callback

    def report(now: Progress) -> None:
        if callback is not None:
            callback(Progress(state.elapsed(), min(now.cost, state.cost), state.bound, stage="search"))

    try:
        found = search(budget, report)
    except Unsupported:  # too large for it
        return nodes
    before = state.cost
    state.offer(found.model)
    state.interrupted |= found.status is Status.INTERRUPTED
    better = diagram_from_graph(problem, found.model) if state.cost < before else None
    return nodes if better is None else better
