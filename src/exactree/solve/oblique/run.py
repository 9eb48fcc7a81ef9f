"""Linear splits for an incumbent: the local search within the run of a formulation."""

from math import inf
from typing import Any

from exactree.solve.oblique.kinds import Kind, Nodes
from exactree.solve.oblique.local_search import ObliqueModel, ObliqueSearch
from exactree.solve.oblique.readable import with_readable_splits
from exactree.solve.run_state import RunState

STAGE = "local search"
NO_LIMIT_SECONDS = 60.0  # for the local search, where there is no time limit


def improve_with_oblique_splits(
    state: RunState, problem: Any, kind: Kind[Any], nodes: Nodes, *, share: float, seed: int
) -> ObliqueModel:
    """Improve the incumbent, given as nodes, until a share of the time limit, counted from the beginning, is over.

    The models found are offered to the run. Returns the best, whose linear splits are columns with one cut.
    """

    def left() -> float:
        if state.interrupted or state.is_proved:
            return 0.0
        seconds = state.budget.seconds
        return (began + NO_LIMIT_SECONDS if seconds is None else share * seconds) - state.elapsed()

    def time_left() -> float:
        seconds = state.left()
        return inf if seconds is None else seconds

    began = state.elapsed()
    search = ObliqueSearch(problem, kind, seed, left, state.offer, lambda: state.report_details("", STAGE))
    if len(search.usable.sources) < 2:  # one column alone has univariate splits
        return ObliqueModel(nodes)
    try:
        search.improve(nodes)
        if not search.best.columns:
            return search.best
        best = ObliqueModel(*with_readable_splits(problem, search.usable, *search.best, time_left))
    except KeyboardInterrupt:
        state.interrupted = True
        return search.best
    finally:
        state.stage = ""
    state.rewrite(search.graph(best))
    return best
