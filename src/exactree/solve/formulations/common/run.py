"""Runs a tree program: start, cutoff, back end, progress, and back to a tree that is scored again.

A formulation is a program with a way to write a tree into it and to read one out of it. All of them are run alike.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import Protocol

import numpy as np

from exactree.arrays import Floats
from exactree.mip import Answer, Mip, MipStatus, Program, backend_for
from exactree.model import Graph
from exactree.problem import Problem
from exactree.solve.formulations.common.polishing import LONGEST, Polish, is_better
from exactree.solve.gains import shape_of
from exactree.solve.interface import Budget, Callback, Solution, Status
from exactree.solve.mip_runs.costs import Costs, costs_of
from exactree.solve.mip_runs.outcome import STATUSES, check_status, without_questions
from exactree.solve.mip_runs.warm_starts import start_of
from exactree.solve.run_state import Exhausted, RunState, status_of
from exactree.solve.trees.complete_tree import CompleteTree, Shape, collapsed, embedded
from exactree.solve.trees.ranked_tree import RankedNode, to_graph, with_columns

POLISH_SHARE, FRESH_SHARE = 1 / 3, 1 / 2  # of the time, both from the beginning
CP_SAT = "cp-sat"
QUESTIONS = {"ask", "asks", "bit", "cut"}  # blocks of columns that say what each branch asks, a row per branch


class Formulation(Protocol):
    """A program whose solutions are trees."""

    mip: Mip
    costs: Costs

    def write(self, tree: CompleteTree) -> None:
        """Suggest a tree as a complete start."""
        ...

    def read(self, values: Floats) -> CompleteTree:
        """Read the tree that some values stand for."""
        ...


Build = Callable[[Mip, Problem, Costs, Shape], Formulation]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a program is run."""

    backend: str
    warm_start: str | None
    merge_rows: bool = True
    seed: int = 0
    polish: bool = True  # whether parts of the first tree are solved before the whole
    linear: bool = False  # whether it asks about sums of columns as well, which the search does not


def run(
    problem: Problem, budget: Budget, build: Build, way: RunOptions, start: Graph | None, callback: Callback | None
) -> Solution:
    """Solve a problem through its program."""
    state = RunState(problem, budget, callback)
    given = start_of(problem, budget, way.warm_start, start)
    if way.linear:
        given = replace(given, bound=0.0)
    shape = Shape(shape_of(problem)[0]) if problem.data.columns else Shape(0)
    if shape.depth == 0:
        return without_questions(problem)
    costs = costs_of(problem, merge=way.merge_rows)
    first = None if given.nodes is None else to_graph(problem, given.nodes)
    state.begin(first, max(given.bound, costs.to_cost(costs.offset + costs.unavoidable + costs.leaf_price)))
    if given.interrupted or state.interrupted:
        return state.end(Status.INTERRUPTED, {})
    if problem.constraints and state.is_proved:  # the best tree without them satisfies them
        return state.end(Status.OPTIMAL, {})
    if state.left() == 0.0:
        return state.end(Status.TIME_LIMIT, {})
    try:
        formulation = build(Mip(state.check), problem, costs, shape)
        work = _Work(state, formulation, shape, build, way, problem)
        program = work.program(given.nodes)
        if way.polish and way.warm_start == "cart" and not way.linear and given.nodes is not None:
            program = work.program(work.polished(given.nodes))
    except (Exhausted, KeyboardInterrupt) as stop:
        return state.end(status_of(stop), {})
    if state.interrupted:
        return state.end(Status.INTERRUPTED, {})
    backend = backend_for(program, way.backend)
    counters = sizes_of(program) | {f"backend_{backend.name}": 1.0, "build_seconds": state.elapsed()}
    if state.is_proved:  # the tree to start from costs no more than what no tree avoids
        return state.end(Status.OPTIMAL, counters)
    answer = backend.solve(program, state.effort(costs, way.seed), lambda seen: state.tell(seen, costs))
    check_status(answer, backend.name, problem, started=given.nodes is not None)
    if answer.values is not None:
        work.offer(answer.values)
        state.hold_to(costs.to_cost(answer.objective), costs, backend.name)
    state.raise_bound(answer.bound, costs)
    counters |= {k: float(v) for k, v in answer.counters.items()}
    return state.end_of_program(STATUSES[answer.status], counters, costs)


@dataclass(frozen=True, slots=True)
class _Work:
    """A program, and the ways to a better tree to start it from."""

    state: RunState
    formulation: Formulation
    shape: Shape
    build: Build
    way: RunOptions
    problem: Problem

    def program(self, nodes: list[RankedNode] | None) -> Program:
        """Return the program, with a tree to start from."""
        if nodes is not None:
            self.formulation.write(embedded(nodes, self.shape))
        return self.formulation.mip.program()

    def offer(self, values: Floats) -> None:
        """Offer the tree that values of the program stand for."""
        tree = self.formulation.read(values)
        asked = with_columns(self.problem, tree.further)
        self.state.offer(to_graph(asked, collapsed(asked, tree, relabel=not self.problem.constraints)))

    def polished(self, nodes: list[RankedNode]) -> list[RankedNode]:
        """Make the first tree better for some of the time, and return what it has become."""
        problem = self.problem
        polish = Polish(problem, self.shape, self.solve_part, self.solve_branch, lambda: self.left(POLISH_SHARE))
        for better in polish.improve(nodes):
            nodes = better
            self.state.offer(to_graph(problem, nodes))
        if polish.applies and (seconds := min(LONGEST, self.left(FRESH_SHARE))) > 0:
            fresh = self.fresh(seconds)
            if fresh is not None and is_better(problem, fresh, nodes):
                nodes = fresh
                self.state.offer(to_graph(problem, nodes))
        return nodes

    def left(self, share: float) -> float:
        """Seconds left of a share of all there are."""
        seconds = self.state.budget.seconds
        if self.state.interrupted:
            return 0.0
        return inf if seconds is None else share * seconds - self.state.elapsed()

    def solve_part(self, part: Problem, seconds: float) -> Solution:
        """Solve a smaller problem by a program of the same kind."""
        budget = replace(self.state.budget, seconds=seconds, gap=0.0)
        found = run(part, budget, self.build, replace(self.way, polish=False), None, None)
        self.state.interrupted |= found.status is Status.INTERRUPTED
        return found

    def solve_branch(self, nodes: list[RankedNode], branch: int, seconds: float) -> list[RankedNode]:
        """Find another question for one branch, all others held."""
        program = _held(self.program(nodes), self.shape, branch)
        cutoff = self.state.effort(self.formulation.costs, 0).cutoff
        return self._found(self._solve(program, seconds, cutoff)) or nodes

    def fresh(self, seconds: float) -> list[RankedNode] | None:
        """Look at the whole for a short time as if no tree were known.

        CP-SAT on one thread hardly leaves the neighbourhood of a tree it starts from: on the first split of
        tic-tac-toe at depth 3 it finds nothing better than 109 errors with one, and 101 in 5 s without.
        """
        program = self.program(None)
        if self.state.budget.threads > 1 or backend_for(program, self.way.backend).name != CP_SAT:
            return None
        unknown = replace(program, start=np.full(program.n_columns, np.nan))
        return self._found(self._solve(unknown, seconds, inf))

    def _solve(self, program: Program, seconds: float, cutoff: float) -> Answer:
        state, costs = self.state, self.formulation.costs
        effort = replace(state.effort(costs, self.way.seed), seconds=seconds, gap=0.0, cutoff=cutoff)
        answer = backend_for(program, self.way.backend).solve(program, effort)
        state.interrupted |= answer.status is MipStatus.INTERRUPTED
        return answer

    def _found(self, answer: Answer) -> list[RankedNode] | None:
        if answer.values is None:
            return None
        return collapsed(self.problem, self.formulation.read(answer.values), relabel=True)


def _held(program: Program, shape: Shape, branch: int) -> Program:
    """Return the program in which all questions but one are as its start has them."""
    low, high = program.low.copy(), program.high.copy()
    others = [n for n in range(shape.n_branches) if n != branch]
    for name in QUESTIONS & program.blocks.keys():
        columns = program.blocks[name][others].ravel()
        low[columns] = high[columns] = program.start[columns]
    return replace(program, low=low, high=high)


def sizes_of(program: Program) -> dict[str, float]:
    """How large a program is, for the counters of a run."""
    return {
        "binaries": float(program.n_binaries),
        "columns": float(program.n_columns),
        "rows": float(program.n_rows),
        "entries": float(program.n_entries),
    }
