"""CGH: trees by column generation over decision paths (Firat, Crognier, Gabor, Hurkens and Zhang 2020).

The restricted master is in ``master``, pricing in ``pricing``, the loop in ``loop``; the final step is the master with
integer variables (``integer_master``), branching (``branching``), or plain enumeration.

What is proved here says: no tree costs less whose every branch asks one of the questions that were sampled for it. It
is a proof over all trees only with ``sampling="all"``, or where the samples hold all questions. Else the status is
``"optimal_over_sample"``, and the bound is what is known over all trees: that of the search for the warm start.

Differences to the paper: cost is minimised; of the paths with the same questions only that with the cheapest label is
kept, unless constraints on labels make others matter; rows of the table that no sampled question separates are merged;
rows (3) are inequalities, added as cutting planes; paths may ask the same question twice. The paper's final MIP proves
nothing; here it does where all paths that a better tree may use are few enough.
"""

from dataclasses import dataclass, field, replace
from math import inf
from numbers import Real
from typing import ClassVar

import numpy as np

from exactree.encode import CartSampling
from exactree.encode.sampling import DEEPEST
from exactree.errors import Infeasible, InputError
from exactree.mip import backend_for, check_backend, check_seed
from exactree.model import Graph
from exactree.names import canonical
from exactree.problem import Problem
from exactree.solve.column_generation.branching import branch_and_price
from exactree.solve.column_generation.integer_master import build_integer_master, solve_integer_master
from exactree.solve.column_generation.loop import (
    SUMMED,
    GenerationLoop,
    NoFeasibleTree,
    Relaxation,
    enumeration_work,
    offer_tree,
)
from exactree.solve.column_generation.master import Master
from exactree.solve.column_generation.paths import PathTable, path_table
from exactree.solve.column_generation.pricing import ExactPricing, NoPricing, Pricing, Restriction, all_paths
from exactree.solve.column_generation.published_pricing import MilpPricing, RandomPricing
from exactree.solve.column_generation.splits import (
    Sampling,
    check_sampling,
    holds_all,
    sample_of,
    splits_of,
)
from exactree.solve.feasibility import check_answers, infeasibility_advice
from exactree.solve.gains import shape_of, unavoidable_cost
from exactree.solve.interface import Budget, Callback, Capabilities, Round, Solution, Status
from exactree.solve.mip_runs.outcome import single_leaf_solution
from exactree.solve.mip_runs.warm_starts import check_warm_start, find_warm_start
from exactree.solve.run_state import Exhausted, RunState
from exactree.solve.trees.complete_tree import embedded
from exactree.solve.trees.ranked_tree import to_graph
from exactree.tolerances import FEASIBILITY

PRICINGS = ("exact", "heuristic", "milp")
ROWS = ("lazy", "all")
FINISHES = ("auto", "ilp", "branch-and-price", "recursion", "none")
CONSISTENCIES = ("node", "prefix")
TAKES_ALL = ("auto", "highs")  # back ends that refuse no MIP
FEW = 1e11  # signatures times paths up to which all trees are enumerated before any LP; mostly far less work is done
TRYING_SECONDS, TRYING_SHARE = 10.0, 0.5  # limit for that: seconds, and share of the time left


@dataclass(frozen=True, slots=True)
class ColumnGeneration:
    """Trees by column generation over decision paths.

    Parameters
    ----------
    sampling : CartSampling, Splits, "class-changes" or "all", default=CartSampling()
        Which questions a branch may ask: those of CART trees grown on random samples of the rows; those sampled before;
        at every branch those between values of different classes; or all.
    pricing : {"exact", "heuristic", "milp"}, default="exact"
        How paths are found: by an exact search for every leaf; at random, as published for large tables, which proves
        nothing; or at random and then by MIPs, as published for small tables.
    rows : {"lazy", "all"}, default="lazy"
        Whether the constraints that each row of the table reaches one leaf are added when violated, or all at once.
    consistency : {"node", "prefix"}, default="node"
        Whether paths agree branch by branch, as published, or in all questions from the root on; the relaxation is
        then integral, but all paths are listed from the start.
    finish : {"auto", "ilp", "branch-and-price", "recursion", "none"}, default="auto"
        How a fractional relaxation becomes a tree: by the master with integer variables (``"ilp"``), by branching on
        the questions of branches, or not at all; the relaxation is then solved to optimality, even if the best tree is
        known before. ``"recursion"`` enumerates all trees of the sampled questions instead, without any LP; it takes no
        constraints and no limit on leaves. ``"auto"`` does so where it is a matter of seconds; else it solves the
        integer master, and if that proves nothing, it branches.
    smoothing : float, default=0.5
        Dual smoothing: share of the duals that gave the best bound, from 0 to less than 1.
    warm_start : {"cart", "search"} or None, default="cart"
        The tree to start from beside that of the first questions; it may ask questions that were not sampled.
    backend : {"auto", "highs", "cp-sat", "scip", "gurobi"}, default="highs"
        Solver of the integer master; HiGHS always solves the relaxations.
    seed : int, default=0
        Seed of random paths and of the back end, 0 or more. Sampled questions have their own seed, in ``sampling``.

    Examples
    --------
    >>> from exactree import ColumnGeneration, OptimalTreeClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> tree = OptimalTreeClassifier(max_depth=2, solver=ColumnGeneration(sampling="all")).fit(X, y)
    >>> tree.cost_, tree.status_
    (0.0, 'optimal')
    """

    name: ClassVar[str] = "column-generation"
    handles: ClassVar[Capabilities] = Capabilities(proves=True, constraints=True, tiny=32)

    sampling: Sampling = field(default_factory=CartSampling)
    pricing: str = "exact"
    rows: str = "lazy"
    consistency: str = "node"
    finish: str = "auto"
    smoothing: float = 0.5
    warm_start: str | None = "cart"
    backend: str = "highs"
    seed: int = 0

    def __post_init__(self) -> None:
        check_sampling(self.sampling)
        check_backend(self.backend)
        check_warm_start(self.warm_start)
        for name, known in (
            ("pricing", PRICINGS),
            ("rows", ROWS),
            ("consistency", CONSISTENCIES),
            ("finish", FINISHES),
        ):
            given = getattr(self, name)
            if not isinstance(given, str) or canonical(given, known) not in known:
                raise InputError(f"{name} must be one of {', '.join(known)}; got {given!r}.")
            object.__setattr__(self, name, canonical(given, known))
        if isinstance(self.smoothing, bool) or not isinstance(self.smoothing, Real) or not 0 <= self.smoothing < 1:
            raise InputError(f"smoothing must be a number from 0 to less than 1; got {self.smoothing!r}.")
        check_seed(self.seed)
        if (self.pricing, self.finish, self.consistency) == ("heuristic", "branch-and-price", "node"):
            raise InputError(
                "pricing='heuristic' finds paths at random, so no bound prunes a branch and finish='branch-and-price' "
                "would not end. Use pricing='exact', or finish='ilp' for the best of the paths found."
            )

    def solve(
        self, problem: Problem, budget: Budget, *, start: Graph | None = None, callback: Callback | None = None
    ) -> Solution:
        """Sample questions, generate paths, and build a tree from them."""
        depth = shape_of(problem)[0] if problem.data.columns else 0
        if depth == 0:
            return single_leaf_solution(problem)
        run = _Run(self, problem, RunState(problem, budget, callback), depth)
        found = run.end(run.status(start))
        found = replace(found, trace=(*run.trace, *run.last_moment()))
        bound = run.state.bound_over_all
        return found if bound is None else found.over_sample(run.sample, bound, budget.gap)


class _Run:
    """One run; when it is stopped, it returns what it has."""

    def __init__(self, options: ColumnGeneration, problem: Problem, state: RunState, depth: int) -> None:
        self.options, self.problem, self.state, self.depth = options, problem, state, min(depth, DEEPEST)
        self.cut = depth > DEEPEST  # whether deeper trees are requested than questions are sampled for
        self.counters: dict[str, float] = {}
        self.loop: GenerationLoop | None = None
        self.sample = sample_of(options.sampling, cut=self.cut)  # which trees are searched, if not all
        self.state.bound_over_all = unavoidable_cost(problem) if self.sample else None

    @property
    def trace(self) -> list[Round]:
        """All iterations so far."""
        return [] if self.loop is None else self.loop.trace

    def last_moment(self) -> list[Round]:
        """Where the run ended, if the final step improved on the last iteration."""
        state, last = self.state, self.trace[-1:]
        if not last or (state.cost, state.bound) == (last[0].best, last[0].proved):
            return []
        at = state.elapsed(), last[0].iteration, last[0].columns
        return [Round(*at, inf, -inf, state.cost, state.bound, is_root=False)]

    def status(self, start: Graph | None) -> Status:
        """Run, and return how it ended."""
        try:
            return self._run(start)
        except Exhausted as reason:
            return reason.status
        except KeyboardInterrupt:
            return Status.INTERRUPTED
        except NoFeasibleTree:
            advice = infeasibility_advice(self.problem)
            if not self.sample:
                raise Infeasible(f"No tree within the limits satisfies all constraints. {advice}") from None
            check_answers(self.problem, self.state.left())
            raise InputError(
                f"No tree within the limits{self.sample} satisfies all constraints; one with other questions may. "
                f"Sample more, as with sampling=CartSampling(root=100, other=100), or use another solver. {advice}"
            ) from None

    def _run(self, start: Graph | None) -> Status:
        state, options = self.state, self.options
        given = find_warm_start(self.problem, state.budget, options.warm_start, start)
        if state.bound_over_all is not None:
            state.bound_over_all = max(state.bound_over_all, given.search_bound)
        state.begin(None if given.nodes is None else to_graph(self.problem, given.nodes), 0.0)
        if given.interrupted or state.interrupted:
            return Status.INTERRUPTED
        state.check()
        table = self._table()
        if options.finish == "recursion":
            self._recursion(table, state.left())
            return Status.OPTIMAL if state.is_proved else Status.ENDED
        if options.finish == "auto" and not self._relaxation_requested and self._enumerated(table):
            return Status.OPTIMAL
        loop = self._new_loop(table)
        if given.nodes is not None and (chosen := table.choices_of(embedded(given.nodes, table.shape))) is not None:
            loop.master.add(table.paths_of(chosen)[0])
        if state.is_proved and not loop.solve_to_optimality:
            return Status.OPTIMAL
        relaxation = loop.solve_relaxation(Restriction.unrestricted(table), is_root=True)
        self._count(loop, relaxation)
        if state.model is None and relaxation.bound >= loop.master.cost_limit:
            raise NoFeasibleTree
        if not state.is_proved:
            self._finish(loop, relaxation)
        return Status.OPTIMAL if state.is_proved else Status.ENDED

    def _table(self) -> PathTable:
        state = self.state
        splits = splits_of(self.problem, self.depth, self.options.sampling, state)
        if self.sample:
            whole = holds_all(splits, self.problem.data)
            self.sample = sample_of(self.options.sampling, splits.shortage, cut=self.cut, whole=whole)
            state.bound_over_all = state.bound_over_all if self.sample else None
        if not isinstance(self.options.sampling, str):
            self.counters["sampled_trees"] = float(splits.trees)
        table = path_table(self.problem, self.depth, splits.nodes, state.check)
        self.counters |= {
            "sampling_seconds": state.elapsed(),
            "choices": float(table.n_choices),
            "signatures": float(table.n_signatures),
        }
        least = table.costs.offset + table.unavoidable + table.costs.leaf_price
        state.raise_bound(least, table.costs, sure=True)
        state.check()
        return table

    def _new_loop(self, table: PathTable) -> GenerationLoop:
        """The master with its first paths: those of the first question of every branch, CART's own if sampled."""
        options, prefix = self.options, self.options.consistency == "prefix"
        master = Master(table, prefix=prefix, check=self.state.check)
        pricing = NoPricing(table) if prefix else self._pricing(table)
        lazy = options.rows == "lazy"
        smoothing, seed = float(options.smoothing), int(options.seed)
        self.loop = GenerationLoop(table, master, pricing, self.state, lazy, smoothing, seed)
        self.loop.solve_to_optimality = options.finish == "none"
        self.loop.exact_bounds = prefix or options.pricing != "milp"
        first, allowed = table.paths_of(table.begin[:-1])
        if allowed:
            master.add(first)
            self.loop.offer(table.begin[:-1].astype(np.int64), None)
        if prefix:
            master.add(all_paths(table, self.state))
        elif not lazy:
            master.add_rows(np.arange(table.n_signatures))
        if options.backend not in TAKES_ALL and options.finish in (("auto", "ilp") if not table.is_free else ("ilp",)):
            # A back end that cannot take the integer master refuses it now, not after all the work.
            backend_for(build_integer_master(self.loop, first), options.backend)
        return self.loop

    def _pricing(self, table: PathTable) -> Pricing:
        if self.options.pricing == "exact":
            return ExactPricing(table, self.state)
        milp = MilpPricing(table, self.state) if self.options.pricing == "milp" else None
        return RandomPricing(table, np.random.default_rng(self.options.seed), milp)

    @property
    def _relaxation_requested(self) -> bool:
        """Whether pricing or consistency were set by the user, who then wants the relaxation solved."""
        return self.options.pricing != "exact" or self.options.consistency != "node"

    def _enumerated(self, table: PathTable) -> bool:
        """Enumerate all trees if they are few, for a part of the time; whether that proves the best."""
        everything = np.ones(table.n_choices, dtype=np.bool_)
        if not table.is_free or enumeration_work(table, everything) > FEW:
            return False
        left = self.state.left()
        try:
            self._recursion(table, TRYING_SECONDS if left is None else min(TRYING_SECONDS, TRYING_SHARE * left))
        except Exhausted as reason:
            if reason.status is not Status.TIME_LIMIT or left == 0.0:
                raise
        return self.state.is_proved

    def _recursion(self, table: PathTable, seconds: float | None) -> None:
        """Enumerate all trees of the given questions."""
        if not table.is_free:
            raise InputError(
                "ColumnGeneration(finish='recursion') takes no constraints and no limit on leaves; "
                "use finish='branch-and-price'."
            )
        self.state.report_details("enumerating all trees of these questions", "enumeration")
        found = table.native.best_tree(
            cost=table.cost,
            open=np.ones(table.n_choices, dtype=np.bool_),
            price=table.costs.leaf_price,
            seconds=seconds,
        )
        self.counters["visits"] = float(found.visits)
        cost = found.cost - float(table.base.sum())  # as the sum of its paths
        if np.isfinite(cost):
            offer_tree(table, self.state, np.array(found.choice, dtype=np.int64), None, cost)
        if found.ended is not None:
            raise Exhausted(Status(found.ended))
        self.state.raise_bound(table.fixed + cost, table.costs, noise=SUMMED, sure=True)

    def _count(self, loop: GenerationLoop, relaxation: Relaxation) -> None:
        master, costs = loop.master, loop.table.costs
        rho, labels = master.rho(relaxation.solution), loop.label_shares(relaxation.solution)
        shares = np.concatenate([rho, labels.ravel()])
        self.counters |= {
            "iterations": float(loop.iterations),
            "columns": float(master.paths.n),
            "rows": float(len(master.signatures)),
            "relaxation": costs.to_cost(loop.table.fixed + relaxation.solution.objective),
            "relaxation_solved": float(relaxation.solved),
            "relaxation_whole": float((np.abs(shares - np.rint(shares)) < FEASIBILITY).all()),
            "relaxation_seconds": self.state.elapsed(),
        }

    def _finish(self, loop: GenerationLoop, relaxation: Relaxation) -> None:
        finish = self.options.finish
        if finish == "auto" and self._relaxation_requested and self._enumerated(loop.table):
            return
        if finish in ("auto", "ilp"):
            briefly = finish == "auto" and relaxation.solved  # then branching comes after it
            self.counters |= solve_integer_master(loop, relaxation, self.options.backend, briefly=briefly)
        left_open = finish == "auto" and relaxation.solved and not self.state.is_proved
        if finish == "branch-and-price" or left_open:
            self.counters |= branch_and_price(loop, relaxation)
        self.counters |= {"iterations": float(loop.iterations), "columns": float(loop.master.paths.n)}

    def end(self, status: Status) -> Solution:
        """Return what was found."""
        if self.state.model is None and status is Status.ENDED:
            raise InputError(
                "Column generation found no tree that satisfies all constraints, but there may be one. "
                "Use finish='branch-and-price' with pricing='exact', sample more questions, or allow more."
            )
        return self.state.end(status, self.counters | self._so_far())

    def _so_far(self) -> dict[str, float]:
        """Sizes of a run, also of one that was stopped early."""
        if self.loop is None:
            return {"iterations": 0.0, "columns": 0.0}
        sizes = {"iterations": float(self.loop.iterations), "columns": float(self.loop.master.paths.n)}
        of_all = [now.relaxed for now in self.trace if now.is_root]
        return sizes | ({"relaxation": of_all[-1]} if of_all else {})
