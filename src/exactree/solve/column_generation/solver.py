"""CGH: trees by column generation over decision paths (Firat, Crognier, Gabor, Hurkens and Zhang 2020).

The restricted master program is in ``cg_master``, pricing in ``cg_pricing``, the loop in ``cg_generation``; the end is
the program over whole shares (``cg_program``), branching (``cg_branching``), or plain recursion.

What is proved, where anything is: no tree costs less whose every branch asks one of the questions that were sampled for
its place. With ``sampling="all"`` these are all questions, and the proof is about all trees.

Where this differs from the paper: cost is minimised; of the paths with the same questions only that with the cheapest
label is kept, unless constraints on the answers make others matter; rows of the table that no sampled question parts
are one; rows (3) are inequalities and come when they are broken; paths may ask the same question twice. The paper's
final program proves nothing; here it does where all paths that a better tree may use are few enough.
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
from exactree.problem import Problem
from exactree.solve.column_generation.branching import branch_and_price
from exactree.solve.column_generation.integer_master import solve_program, whole_program
from exactree.solve.column_generation.loop import SUMMED, Generation, NoTree, Relaxed, offer, work_of_all_trees
from exactree.solve.column_generation.master import Master
from exactree.solve.column_generation.paths import PathTable, path_table
from exactree.solve.column_generation.pricing import ExactPricing, Field, NoPricing, Pricing, all_paths
from exactree.solve.column_generation.published_pricing import MilpPricing, RandomPricing
from exactree.solve.column_generation.splits import Sampling, check_sampling, scope_of, splits_of
from exactree.solve.gains import shape_of
from exactree.solve.interface import Budget, Callback, Capabilities, Round, Solution, Status
from exactree.solve.mip_runs.outcome import advice, without_questions
from exactree.solve.mip_runs.warm_starts import check_warm_start, start_of
from exactree.solve.run_state import Exhausted, RunState
from exactree.solve.trees.complete_tree import embedded
from exactree.solve.trees.ranked_tree import to_graph
from exactree.tolerances import FEASIBILITY

PRICINGS = ("exact", "heuristic", "milp")
ROWS = ("lazy", "all")
FINISHES = ("auto", "ilp", "branch-and-price", "recursion", "none")
CONSISTENCIES = ("node", "prefix")
TAKES_ALL = ("auto", "highs")  # back ends that refuse no program
FEW = 1e11  # signatures times paths up to which all trees are tried before any program; mostly far less is done
TRYING_SECONDS, TRYING_SHARE = 10.0, 0.5  # for that at most, and of the time that is left


@dataclass(frozen=True, slots=True)
class ColumnGeneration:
    """Trees by column generation over decision paths.

    Parameters
    ----------
    sampling : CartSampling, Splits, "class-changes" or "all", default=CartSampling()
        Which questions a branch may ask: those that CART asks there on most of the rows, over and over; those that
        were sampled before; at every branch those between values of different classes; or all.
    pricing : {"exact", "heuristic", "milp"}, default="exact"
        How paths are found: by a search that finds the best for every leaf; by chance, as published for large tables,
        which proves nothing; or by chance and then by programs, as published for small ones.
    rows : {"lazy", "all"}, default="lazy"
        Whether the rows that hold each row of the table to one leaf come when they are broken, or all at once.
    consistency : {"node", "prefix"}, default="node"
        Whether paths agree branch by branch, as published, or in all questions from the root on; the relaxation is
        then whole, but all paths are written down at once.
    finish : {"auto", "ilp", "branch-and-price", "recursion", "none"}, default="auto"
        How a tree is made of a relaxation that is not whole: by the program over whole shares (``"ilp"``), by branching
        on what branches ask, or not at all; the relaxation is then solved to its end, even if the best tree is known
        before. ``"recursion"`` tries all trees of the sampled questions instead, without any program; it takes no
        constraints and no limit on leaves. ``"auto"`` does so where it is a matter of seconds; else it asks the
        program, and if that proves nothing, it branches.
    smoothing : float, default=0.5
        How far prices lean towards those that gave the best bound, from 0 to less than 1.
    warm_start : {"cart", "search"} or None, default="cart"
        The tree to start from beside that of the first questions; it may ask what was not sampled.
    backend : {"auto", "highs", "cp-sat", "scip", "gurobi"}, default="highs"
        Who solves the program over whole shares; the relaxations are always HiGHS's.
    seed : int, default=0
        For random paths and for the back end, 0 or more. Sampled questions have a seed of their own, in ``sampling``.

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
            if not isinstance(given, str) or given not in known:
                raise InputError(f"{name} must be one of {', '.join(known)}; got {given!r}.")
        if isinstance(self.smoothing, bool) or not isinstance(self.smoothing, Real) or not 0 <= self.smoothing < 1:
            raise InputError(f"smoothing must be a number from 0 to less than 1; got {self.smoothing!r}.")
        check_seed(self.seed)
        if (self.pricing, self.finish, self.consistency) == ("heuristic", "branch-and-price", "node"):
            raise InputError(
                "pricing='heuristic' finds paths by chance, so no bound closes a branch and finish='branch-and-price' "
                "would not end. Use pricing='exact', or finish='ilp' for the best of the paths found."
            )

    def solve(
        self, problem: Problem, budget: Budget, *, start: Graph | None = None, callback: Callback | None = None
    ) -> Solution:
        """Sample questions, generate paths, and make a tree of them."""
        depth = shape_of(problem)[0] if problem.data.columns else 0
        if depth == 0:
            return without_questions(problem)
        run = _Run(self, problem, RunState(problem, budget, callback), depth)
        found = run.end(run.status(start))
        scope = scope_of(self.sampling, found.scope, run.shortage, cut=run.cut)
        return replace(found, scope=scope, trace=(*run.trace, *run.last_moment()))


class _Run:
    """One run: what there is of it when it is stopped is what it returns."""

    def __init__(self, options: ColumnGeneration, problem: Problem, state: RunState, depth: int) -> None:
        self.options, self.problem, self.state, self.depth = options, problem, state, min(depth, DEEPEST)
        self.cut = depth > DEEPEST  # whether deeper trees are asked for than there are lists of questions
        self.counters: dict[str, float] = {}
        self.generation: Generation | None = None
        self.shortage = ""  # of sampled trees, in words

    @property
    def trace(self) -> list[Round]:
        """What happened in each iteration so far."""
        return [] if self.generation is None else self.generation.trace

    def last_moment(self) -> list[Round]:
        """Where the run ended, if the program or the like at the end got farther than the last iteration."""
        state, last = self.state, self.trace[-1:]
        if not last or (state.cost, state.bound) == (last[0].best, last[0].proved):
            return []
        at = state.elapsed(), last[0].iteration, last[0].columns
        return [Round(*at, inf, -inf, state.cost, state.bound, is_root=False)]

    def status(self, start: Graph | None) -> Status:
        """Run to the end, and say how it ended."""
        try:
            return self._run(start)
        except Exhausted as reason:
            return reason.status
        except KeyboardInterrupt:
            return Status.INTERRUPTED
        except NoTree:
            scope = scope_of(self.options.sampling, shortage=self.shortage, cut=self.cut)
            more = " Other questions may help: sampling=CartSampling(root=100, other=100)." if scope else ""
            raise Infeasible(
                f"No tree within the limits{scope} satisfies all constraints. {advice(self.problem)}{more}"
            ) from None

    def _run(self, start: Graph | None) -> Status:
        state, options = self.state, self.options
        given = start_of(self.problem, state.budget, options.warm_start, start)
        state.begin(None if given.nodes is None else to_graph(self.problem, given.nodes), 0.0)
        if given.interrupted or state.interrupted:
            return Status.INTERRUPTED
        state.check()
        table = self._table()
        if options.finish == "recursion":
            self._recursion(table, state.left())
            return Status.OPTIMAL if state.is_proved else Status.ENDED
        if options.finish == "auto" and not self._as_asked and self._tries_all(table):
            return Status.OPTIMAL
        generation = self._generation(table)
        if given.nodes is not None and (chosen := table.choices_of(embedded(given.nodes, table.shape))) is not None:
            generation.master.add(table.paths_of(chosen)[0])
        if state.is_proved and not generation.to_the_end:
            return Status.OPTIMAL
        relaxed = generation.relax(Field.of(table), is_root=True)
        self._count(generation, relaxed)
        if state.model is None and relaxed.bound >= generation.master.dearest:
            raise NoTree
        if not state.is_proved:
            self._finish(generation, relaxed)
        return Status.OPTIMAL if state.is_proved else Status.ENDED

    def _table(self) -> PathTable:
        state = self.state
        splits = splits_of(self.problem, self.depth, self.options.sampling, state)
        self.shortage = splits.shortage
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

    def _generation(self, table: PathTable) -> Generation:
        """The master with its first paths: those of the first questions of every branch, CART's own if sampled."""
        options, prefix = self.options, self.options.consistency == "prefix"
        master = Master(table, prefix=prefix, check=self.state.check)
        pricing = NoPricing(table) if prefix else self._pricing(table)
        lazy = options.rows == "lazy"
        smoothing, seed = float(options.smoothing), int(options.seed)
        self.generation = Generation(table, master, pricing, self.state, lazy, smoothing, seed)
        self.generation.to_the_end = options.finish == "none"
        self.generation.sure = prefix or options.pricing != "milp"
        first, allowed = table.paths_of(table.begin[:-1])
        if allowed:
            master.add(first)
            self.generation.offer(table.begin[:-1].astype(np.int64), None)
        if prefix:
            master.add(all_paths(table, self.state))
        elif not lazy:
            master.add_rows(np.arange(table.n_signatures))
        if options.backend not in TAKES_ALL and options.finish in (("auto", "ilp") if not table.is_free else ("ilp",)):
            # A back end that cannot take the program refuses it now, not when the work for it is done.
            backend_for(whole_program(self.generation, first), options.backend)
        return self.generation

    def _pricing(self, table: PathTable) -> Pricing:
        if self.options.pricing == "exact":
            return ExactPricing(table, self.state)
        programs = MilpPricing(table, self.state) if self.options.pricing == "milp" else None
        return RandomPricing(table, np.random.default_rng(self.options.seed), programs)

    @property
    def _as_asked(self) -> bool:
        """Whether a pricing or consistency was asked for; who does so wants to see the relaxation."""
        return self.options.pricing != "exact" or self.options.consistency != "node"

    def _tries_all(self, table: PathTable) -> bool:
        """Try all trees if they are few, for a part of the time; whether the best is proved by that."""
        everything = np.ones(table.n_choices, dtype=np.bool_)
        if not table.is_free or work_of_all_trees(table, everything) > FEW:
            return False
        left = self.state.left()
        try:
            self._recursion(table, TRYING_SECONDS if left is None else min(TRYING_SECONDS, TRYING_SHARE * left))
        except Exhausted as reason:
            if reason.status is not Status.TIME_LIMIT or left == 0.0:
                raise
        return self.state.is_proved

    def _recursion(self, table: PathTable, seconds: float | None) -> None:
        """Try all trees of the questions at hand."""
        if not table.is_free:
            raise InputError(
                "ColumnGeneration(finish='recursion') takes no constraints and no limit on leaves; "
                "use finish='branch-and-price'."
            )
        self.state.say("trying all trees of these questions")
        found = table.native.best_tree(
            cost=table.cost,
            open=np.ones(table.n_choices, dtype=np.bool_),
            price=table.costs.leaf_price,
            seconds=seconds,
        )
        self.counters["visits"] = float(found.visits)
        cost = found.cost - float(table.base.sum())  # as the sum of its paths
        if np.isfinite(cost):
            offer(table, self.state, np.array(found.choice, dtype=np.int64), None, cost)
        if found.ended is not None:
            raise Exhausted(Status(found.ended))
        self.state.raise_bound(table.fixed + cost, table.costs, noise=SUMMED, sure=True)

    def _count(self, generation: Generation, relaxed: Relaxed) -> None:
        master, costs = generation.master, generation.table.costs
        rho, says = master.rho(relaxed.vertex), generation.says(relaxed.vertex)
        parts = np.concatenate([rho, says.ravel()])
        self.counters |= {
            "iterations": float(generation.iterations),
            "columns": float(master.paths.n),
            "rows": float(len(master.signatures)),
            "relaxation": costs.to_cost(generation.table.fixed + relaxed.vertex.objective),
            "relaxation_solved": float(relaxed.solved),
            "relaxation_whole": float((np.abs(parts - np.rint(parts)) < FEASIBILITY).all()),
            "relaxation_seconds": self.state.elapsed(),
        }

    def _finish(self, generation: Generation, relaxed: Relaxed) -> None:
        finish = self.options.finish
        if finish == "auto" and self._as_asked and self._tries_all(generation.table):
            return
        if finish in ("auto", "ilp"):
            briefly = finish == "auto" and relaxed.solved  # then branching comes after it
            self.counters |= solve_program(generation, relaxed, self.options.backend, briefly=briefly)
        left_open = finish == "auto" and relaxed.solved and not self.state.is_proved
        if finish == "branch-and-price" or left_open:
            self.counters |= branch_and_price(generation, relaxed)
        self.counters |= {"iterations": float(generation.iterations), "columns": float(generation.master.paths.n)}

    def end(self, status: Status) -> Solution:
        """Return what was found."""
        if self.state.model is None and status is Status.ENDED:
            raise InputError(
                "Column generation came upon no tree that satisfies all constraints, but there may be one. "
                "Use finish='branch-and-price' with pricing='exact', sample more questions, or allow more."
            )
        return self.state.end(status, self.counters | self._so_far())

    def _so_far(self) -> dict[str, float]:
        """Sizes of a run, also of one that was stopped before they were counted."""
        if self.generation is None:
            return {"iterations": 0.0, "columns": 0.0}
        sizes = {"iterations": float(self.generation.iterations), "columns": float(self.generation.master.paths.n)}
        of_all = [now.relaxed for now in self.trace if now.is_root]
        return sizes | ({"relaxation": of_all[-1]} if of_all else {})
