"""Linear splits for an incumbent: the local search within the run of a formulation."""

from collections.abc import Callable
from math import inf
from typing import Any

from exactree.solve.oblique.flow import Flow, ObliqueModel, narrow_splits
from exactree.solve.oblique.kinds import Kind, Nodes
from exactree.solve.oblique.local_search import ObliqueSearch
from exactree.solve.oblique.readable import with_readable_splits
from exactree.solve.run_state import RunState

STAGE = "local search"
POLISH_SHARE = 0.5  # of the rest of the time, for MIPs of single nodes
NO_LIMIT_SECONDS = 60.0  # for the local search, where there is no time limit


def improve_with_oblique_splits(
    state: RunState,
    problem: Any,
    kind: Kind[Any],
    nodes: Nodes,
    *,
    share: float,
    seed: int,
    margin: float,
    counters: dict[str, float],
) -> ObliqueModel:
    """Improve the incumbent, given as nodes, until a share of the time limit, counted from the beginning, is over.

    The models found are offered to the run. Returns the best, whose linear splits are columns with one cut. Only those
    that a MIP finds keep the margin. ``counters`` receives the number of these MIPs, and of splits within the margin.
    """
    left, polish_left = _seconds_left(state, share), _seconds_left(state, share + POLISH_SHARE * (1 - share))

    def report() -> None:
        state.report_details("", STAGE)

    search = ObliqueSearch(problem, kind, seed, left, state.offer, report, margin, polish_left)
    if len(search.usable.sources) < 2:  # one column alone has univariate splits
        return ObliqueModel(nodes)
    try:
        search.improve(nodes)
        best = _readable(state, search)
    except KeyboardInterrupt:
        state.interrupted = True
        return search.best
    finally:
        state.stage = ""
        counters |= search.polish.counters
    if best.columns:
        state.rewrite(search.graph(best))
        flow = Flow.of(problem, search.costs, best)
        counters["narrow_splits"] = float(narrow_splits(problem, search.usable, flow, best, margin))
    return best


def _seconds_left(state: RunState, share: float) -> Callable[[], float]:
    """Return how many seconds of a share of the time limit are left, or of a time without a limit."""
    seconds = state.budget.seconds
    end = state.elapsed() + NO_LIMIT_SECONDS if seconds is None else share * seconds

    def left() -> float:
        return 0.0 if state.interrupted or state.is_proved else end - state.elapsed()

    return left


def _readable(state: RunState, search: ObliqueSearch) -> ObliqueModel:
    """Return the best model of a search with few digits and wide gaps."""

    def left() -> float:
        seconds = state.left()
        return inf if seconds is None else seconds

    if not search.best.columns:
        return search.best
    return ObliqueModel(*with_readable_splits(search.problem, search.usable, *search.best, left))
