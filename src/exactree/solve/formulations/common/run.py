"""Runs the MIP of a tree: warm start, cutoff, back end, progress, and decoding into a tree that is scored again.

A formulation is a MIP that can take a tree as warm start and decode one from a solution. All are run in the same way.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import Protocol, runtime_checkable

import numpy as np

from exactree.arrays import Floats
from exactree.mip import Backend, Mip, MipResult, MipStatus, Program, backend_for
from exactree.model import Graph
from exactree.problem import Problem
from exactree.solve.feasibility import check_answers
from exactree.solve.formulations.common.polishing import MAX_SECONDS, Polish, is_better
from exactree.solve.gains import shape_of
from exactree.solve.interface import Budget, Callback, Solution, Status
from exactree.solve.mip_runs.costs import MipCosts, mip_costs
from exactree.solve.mip_runs.outcome import STATUSES, check_status, single_leaf_solution
from exactree.solve.mip_runs.warm_starts import find_warm_start
from exactree.solve.oblique import ObliqueModel, Trees, as_tree, improve_with_oblique_splits
from exactree.solve.run_state import Exhausted, RunState
from exactree.solve.trees.complete_tree import CompleteTree, Shape, collapsed, embedded
from exactree.solve.trees.ranked_diagram import in_order
from exactree.solve.trees.ranked_tree import RankedNode, to_graph, with_columns

POLISH_SHARE, NO_START_SHARE = 1 / 3, 1 / 2  # of the time, both counted from the beginning
OBLIQUE_SHARE = 0.8  # of the time, until the search for oblique splits ends
CP_SAT = "cp-sat"
QUESTION_BLOCKS = {"ask", "asks", "bit", "cut"}  # blocks of columns of the questions, a row per branch


class Formulation(Protocol):
    """A MIP whose solutions are trees."""

    mip: Mip
    costs: MipCosts

    def set_start(self, tree: CompleteTree) -> None:
        """Set a tree as complete warm start."""
        ...

    def read_solution(self, values: Floats) -> CompleteTree:
        """Decode the tree of a solution."""
        ...


@runtime_checkable
class ObliqueFormulation(Formulation, Protocol):
    """A MIP of trees with oblique splits, which have to keep a margin."""

    def takes(self, tree: CompleteTree) -> bool:
        """Whether a tree is a solution."""
        ...


Build = Callable[[Mip, Problem, MipCosts, Shape], Formulation]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of a run of a MIP."""

    backend: str
    warm_start: str | None
    merge_rows: bool = True
    seed: int = 0
    polish: bool = True  # whether subtrees of the first tree are improved before the whole MIP
    margin: float | None = None  # of oblique splits, if it has these, which the search does not
    bound_over_all: float | None = None  # where the problem leaves trees out that the caller allowed


def run(
    problem: Problem, budget: Budget, build: Build, options: RunOptions, start: Graph | None, callback: Callback | None
) -> Solution:
    """Solve a problem through its MIP."""
    state = RunState(problem, budget, callback)
    state.bound_over_all = options.bound_over_all
    # Oblique splits are found from the best tree without them on.
    warm_start = "search" if options.margin is not None and options.warm_start is not None else options.warm_start
    given = find_warm_start(problem, budget, warm_start, start)
    given = given if options.margin is None else replace(given, bound=0.0)
    shape = Shape(shape_of(problem)[0]) if problem.data.columns else Shape(0)
    if shape.depth == 0:
        return single_leaf_solution(problem)
    if given.nodes is None and not given.interrupted:
        check_answers(problem, state.left())
    costs = mip_costs(problem, merge=options.merge_rows)
    first = None if given.nodes is None else to_graph(problem, given.nodes)
    state.begin(first, max(given.bound, costs.to_cost(costs.offset + costs.unavoidable + costs.leaf_price)))
    if given.interrupted or state.interrupted:
        return state.end(Status.INTERRUPTED, {})
    if problem.constraints and state.is_proved:  # the optimal tree without them satisfies them
        return state.end(Status.OPTIMAL, {})
    if state.left() == 0.0:
        return state.end(Status.TIME_LIMIT, {})
    counters = dict[str, float]()
    try:
        oblique = _with_oblique_splits(state, problem, options, given.nodes, counters)
        formulation = build(Mip(state.check, state.check_size), problem, costs, shape)
        work = _TreeRun(state, formulation, shape, build, options, problem)
        program = work.program(given.nodes, oblique)
        if options.polish and options.warm_start == "cart" and options.margin is None and given.nodes is not None:
            program = work.program(work.polished(given.nodes))
    except (Exhausted, KeyboardInterrupt) as stop:
        return state.stopped(stop, counters)
    if state.interrupted:
        return state.end(Status.INTERRUPTED, counters)
    backend = backend_for(program, options.backend)
    counters |= mip_sizes(program) | {f"backend_{backend.name}": 1.0, "build_seconds": state.elapsed()}
    if state.is_proved:  # the warm start has the unavoidable cost
        return state.end(Status.OPTIMAL, counters)
    start_cost = None if oblique is None or first is None or work.takes(oblique) else problem.cost(first)
    return work.solution(program, backend, counters, started=given.nodes is not None, start_cost=start_cost)


def _with_oblique_splits(
    state: RunState,
    problem: Problem,
    options: RunOptions,
    nodes: list[RankedNode] | None,
    counters: dict[str, float],
) -> ObliqueModel | None:
    """Search for a better tree with oblique splits, if the MIP has these."""
    if options.margin is None or options.warm_start is None or nodes is None or state.is_proved:
        return None
    return improve_with_oblique_splits(
        state,
        problem,
        Trees(),
        in_order(nodes),
        share=OBLIQUE_SHARE,
        seed=options.seed,
        margin=options.margin,
        counters=counters,
    )


@dataclass(frozen=True, slots=True)
class _TreeRun:
    """A MIP, and the methods that improve its warm start."""

    state: RunState
    formulation: Formulation
    shape: Shape
    build: Build
    options: RunOptions
    problem: Problem

    def solution(
        self, program: Program, backend: Backend, counters: dict[str, float], *, started: bool, start_cost: float | None
    ) -> Solution:
        """Solve the whole MIP; ``started`` says whether it has a feasible warm start, of what cost if not the best."""
        state, costs = self.state, self.formulation.costs
        options = state.mip_options(costs, self.options.seed, start_cost)
        result = backend.solve(program, options, lambda now: state.update(now, costs))
        check_status(result, backend.name, self.problem, started=started)
        if result.values is not None:
            self.offer(result.values)
            state.check_claim(costs.to_cost(result.objective), costs, backend.name)
        state.raise_bound(result.bound, costs)
        counters |= {k: float(v) for k, v in result.counters.items()}
        return state.end_of_mip(STATUSES[result.status], counters, costs)

    def program(self, nodes: list[RankedNode] | None, oblique: ObliqueModel | None = None) -> Program:
        """Return the MIP, with a warm start: one with oblique splits, if the MIP takes it."""
        if oblique is not None and self.takes(oblique):
            self.formulation.set_start(self.embedded(oblique))
        elif nodes is not None:
            self.formulation.set_start(embedded(nodes, self.shape))
        return self.formulation.mip.program()

    def takes(self, oblique: ObliqueModel) -> bool:
        """Whether a tree with oblique splits is a solution of the MIP."""
        return isinstance(self.formulation, ObliqueFormulation) and self.formulation.takes(self.embedded(oblique))

    def embedded(self, oblique: ObliqueModel) -> CompleteTree:
        """Place a tree with oblique splits in a complete one."""
        nodes = as_tree(with_columns(self.problem, oblique.columns), oblique.nodes)
        return embedded(nodes, self.shape, oblique.columns)

    def offer(self, values: Floats) -> None:
        """Offer the tree of a solution as incumbent."""
        tree = self.formulation.read_solution(values)
        asked = with_columns(self.problem, tree.further)
        self.state.offer(to_graph(asked, collapsed(asked, tree, relabel=not self.problem.constraints)))

    def polished(self, nodes: list[RankedNode]) -> list[RankedNode]:
        """Improve the first tree for some of the time, and return it."""
        problem = self.problem
        polish = Polish(problem, self.shape, self.solve_subproblem, self.solve_branch, lambda: self.left(POLISH_SHARE))
        for better in polish.improve(nodes):
            nodes = better
            self.state.offer(to_graph(problem, nodes))
        if polish.applies and (seconds := min(MAX_SECONDS, self.left(NO_START_SHARE))) > 0:
            found = self.solve_without_start(seconds)
            if found is not None and is_better(problem, found, nodes):
                nodes = found
                self.state.offer(to_graph(problem, nodes))
        return nodes

    def left(self, share: float) -> float:
        """Seconds left of a share of the time limit."""
        seconds = self.state.budget.seconds
        if self.state.interrupted:
            return 0.0
        return inf if seconds is None else share * seconds - self.state.elapsed()

    def solve_subproblem(self, part: Problem, seconds: float) -> Solution:
        """Solve the problem of a subtree by the same formulation."""
        budget = replace(self.state.budget, seconds=seconds, gap=0.0)
        found = run(part, budget, self.build, replace(self.options, polish=False), None, None)
        self.state.interrupted |= found.status is Status.INTERRUPTED
        return found

    def solve_branch(self, nodes: list[RankedNode], branch: int, seconds: float) -> list[RankedNode]:
        """Optimise the question of one branch, with all others fixed."""
        program = _with_fixed_questions(self.program(nodes), self.shape, branch)
        cutoff = self.state.mip_options(self.formulation.costs, 0).cutoff
        return self._found(self._solve(program, seconds, cutoff)) or nodes

    def solve_without_start(self, seconds: float) -> list[RankedNode] | None:
        """Solve the whole MIP for a short time without a warm start.

        CP-SAT on one thread hardly leaves the neighbourhood of its warm start: on the first split of
        tic-tac-toe at depth 3 it finds nothing better than 109 errors with one, and 101 in 5 s without.
        """
        program = self.program(None)
        if self.state.budget.threads > 1 or backend_for(program, self.options.backend).name != CP_SAT:
            return None
        without_start = replace(program, start=np.full(program.n_columns, np.nan))
        return self._found(self._solve(without_start, seconds, inf))

    def _solve(self, program: Program, seconds: float, cutoff: float) -> MipResult:
        state, costs = self.state, self.formulation.costs
        options = replace(state.mip_options(costs, self.options.seed), seconds=seconds, gap=0.0, cutoff=cutoff)
        result = backend_for(program, self.options.backend).solve(program, options)
        state.interrupted |= result.status is MipStatus.INTERRUPTED
        return result

    def _found(self, result: MipResult) -> list[RankedNode] | None:
        if result.values is None:
            return None
        return collapsed(self.problem, self.formulation.read_solution(result.values), relabel=True)


def _with_fixed_questions(program: Program, shape: Shape, branch: int) -> Program:
    """Return the MIP with all questions but one fixed to its warm start."""
    low, high = program.low.copy(), program.high.copy()
    others = [n for n in range(shape.n_branches) if n != branch]
    for name in QUESTION_BLOCKS & program.blocks.keys():
        columns = program.blocks[name][others].ravel()
        low[columns] = high[columns] = program.start[columns]
    return replace(program, low=low, high=high)


def mip_sizes(program: Program) -> dict[str, float]:
    """Sizes of a MIP, for the counters of a run."""
    return {
        "binaries": float(program.n_binaries),
        "columns": float(program.n_columns),
        "rows": float(program.n_rows),
        "entries": float(program.n_entries),
    }
