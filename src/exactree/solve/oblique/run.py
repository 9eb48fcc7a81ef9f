"""Linear splits for an incumbent: the local search within the run of a formulation."""

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

    def left_of(part: float) -> float:
        if state.interrupted or state.is_proved:
            return 0.0
        seconds = state.budget.seconds
        return (began + NO_LIMIT_SECONDS if seconds is None else part * seconds) - state.elapsed()

    def time_left() -> float:
        seconds = state.left()
        return inf if seconds is None else seconds

    began = state.elapsed()
    search = ObliqueSearch(
        problem,
        kind,
        seed,
        lambda: left_of(share),
        state.offer,
        lambda: state.report_details("", STAGE),
        margin,
        lambda: left_of(share + POLISH_SHARE * (1 - share)),
    )
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
        done = search.polish
        counters |= {"node_mips": float(done.n_solved), "node_mips_proved": float(done.n_proved)}
        counters["node_mips_better"] = float(done.n_better)
    state.rewrite(search.graph(best))
    flow = Flow.of(problem, search.costs, best)
    counters["narrow_splits"] = float(narrow_splits(problem, search.usable, flow, best, margin))
    return best
