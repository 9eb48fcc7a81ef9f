"""ODD: optimal decision diagrams as a MIP (Florio et al., AAAI 2023).

Two steps, as in the paper: a heuristic constructs diagrams, and the MIP is warm-started from the best of them. The MIP
is in ``network`` and ``model``, with oblique splits in ``oblique_model``, another form of it in ``flow_model``; here it
is run.
"""

from dataclasses import dataclass, replace
from math import inf
from numbers import Real
from typing import ClassVar

from exactree.errors import Infeasible, InputError, Unsupported
from exactree.mip import AUTO, Mip, MipStatus, Program, backend_for, check_backend, check_seed
from exactree.model import Graph
from exactree.problem import DiagramProblem
from exactree.solve.diagram_heuristic.construction import Construction, construct_diagrams, improve_diagram
from exactree.solve.feasibility import check_answers, infeasibility_advice
from exactree.solve.formulations.common.run import mip_sizes
from exactree.solve.formulations.odd.costs import DiagramMipCosts, diagram_mip_costs
from exactree.solve.formulations.odd.flow_model import OddFlowModel
from exactree.solve.formulations.odd.model import OddModel
from exactree.solve.formulations.odd.oblique_model import ObliqueOddModel
from exactree.solve.formulations.odd.univariate_start import best_univariate_diagram, univariate_search
from exactree.solve.interface import Budget, Callback, DiagramCapabilities, Solution, Status
from exactree.solve.mip_runs.outcome import STATUSES, check_status
from exactree.solve.oblique import Diagrams, ObliqueModel, better_of_both, improve_with_oblique_splits, takes_both
from exactree.solve.oblique.mip_splits import oblique_scope
from exactree.solve.refusal import diagram_refusal
from exactree.solve.run_state import Exhausted, RunState
from exactree.solve.search.diagrams import DiagramSearch
from exactree.solve.trees.linear_combinations import oblique_columns
from exactree.solve.trees.ranked_diagram import diagram_from_graph, diagram_to_graph, tidied
from exactree.solve.trees.ranked_tree import RankedNode, with_columns
from exactree.solve.trees.skeleton import Skeleton, placed

NOUN = "diagram"
FORMS = ("paper", "flow")
LEAST_MARGIN = 1e-4  # back ends take 1 - 1e-6 for 1, which moves a row by twice that; fifty times as far is safe
MOST_ENTRIES = 2 * 10**7  # of a MIP: larger ones take gigabytes, and no back end makes progress
BOUND_SHARE, BOUND_SECONDS = 0.2, 60.0  # for the search without constraints: share of the time left; without a limit
MOST_STARTS = 1000  # diagrams that the heuristic builds
OBLIQUE_SHARE = 0.8  # of the time, until the search for oblique splits ends
START_SHARE, START_SECONDS = 0.1, 10.0  # for the heuristic: share of the time, and at most; it is fast, the MIP is not


@dataclass(frozen=True, slots=True)
class ODD:
    """Optimal decision diagrams of Florio, Martins, Schiffer, Serra and Vidal.

    Takes constraints on predictions, and with ``multivariate=True`` of the estimator oblique splits: the search for
    univariate diagrams gets up to a third of the time, a local search over oblique splits the time until four fifths of
    it are over, MIPs of single nodes up to a tenth, and the MIP of all of it the rest. With a time limit, two threads
    or more and no memory limit, the univariate search has half of the threads for all of the time, and the better
    diagram is returned. With constraints and univariate splits, a fifth of the time goes to :class:`DiagramSearch`
    without them: its bound holds with them too. Where the MIP would be too large, the heuristic gets all the time, and
    its best diagram is returned with status ``ended``.

    Parameters
    ----------
    backend : {"auto", "highs", "cp-sat", "scip", "gurobi"}, default="auto"
        MIP solver; ``"auto"`` is CP-SAT if it is installed and all coefficients are integers, else HiGHS.
    form : {"paper", "flow"}, default="paper"
        The published MIP, or the same with a column for each node and question in place of big-Ms: for few questions,
        and for univariate splits only.
    start_seconds : float or None, default=None
        Seconds for the heuristic; None is a tenth of the time limit, and 10 s at most.
    warm_start : bool, default=True
        Whether to start with the heuristic. Without it the MIP has no warm start but a single label.
    seed : int, default=0
        Seed of the back end; the heuristic has the seed of the problem.
    margin : float, default=0.001
        Least distance between the two sides of an oblique split, with columns scaled to 0..1 and coefficients whose
        absolute values add up to 1. The proof is over such splits. Univariate splits need no margin.

    Examples
    --------
    >>> from exactree import ODD, OptimalDiagramClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> diagram = OptimalDiagramClassifier((1, 2), solver=ODD(backend="highs")).fit(X, y)
    >>> diagram.status_, diagram.n_nodes_, round(diagram.objective_, 6)
    ('optimal', 3, 0.1)
    >>> line = OptimalDiagramClassifier((1,), multivariate=True).fit(X, [0, 0, 0, 1])
    >>> print(str(line).splitlines()[0], line.cost_)
    x0 + x1 <= 1.5 0.0
    """

    name: ClassVar[str] = "odd"
    handles: ClassVar[DiagramCapabilities] = DiagramCapabilities(proves=True, constraints=True, multivariate=True)

    backend: str = AUTO
    form: str = "paper"
    start_seconds: float | None = None
    warm_start: bool = True
    seed: int = 0
    margin: float = 0.001

    def __post_init__(self) -> None:
        check_backend(self.backend)
        if self.form not in FORMS:
            raise InputError(f"form must be 'paper' or 'flow'; got {self.form!r}.")
        if self.start_seconds is not None and not (_is_number(self.start_seconds) and self.start_seconds >= 0):
            raise InputError(f"start_seconds must be 0 or more, or None; got {self.start_seconds!r}.")
        if not (_is_number(self.margin) and LEAST_MARGIN <= self.margin <= 1):
            raise InputError(f"margin must lie in {LEAST_MARGIN:g}..1, as back ends round; got {self.margin!r}.")
        check_seed(self.seed)

    def solve(
        self, problem: DiagramProblem, budget: Budget, *, start: Graph | None = None, callback: Callback | None = None
    ) -> Solution:
        """Construct diagrams, then build the MIP and solve it."""
        if problem.limits.multivariate and not problem.data.complete:
            raise Unsupported(
                f"A diagram with multivariate=True combines values linearly, so it takes thresholds='all' only, not "
                f"{problem.data.thresholds!r}."
            )
        if problem.limits.multivariate and self.form == "flow":
            raise Unsupported(
                "ODD(form='flow') lists all questions; there are too many oblique splits for that. Use form='paper'."
            )

        def run(budget: Budget) -> Solution:
            return _Run(self, problem, RunState(problem, budget, callback, NOUN)).solve(start)

        univariate = univariate_search(problem) if self.warm_start and takes_both(budget) else None
        found = run(budget) if univariate is None else better_of_both(problem, budget, univariate, run, callback)
        if problem.limits.multivariate:
            found = replace(found, scope=oblique_scope(self.margin, problem.limits.max_split_columns, problem.data))
        return found


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class _Run:
    """One run of both steps."""

    options: ODD
    problem: DiagramProblem
    state: RunState

    def solve(self, start: Graph | None) -> Solution:
        problem, state = self.problem, self.state
        if not problem.data.columns or problem.data.n_classes < 2:
            return self._without_questions()
        costs = diagram_mip_costs(problem)
        made = self._warm_start(start)
        if made.nodes is None and not made.interrupted:
            check_answers(problem, state.left(), NOUN)
        counters = {"starts": float(made.starts), "start_seconds": made.seconds}
        if made.nodes is not None:
            counters |= {"start_cost": made.cost, "start_nodes": float(sum(node.column >= 0 for node in made.nodes))}
        state.begin(None if made.nodes is None else diagram_to_graph(problem, made.nodes), costs.to_cost(costs.offset))
        if not made.interrupted and not state.is_proved:
            made = self._without_constraints(made)
        n_entries = self._n_entries(costs)
        oblique = self._with_oblique_splits(made, fits=n_entries <= MOST_ENTRIES, counters=counters)
        if made.interrupted or state.interrupted:
            return state.end(Status.INTERRUPTED, counters)
        if state.is_proved:  # it has the unavoidable cost
            return state.end(Status.OPTIMAL, counters)
        if state.left() == 0.0:
            return state.end(Status.TIME_LIMIT, counters)
        if n_entries > MOST_ENTRIES:
            return self._heuristic_only(n_entries, made, counters)
        try:
            model = self._model(costs)
            program, start_cost = self._program(model, made.nodes, oblique)
        except (Exhausted, KeyboardInterrupt) as stop:
            return state.stopped(stop, counters)
        return self._solved(model, program, costs, counters, start_cost)

    def _with_oblique_splits(
        self, made: Construction, *, fits: bool, counters: dict[str, float]
    ) -> ObliqueModel | None:
        """Search for the best univariate diagram, then for one with oblique splits, if these are allowed.

        If the MIP is too large, all of the time is theirs.
        """
        state, problem = self.state, self.problem
        stopped = made.interrupted or state.interrupted or state.is_proved
        if not problem.limits.multivariate or not self.options.warm_start or stopped or made.nodes is None:
            return None
        nodes = best_univariate_diagram(state, problem, made.nodes)
        counters["univariate_cost"] = state.cost
        share = OBLIQUE_SHARE if fits else 1.0
        found = improve_with_oblique_splits(
            state,
            problem,
            Diagrams(),
            nodes,
            share=share,
            seed=problem.seed,
            margin=self.options.margin,
            counters=counters,
        )
        counters["oblique_cost"] = state.cost
        return found

    def _warm_start(self, start: Graph | None) -> Construction:
        """Return the cheapest feasible diagram: of the heuristic, the given one, or a single label."""
        given = None if start is None else diagram_from_graph(self.problem, start)
        made = Construction(None, inf, 0, 0.0)
        if self.options.warm_start:
            made = construct_diagrams(self.problem, self._start_seconds(), starts=MOST_STARTS, given=given)
        best, cost = made.nodes, made.cost
        for nodes in (given, *self._single_labels()):
            if nodes is None:
                continue
            model = diagram_to_graph(self.problem, nodes)
            if self.problem.cost(model) < cost and not self.problem.violations(model):
                best, cost = nodes, self.problem.cost(model)
        return replace(made, nodes=best, cost=cost)

    def _without_constraints(self, made: Construction) -> Construction:
        """Search for a while without the constraints: its bound is one with them.

        A diagram that satisfies them all the same is a warm start. Without constraints the search is not run: the MIP
        is to be proved by its own back end.
        """
        problem, state, search = self.problem, self.state, DiagramSearch()
        free = replace(problem, constraints=())
        if not problem.constraints or not self.options.warm_start or diagram_refusal(search, free) is not None:
            return made
        left = state.left()
        seconds = BOUND_SECONDS if left is None else BOUND_SHARE * left
        try:
            found = search.solve(free, replace(state.budget, seconds=seconds, gap=0.0))
        except Unsupported:  # too large for it
            return made
        state.bound = max(state.bound, found.bound)
        state.offer(found.model)
        if state.cost < made.cost and (nodes := diagram_from_graph(problem, found.model)) is not None:
            made = replace(made, nodes=nodes, cost=state.cost)
        return replace(made, interrupted=found.status is Status.INTERRUPTED)

    def _heuristic_only(self, n_entries: int, made: Construction, counters: dict[str, float]) -> Solution:
        """Give the time of a MIP that is too large to the heuristic, if it was short of time."""
        problem, state, status = self.problem, self.state, Status.ENDED
        if self.options.warm_start and made.starts < MOST_STARTS and not problem.limits.multivariate:
            more = construct_diagrams(problem, state.left(), starts=MOST_STARTS, given=made.nodes)
            counters |= {"starts": float(more.starts), "start_seconds": made.seconds + more.seconds}
            if more.nodes is not None:
                state.offer(diagram_to_graph(problem, more.nodes))
            status = Status.INTERRUPTED if more.interrupted else Status.ENDED
        reason = f"the MIP would have about {n_entries:,} entries, more than the limit of {MOST_ENTRIES:,}"
        found = state.end(status, counters)
        return found if found.status is not Status.ENDED else replace(found, reason=reason)

    def _start_seconds(self) -> float:
        if self.options.start_seconds is not None:
            return self.options.start_seconds
        left = self.state.left()
        return START_SECONDS if left is None else min(START_SECONDS, START_SHARE * left)

    def _single_labels(self) -> list[list[RankedNode]]:
        return [[RankedNode(-1, 0, -1, -1, label)] for label in range(self.problem.data.n_classes)]

    def _n_entries(self, costs: DiagramMipCosts) -> int:
        """Approximate number of entries of the MIP: those of flows, and those of questions."""
        skeleton, n_columns = Skeleton(self.problem.limits.widths, costs.n_classes), len(self.problem.data.columns)
        asked = self.problem.data.n_questions if self.options.form == "flow" else 4 * n_columns
        asked += 4 * n_columns if self.problem.limits.multivariate else 0
        return costs.n_groups * (10 * skeleton.n_arcs + skeleton.n_nodes * asked)

    def _model(self, costs: DiagramMipCosts) -> OddModel | OddFlowModel:
        mip = Mip(self.state.check, self.state.check_size)
        if self.options.form == "flow":
            return OddFlowModel(mip, self.problem, costs)
        if self.problem.limits.multivariate:
            columns = oblique_columns(self.problem.data)
            if len(columns.sources) > 1:  # one column alone has univariate splits
                return ObliqueOddModel(mip, self.problem, costs, oblique_columns=columns, margin=self.options.margin)
        return OddModel(mip, self.problem, costs)

    def _program(
        self, model: OddModel | OddFlowModel, nodes: list[RankedNode] | None, oblique: ObliqueModel | None
    ) -> tuple[Program, float]:
        """Return the MIP with the best warm start that it takes, and the cost of that start."""
        started, cost = nodes is None, self.state.cost
        if oblique is not None:
            started = self._start(model, oblique)
        if not started and nodes is not None:
            self._start(model, ObliqueModel(nodes))
            cost = self.problem.cost(diagram_to_graph(self.problem, nodes))
        return model.mip.program(), cost

    def _start(self, model: OddModel | OddFlowModel, diagram: ObliqueModel) -> bool:
        """Set a warm start, unless one of its oblique splits is narrower than the margin."""
        at_places = placed(diagram.nodes, model.skeleton)
        if at_places is None:
            return False
        if isinstance(model, ObliqueOddModel) and diagram.columns:
            n_oblique = int((at_places.column >= len(self.problem.data.columns)).sum())
            if len(model.start_splits(at_places, diagram.columns)) < n_oblique:
                return False
        model.set_start(at_places, diagram.columns)
        return True

    def _solved(
        self,
        model: OddModel | OddFlowModel,
        program: Program,
        costs: DiagramMipCosts,
        counters: dict[str, float],
        start_cost: float,
    ) -> Solution:
        problem, state = self.problem, self.state
        backend = backend_for(program, self.options.backend)
        counters |= mip_sizes(program) | {f"backend_{backend.name}": 1.0, "build_seconds": state.elapsed()}
        options = replace(state.mip_options(costs, self.options.seed, start_cost), keep_start=True)
        result = backend.solve(program, options, lambda now: state.update(now, costs))
        check_status(result, backend.name, problem, started=state.model is not None, noun=NOUN)
        if result.values is not None:
            decoded = model.read_solution(result.values)
            asked = with_columns(problem, decoded.further)
            before = state.cost
            state.offer(diagram_to_graph(asked, tidied(asked, decoded.nodes)))
            state.check_claim(costs.to_cost(result.objective), costs, backend.name)
            if state.cost < before and result.status is not MipStatus.OPTIMAL and not decoded.further:
                state.offer(diagram_to_graph(problem, improve_diagram(problem, decoded.nodes)))
        state.raise_bound(result.bound, costs)
        counters |= {k: float(v) for k, v in result.counters.items()}
        return state.end_of_mip(STATUSES[result.status], counters, costs)

    def _without_questions(self) -> Solution:
        """The best single label, where no question can be asked."""
        models = [diagram_to_graph(self.problem, nodes) for nodes in self._single_labels()]
        allowed = [model for model in models if not self.problem.violations(model)]
        if not allowed:
            advice = infeasibility_advice(self.problem)
            raise Infeasible(f"No single label satisfies all constraints, and there is no question to ask. {advice}")
        best = min(allowed, key=self.problem.cost)
        self.state.begin(best, self.problem.cost(best))
        return self.state.end(Status.OPTIMAL, {})
