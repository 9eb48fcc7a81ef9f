"""Runs a tree program: start, cutoff, back end, progress, and back to a tree that is scored again.

A formulation is a program with a way to write a tree into it and to read one out of it. All of them are run alike.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from exactree.errors import Infeasible, InputError, SolverBug
from exactree.mip import Answer, Effort, Mip, MipStatus, Program, Seen, backend_for, resident
from exactree.model import Graph
from exactree.problem import Problem
from exactree.solve.complete_tree import CompleteTree, Shape, collapsed, embedded
from exactree.solve.costs import Costs, costs_of
from exactree.solve.gains import shape_of
from exactree.solve.interface import Budget, Progress, Solution, Status, Watch
from exactree.solve.ranked_tree import RankedNode, to_graph, with_columns
from exactree.solve.starts import lone_leaf, start_of

STATUSES = {
    MipStatus.OPTIMAL: Status.OPTIMAL,
    MipStatus.GAP_REACHED: Status.GAP_REACHED,
    MipStatus.TIME_LIMIT: Status.TIME_LIMIT,
    MipStatus.MEMORY_LIMIT: Status.MEMORY_LIMIT,
    MipStatus.INTERRUPTED: Status.INTERRUPTED,
}
NOISE = 1e-6  # of back ends, relative
SLACK = 1e-5  # the same after it went through a sum of many columns
NAMED = 4  # constraints that a message names
HALF = 0.5  # of the least difference between two trees: within it they cost the same


class Formulation(Protocol):
    """A program whose solutions are trees."""

    mip: Mip
    costs: Costs

    def write(self, tree: CompleteTree) -> None:
        """Suggest a tree as a complete start."""
        ...

    def read(self, values: NDArray[np.float64]) -> CompleteTree:
        """Read the tree that some values stand for."""
        ...


Build = Callable[[Mip, Problem, Costs, Shape], Formulation]


@dataclass(frozen=True, slots=True)
class Way:
    """How a program is run."""

    backend: str
    warm_start: str | None
    merge_rows: bool = True
    seed: int = 0
    linear: bool = False  # whether it asks about sums of columns as well, which the search does not


def run(problem: Problem, budget: Budget, build: Build, way: Way, start: Graph | None, watch: Watch | None) -> Solution:
    """Solve a problem through its program."""
    story = _Story(problem, budget, watch)
    given = start_of(problem, budget, way.warm_start, start)
    if way.linear:
        given = replace(given, bound=0.0)
    shape = Shape(shape_of(problem)[0]) if problem.data.columns else Shape(0)
    if shape.depth == 0:
        return _without_questions(problem)
    costs = costs_of(problem, merge=way.merge_rows)
    story.begin(given.nodes, max(given.bound, costs.to_cost(costs.offset + costs.unavoidable + costs.leaf_price)))
    if given.interrupted or story.interrupted:
        return story.end(Status.INTERRUPTED, {})
    if problem.constraints and story.is_proved:  # the best tree without them satisfies them
        return story.end(Status.OPTIMAL, {})
    if story.left() == 0.0:
        return story.end(Status.TIME_LIMIT, {})
    try:
        formulation = build(Mip(story.check), problem, costs, shape)
        if given.nodes is not None:
            formulation.write(embedded(given.nodes, shape))
        program = formulation.mip.program()
    except _Exhausted as reason:
        return story.end(reason.status, {})
    backend = backend_for(program, way.backend)
    counters = _sizes(program) | {f"backend_{backend.name}": 1.0, "build_seconds": story.elapsed()}
    if story.is_proved:  # the tree to start from costs no more than what no tree avoids
        return story.end(Status.OPTIMAL, counters)
    answer = backend.solve(program, story.effort(costs, way.seed), lambda seen: story.tell(seen, costs))
    _check_status(answer, backend.name, problem, started=given.nodes is not None)
    if answer.values is not None:
        tree = formulation.read(answer.values)
        asked = with_columns(problem, tree.further)
        story.offer(to_graph(asked, collapsed(asked, tree, relabel=not problem.constraints)))
        story.hold_to(costs.to_cost(answer.objective), costs, backend.name)
    story.raise_bound(answer.bound, costs)
    return story.end(STATUSES[answer.status], counters | {k: float(v) for k, v in answer.counters.items()})


def _check_status(answer: Answer, backend: str, problem: Problem, *, started: bool) -> None:
    """Refuse what cannot be: a program is feasible if there is a tree to start from, and costs are never below 0."""
    if answer.status not in STATUSES:
        if not started and problem.constraints:
            raise Infeasible(f"No tree within the limits satisfies all constraints. {_advice(problem)}")
        raise SolverBug(f"{backend} finds the program {answer.status.value}, but the tree to start from fits it.")


def _advice(problem: Problem) -> str:
    """What may be allowed more of, the first few if there are many."""
    texts = [limit.text for limit in problem.constraints]
    return f"Allow more of any of these: {'; '.join(texts[:NAMED])}{'; ...' if len(texts) > NAMED else ''}."


def _sizes(program: Program) -> dict[str, float]:
    return {
        "binaries": float(program.n_binaries),
        "columns": float(program.n_columns),
        "rows": float(program.n_rows),
        "entries": float(program.n_entries),
    }


def _without_questions(problem: Problem) -> Solution:
    """A single leaf is all there is."""
    nodes = lone_leaf(problem)
    if nodes is None:
        raise Infeasible(
            f"No single answer satisfies all constraints, and there is no question to ask. {_advice(problem)}"
        )
    model = to_graph(problem, nodes)
    cost = problem.cost(model)
    return Solution.checked(problem, model, status=Status.OPTIMAL, claimed=cost, bound=cost)


class _Exhausted(Exception):
    """Time or memory ended while a program was written down."""

    def __init__(self, status: Status) -> None:
        self.status = status


class _Story:
    """Best tree, bound and history of a run, in the user's units."""

    def __init__(self, problem: Problem, budget: Budget, watch: Watch | None) -> None:
        self.problem, self.budget, self.watch = problem, budget, watch
        self.begun = time.monotonic()
        self.before = resident() if budget.memory is not None else 0
        self.model: Graph | None = None
        self.cost, self.bound = inf, 0.0
        self.history: list[tuple[float, float, float]] = []
        self.interrupted = False

    def elapsed(self) -> float:
        return time.monotonic() - self.begun

    def left(self) -> float | None:
        return None if self.budget.seconds is None else max(0.0, self.budget.seconds - self.elapsed())

    def check(self) -> None:
        """Stop the writing of a program that takes too long or too much."""
        if self.left() == 0.0:
            raise _Exhausted(Status.TIME_LIMIT)
        if self.budget.memory is not None and resident() - self.before > self.budget.memory:
            raise _Exhausted(Status.MEMORY_LIMIT)

    def effort(self, costs: Costs, seed: int) -> Effort:
        """What is left of the budget, for a back end."""
        return Effort(
            seconds=self.left(),
            memory=self.budget.memory,
            threads=self.budget.threads,
            gap=self.budget.gap,
            step=costs.step,
            seed=seed,
            cutoff=self.cost * costs.scale * (1 + NOISE) + NOISE,
        )

    def hold_to(self, claimed: float, costs: Costs, backend: str) -> None:
        """See that the best tree costs no more than a back end claims for its own."""
        slack = max(HALF * costs.step / costs.scale, SLACK * max(1.0, abs(claimed)))
        if self.cost > claimed + slack:
            raise SolverBug(f"{backend} claims cost {claimed:g}, but no allowed tree of its solution costs that.")

    @property
    def is_proved(self) -> bool:
        return self.cost <= self.bound + self.problem.tolerance

    def begin(self, nodes: list[RankedNode] | None, bound: float) -> None:
        self.bound = bound
        if nodes is not None:
            self.offer(to_graph(self.problem, nodes))

    def offer(self, model: Graph) -> None:
        """Take a tree if it is better than what we have."""
        cost = self.problem.cost(model)
        if cost < self.cost and not self.problem.violations(model):
            self.model, self.cost = model, cost
            self._note_safely(cost, min(self.bound, cost))

    def tell(self, seen: Seen, costs: Costs) -> None:
        """Take note of what a back end sees, and pass it on."""
        cost = min(self.cost, costs.to_cost(seen.objective))
        self.raise_bound(seen.bound, costs, cost)
        self._note(cost, min(self.bound, cost))

    def raise_bound(self, bound: float, costs: Costs, cost: float | None = None) -> None:
        """A bound on the program is one on the cost; between whole numbers it is the next one up."""
        if not np.isfinite(bound):
            return
        if costs.step > 0:
            bound = float(np.ceil(bound / costs.step - NOISE * max(1.0, abs(bound))) * costs.step)
        self.bound = max(self.bound, min(costs.to_cost(bound), self.cost if cost is None else cost))

    def _note(self, cost: float, bound: float) -> None:
        if np.isfinite(cost):
            self.history.append((self.elapsed(), cost, bound))
            if self.watch is not None:
                self.watch(Progress(*self.history[-1]))

    def _note_safely(self, cost: float, bound: float) -> None:
        """Take note where no back end runs; Ctrl-C then is remembered."""
        try:
            self._note(cost, bound)
        except KeyboardInterrupt:
            self.interrupted = True

    def end(self, status: Status, counters: dict[str, float]) -> Solution:
        """Score the best tree again, and say what is known of it."""
        if self.model is None and status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        if self.model is None:
            raise InputError("No tree that satisfies all constraints was found in time; allow more time.")
        proved = status is Status.OPTIMAL or self.is_proved
        self._note_safely(self.cost, self.cost if proved else min(self.bound, self.cost))
        history = np.array(self.history).reshape(-1, 3)
        # What a back end calls its objective may lie a little below the cost of the tree it stands for.
        history[:, 1] = np.maximum(np.minimum.accumulate(history[:, 1]), self.cost)
        history[:, 2] = np.minimum(np.maximum.accumulate(history[:, 2]), self.cost)
        return Solution.checked(
            self.problem,
            self.model,
            status=Status.OPTIMAL if proved else status,
            claimed=self.cost,
            bound=self.cost if proved else min(self.bound, self.cost),
            history=history,
            counters=counters,
        )
