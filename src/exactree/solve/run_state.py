"""Best model, bound and history of a run of a program, in the user's units."""

import time
from dataclasses import replace
from math import inf
from typing import Protocol

import numpy as np

from exactree.errors import InputError, SolverBug
from exactree.memory import resident
from exactree.mip import Effort, Seen
from exactree.model import Graph
from exactree.problem import Scored
from exactree.solve.interface import Budget, Callback, Progress, Solution, Status

NOISE = 1e-6  # of back ends, relative
SLACK = 1e-5  # the same after it went through a sum of many columns
HALF = 0.5  # of the least difference between two models: within it they cost the same


class Exhausted(Exception):
    """Time or memory ended while a program was written down."""

    def __init__(self, status: Status) -> None:
        self.status = status


def status_of(stop: Exhausted | KeyboardInterrupt) -> Status:
    """What ended a run while its program was written down."""
    return stop.status if isinstance(stop, Exhausted) else Status.INTERRUPTED


class Units(Protocol):
    """What a program counts in: its objective is the cost times ``scale``."""

    @property
    def scale(self) -> float:
        """What costs are multiplied with."""
        ...

    @property
    def step(self) -> float:
        """Least difference of two objectives, 0 if it is not known."""
        ...

    @property
    def unseen(self) -> float:
        """What a back end may be off by, since some costs are too small beside others; 0 where that is noise."""
        ...

    def to_cost(self, objective: float) -> float:
        """Cost in the user's terms."""
        ...


def rounded_up(bound: float, costs: Units, noise: float) -> float:
    """The least objective that a bound allows, given what it may be off by, relative to it."""
    if costs.step == 0:
        return bound
    return float(np.ceil(bound / costs.step - noise * max(1.0, abs(bound))) * costs.step)


class RunState:
    """Best model, bound and history of a run, in the user's units; ``noun`` is what messages call a model."""

    def __init__(self, problem: Scored, budget: Budget, callback: Callback | None, noun: str = "tree") -> None:
        self.problem, self.budget, self.callback, self.noun = problem, budget, callback, noun
        self.begun = time.monotonic()
        self.before = resident() if budget.memory is not None else 0
        self.model: Graph | None = None
        self.cost, self.bound = inf, 0.0
        self.history: list[tuple[float, float, float]] = []
        self.interrupted = False
        self.details = ""  # what the callback is told beside cost and bound

    def elapsed(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self.begun

    def left(self) -> float | None:
        """Seconds left, ``None`` without a limit."""
        return None if self.budget.seconds is None else max(0.0, self.budget.seconds - self.elapsed())

    def check(self) -> None:
        """Stop the writing of a program that takes too long or too much."""
        if self.left() == 0.0:
            raise Exhausted(Status.TIME_LIMIT)
        if self.budget.memory is not None and resident() - self.before > self.budget.memory:
            raise Exhausted(Status.MEMORY_LIMIT)

    def effort(self, costs: Units, seed: int) -> Effort:
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

    def hold_to(self, claimed: float, costs: Units, backend: str) -> None:
        """See that the best model costs no more than a back end claims for its own."""
        slack = max(HALF * costs.step / costs.scale, SLACK * max(1.0 / costs.scale, abs(claimed)))
        if self.cost > claimed + slack:
            raise SolverBug(
                f"{backend} claims cost {claimed:g}, but no allowed {self.noun} of its solution costs that."
            )

    @property
    def is_proved(self) -> bool:
        """Whether no model can be better than the best so far."""
        return self.cost <= self.bound + self.problem.tolerance

    def begin(self, model: Graph | None, bound: float) -> None:
        """Take the model to start from and a bound that is known beforehand."""
        self.bound = bound
        if model is not None:
            self.offer(model)

    def offer(self, model: Graph) -> None:
        """Take a model if it is better than what we have."""
        cost = self.problem.cost(model)
        if cost < self.cost and not self.problem.violations(model):
            self.model, self.cost = model, cost
            self._note_safely(cost, min(self.bound, cost))

    def tell(self, seen: Seen, costs: Units) -> None:
        """Take note of what a back end sees, and pass it on."""
        cost = min(self.cost, costs.to_cost(seen.objective))
        self.raise_bound(seen.bound, costs, cost)
        self._note(cost, min(self.bound, cost))

    def say(self, details: str) -> None:
        """Tell the watch what the run is at, where cost and bound are as before."""
        self.details = details
        if self.callback is not None:
            self.callback(Progress(self.elapsed(), self.cost, min(self.bound, self.cost), details))

    def raise_bound(
        self, bound: float, costs: Units, cost: float | None = None, *, noise: float = NOISE, sure: bool = False
    ) -> None:
        """A bound on the program is one on the cost; between whole numbers it is the next one up.

        Less what a back end may have overlooked, unless it is ``sure``, by other means.
        """
        if not np.isfinite(bound):
            return
        bound = rounded_up(bound, costs, noise)
        overlooked = 0.0 if sure else costs.unseen / costs.scale
        self.bound = max(self.bound, min(costs.to_cost(bound), self.cost if cost is None else cost) - overlooked)

    def _note(self, cost: float, bound: float) -> None:
        if np.isfinite(cost):
            self.history.append((self.elapsed(), cost, bound))
        if self.callback is not None and (np.isfinite(cost) or self.details):
            self.callback(Progress(self.elapsed(), cost, bound, self.details))

    def _note_safely(self, cost: float, bound: float) -> None:
        """Take note where no back end runs; Ctrl-C then is remembered."""
        try:
            self._note(cost, bound)
        except KeyboardInterrupt:
            self.interrupted = True

    def end_of_program(self, status: Status, counters: dict[str, float], costs: Units) -> Solution:
        """End with what a back end said of a program: a proof, unless it cannot have seen all costs."""
        if status is not Status.OPTIMAL or costs.unseen == 0 or self.is_proved:
            return self.end(status, counters)
        reason = "some costs are too small beside others for a program to see them; solver='search' sees all"
        return replace(self.end(Status.ENDED, counters), reason=reason)

    def end(self, status: Status, counters: dict[str, float]) -> Solution:
        """Score the best model again, and say what is known of it."""
        if self.model is None and status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        if self.model is None:
            raise InputError(f"No {self.noun} that satisfies all constraints was found in time; allow more time.")
        proved = status is Status.OPTIMAL or self.is_proved
        self._note_safely(self.cost, self.cost if proved else min(self.bound, self.cost))
        history = np.array(self.history).reshape(-1, 3)
        # What a back end calls its objective may lie a little below the cost of the model it stands for.
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
