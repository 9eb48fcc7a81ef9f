"""State of a run of a MIP: incumbent, bound and history, in the user's units."""

import time
from dataclasses import replace
from math import inf
from typing import Protocol

import numpy as np

from exactree.errors import InputError, SolverBug
from exactree.memory import available, resident
from exactree.mip import MipOptions, MipProgress, MipSize
from exactree.model import Graph
from exactree.problem import Scored
from exactree.solve.interface import Budget, Callback, Progress, Solution, Status
from exactree.tolerances import FEASIBILITY

SLACK = 1e-5  # the feasibility tolerance after a sum of many columns
POLL = 0.02  # seconds between two calls of the callback without news, as in the kernel
HALF = 0.5  # of the least difference between two models: costs within it are equal


BYTES_PER_ENTRY = 70  # of a MIP while it is written, at most: measured for BinOCT on adult


class Exhausted(Exception):
    """Time or memory ran out outside a back end, or will while a MIP is written; ``reason`` says which MIP."""

    def __init__(self, status: Status, reason: str = "") -> None:
        self.status, self.reason = status, reason


def _too_large(size: MipSize, limit: str) -> str:
    return (
        f"the MIP would have about {size}, too many for {limit}; allow more, fewer questions as with "
        f"thresholds='quantiles(16)', or fewer rows, or use solver='search'"
    )


def stop_status(stop: Exhausted | KeyboardInterrupt) -> Status:
    """Status of a run that was stopped outside a back end."""
    return stop.status if isinstance(stop, Exhausted) else Status.INTERRUPTED


class CostUnits(Protocol):
    """Units of a MIP's objective: the cost times ``scale``."""

    @property
    def scale(self) -> float:
        """Factor from cost to objective."""
        ...

    @property
    def step(self) -> float:
        """Least difference of two objectives, 0 if unknown."""
        ...

    @property
    def numerical_slack(self) -> float:
        """Possible error of a back end where some costs are too small beside others; 0 where that is negligible."""
        ...

    def to_cost(self, objective: float) -> float:
        """Cost in the user's units."""
        ...


def round_up_bound(bound: float, costs: CostUnits, noise: float) -> float:
    """The least objective that a bound allows, given its relative error."""
    if costs.step == 0:
        return bound
    return float(np.ceil(bound / costs.step - noise * max(1.0, abs(bound))) * costs.step)


class RunState:
    """Incumbent, bound and history of a run, in the user's units; ``noun`` is what messages call a model."""

    def __init__(self, problem: Scored, budget: Budget, callback: Callback | None, noun: str = "tree") -> None:
        self.problem, self.budget, self.callback, self.noun = problem, budget, callback, noun
        self.started_at = time.monotonic()
        self.memory_before = resident() if budget.memory is not None else 0
        self.model: Graph | None = None
        self.cost, self.bound = inf, 0.0
        self.bound_over_all: float | None = None  # on all allowed models, where ``bound`` is over some of them only
        self.history: list[tuple[float, float, float]] = []
        self.interrupted = False
        self._next_poll = POLL
        self.details = self.stage = ""  # reported to the callback beside cost and bound

    def elapsed(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self.started_at

    def left(self) -> float | None:
        """Seconds left, ``None`` without a limit."""
        return None if self.budget.seconds is None else max(0.0, self.budget.seconds - self.elapsed())

    def check(self) -> None:
        """Raise ``Exhausted`` if time or memory is used up."""
        if self.left() == 0.0:
            raise Exhausted(Status.TIME_LIMIT)
        if self.budget.memory is not None and resident() - self.memory_before > self.budget.memory:
            raise Exhausted(Status.MEMORY_LIMIT)

    def check_size(self, size: MipSize, seconds: float) -> None:
        """Raise ``Exhausted`` if a MIP of this size cannot be written with the time and the memory that are left."""
        left, most = self.left(), self.budget.memory
        if left is not None and seconds > left:
            raise Exhausted(Status.TIME_LIMIT, _too_large(size, "time_limit"))
        room = available() if most is None else most - (resident() - self.memory_before)
        if size.entries * BYTES_PER_ENTRY > room:
            raise Exhausted(
                Status.MEMORY_LIMIT, _too_large(size, "the memory there is" if most is None else "memory_limit")
            )

    def poll(self) -> None:
        """Check the budget, and call back if the last report is older than ``POLL``: for work in small steps."""
        self.check()
        if self.callback is not None and self.elapsed() >= self._next_poll:
            self._report(self.cost, min(self.bound, self.cost))
            self._next_poll = self.elapsed() + POLL

    def mip_options(self, costs: CostUnits, seed: int, start_cost: float | None = None) -> MipOptions:
        """What is left of the budget, as options of a back end; ``start_cost`` is of a warm start, if not the best."""
        cutoff = self.cost if start_cost is None else start_cost
        return MipOptions(
            seconds=self.left(),
            memory=self.budget.memory,
            threads=self.budget.threads,
            gap=self.budget.gap,
            step=costs.step,
            seed=seed,
            cutoff=cutoff * costs.scale * (1 + FEASIBILITY) + FEASIBILITY,
        )

    def check_claim(self, claimed: float, costs: CostUnits, backend: str) -> None:
        """Check that the incumbent costs no more than a back end claims for its solution."""
        slack = max(HALF * costs.step / costs.scale, SLACK * max(1.0 / costs.scale, abs(claimed)))
        if self.cost > claimed + slack:
            raise SolverBug(
                f"{backend} claims cost {claimed:g}, but no allowed {self.noun} of its solution costs that."
            )

    @property
    def is_proved(self) -> bool:
        """Whether no model can be better than the incumbent."""
        return self.cost <= self.bound + self.problem.tolerance

    def begin(self, model: Graph | None, bound: float) -> None:
        """Set the warm start and an initial bound."""
        self.bound = bound
        if model is not None:
            self.offer(model)

    def offer(self, model: Graph) -> None:
        """Make a model the incumbent if it is better."""
        cost = self.problem.cost(model)
        if cost < self.cost and not self.problem.violations(model):
            self.model, self.cost = model, cost
            self._record_safely(cost, self._over_all(min(self.bound, cost)))

    def rewrite(self, model: Graph) -> None:
        """Make a model the incumbent that costs no more, such as the same one written more simply."""
        if (cost := self.problem.cost(model)) <= self.cost and not self.problem.violations(model):
            self.model, self.cost = model, cost

    def update(self, now: MipProgress, costs: CostUnits) -> None:
        """Record the progress of a back end, and call back."""
        cost = min(self.cost, costs.to_cost(now.objective))
        self.raise_bound(now.bound, costs, cost)
        bound = self._over_all(min(self.bound, cost))
        if self.history and self.history[-1][1:] == (cost, bound):  # a back end has no news, but may be stopped
            self._report(cost, bound)
        else:
            self._record(cost, bound)

    def report_details(self, details: str, stage: str) -> None:
        """Call back with a description of the current step; cost and bound are unchanged."""
        self.details, self.stage = details, stage
        self._report(self.cost, self._over_all(min(self.bound, self.cost)))

    def raise_bound(
        self,
        bound: float,
        costs: CostUnits,
        cost: float | None = None,
        *,
        noise: float = FEASIBILITY,
        sure: bool = False,
    ) -> None:
        """Turn a bound on the MIP into one on the cost, rounded up where costs are integer.

        It is lowered by the possible numerical error of a back end, unless it is ``sure`` by other means.
        """
        if not np.isfinite(bound):
            return
        bound = round_up_bound(bound, costs, noise)
        error = 0.0 if sure else costs.numerical_slack / costs.scale
        self.bound = max(self.bound, min(costs.to_cost(bound), self.cost if cost is None else cost) - error)

    def _over_all(self, bound: float) -> float:
        """Bound on all allowed models, which is what is reported."""
        return bound if self.bound_over_all is None else min(bound, self.bound_over_all)

    def _record(self, cost: float, bound: float) -> None:
        if np.isfinite(cost):
            self.history.append((self.elapsed(), cost, bound))
        self._report(cost, bound)

    def _report(self, cost: float, bound: float) -> None:
        if self.callback is not None:
            self.callback(Progress(self.elapsed(), cost, bound, self.details, self.stage))

    def _record_safely(self, cost: float, bound: float) -> None:
        """Record where no back end runs; Ctrl-C is remembered."""
        try:
            self._record(cost, bound)
        except KeyboardInterrupt:
            self.interrupted = True

    def end_of_mip(self, status: Status, counters: dict[str, float], costs: CostUnits) -> Solution:
        """End with the status of a back end: a proof, unless some costs are below its tolerance."""
        if status is not Status.OPTIMAL or costs.numerical_slack == 0 or self.is_proved:
            return self.end(status, counters)
        reason = "some costs are too small beside others for a MIP solver's tolerance; solver='search' is exact"
        return replace(self.end(Status.ENDED, counters), reason=reason)

    def stopped(self, stop: Exhausted | KeyboardInterrupt, counters: dict[str, float]) -> Solution:
        """End a run that was stopped outside a back end."""
        reason = stop.reason if isinstance(stop, Exhausted) else ""
        if reason and self.model is None:
            raise InputError(f"No {self.noun} that satisfies all constraints was found: {reason}.")
        found = self.end(stop_status(stop), counters)
        return found if found.status is Status.OPTIMAL else replace(found, reason=reason)

    def end(self, status: Status, counters: dict[str, float]) -> Solution:
        """Score the incumbent again, and return it with its status and bound."""
        if self.model is None and status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        if self.model is None:
            raise InputError(f"No {self.noun} that satisfies all constraints was found in time; allow more time.")
        proved = status is Status.OPTIMAL or self.is_proved
        self._record_safely(self.cost, self._over_all(self.cost if proved else min(self.bound, self.cost)))
        history = np.array(self.history).reshape(-1, 3)
        # A back end's objective may lie a little below the cost of its model.
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
