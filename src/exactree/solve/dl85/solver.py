"""DL8 and DL8.5 as published: dynamic programming and branch and bound over itemsets.

Aglin, Nijssen and Schaus, "Learning Optimal Decision Trees Using Caching Branch-and-Bound Search", AAAI 2020:
Algorithm 1 is DL8 (first by Nijssen and Fromont, KDD 2007), Algorithm 2 is DL8.5. One native search runs both.

===============  ==================  =================================================================
in the paper     in code             meaning
===============  ==================  =================================================================
item             question and side   a question with one of its two answers
I                itemset             the questions and answers on the path to a node, in any order
cover(I)         rows                the rows that give all these answers, a bit set
leaf_error(I)    leaf                cost of the cover as a single leaf
init_ub, ub      most, limit         upper bound
NO_TREE          kNoCost             no tree within the bound; cached with that bound
minsup           min_support         least number of rows of a leaf
d.o., asc, desc  order               "data", "gain-ascending", "gain"
n.p.s.           cache_partial       False: only itemsets with a tree are cached
===============  ==================  =================================================================

A proof says: no tree within the limits, with at least ``min_support`` rows per leaf, costs less. Until then the bound
is 0, so a requested gap is reached with the proof only.

Differences to the pseudo-code, always with the same trees or better:

- Algorithm 2 never considers a leaf where a question could be asked. Here the leaf is tried last, so that it is found
  where no split is allowed or none is worth the price of a leaf (``ccp_alpha``).
- When time is up, Algorithm 2 takes a leaf for every itemset not yet visited; here results that are in the cache are
  still used. DL8 ends in the same way.
- At the last level, where both sides of every question are leaves, questions are tried in the order of the data.
- The cache is bounded by the memory limit: a full one evicts entries, which costs time, never exactness.

Unlike :class:`~exactree.solve.Search`, costs that no tree can avoid (of equal rows with different labels) are left in
the data, since the published algorithms do not remove them.

Counters: ``visits`` are calls of the recursion, ``cache_hits`` those found in the cache, ``cache_size`` the
itemsets in it (leaves by depth or purity never are). With ``count_itemsets=True`` there is also ``itemsets``, the
different itemsets visited. On the paper's example of 11 rows (maximum depth 3, order of the data) these are 17 for
DL8.5, as in the paper. For DL8 they are 26: the paper's 27 is the whole lattice of Figure 2, with the itemset {a, b, c}
that no row has and that, as the paper says, DL8 does not consider.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from exactree import kernel
from exactree.arrays import Ints
from exactree.errors import InputError
from exactree.model import Graph
from exactree.names import canonical
from exactree.problem import Problem
from exactree.solve.callback import memory_for, native_callback
from exactree.solve.gains import Gains, gains_of, group_costs, shape_of
from exactree.solve.interface import Budget, Callback, Capabilities, Solution, Status
from exactree.solve.trees.ranked_tree import RankedNode, from_graph, to_graph

# A bit set per question: the largest set in the paper (spambase, Table 3) has 8006.
HANDLES = Capabilities(proves=True, most_questions=20_000, leaf_limit=False)

ORDERS = ("data", "gain", "gain-ascending")


@dataclass(frozen=True, slots=True)
class DL8:
    """Dynamic programming over itemsets (Nijssen and Fromont 2007, 2010): every itemset is solved once.

    Parameters
    ----------
    min_support : int, default=1
        Least number of rows of a leaf; ``min_samples_leaf`` applies as well.
    count_itemsets : bool, default=False
        Whether to count the different itemsets visited; takes memory for each of them.

    Examples
    --------
    >>> from exactree import DL8, OptimalTreeClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> OptimalTreeClassifier(max_depth=2, solver=DL8()).fit(X, y).solution_.counters["cache_size"]
    5
    """

    name: ClassVar[str] = "dl8"
    handles: ClassVar[Capabilities] = HANDLES

    min_support: int = 1
    count_itemsets: bool = False

    def __post_init__(self) -> None:
        _check_support(self.min_support)

    def solve(
        self, problem: Problem, budget: Budget, *, start: Graph | None = None, callback: Callback | None = None
    ) -> Solution:
        """Run Algorithm 1; a tree to start from is returned if nothing better is found in time."""
        return _run(problem, budget, start, callback, DL85("data", True, self.min_support, self.count_itemsets), False)


@dataclass(frozen=True, slots=True)
class DL85:
    """Caching branch and bound over itemsets (Aglin, Nijssen and Schaus 2020).

    Parameters
    ----------
    order : {"data", "gain", "gain-ascending"}, default="gain"
        Order of questions: as in the data, by decreasing or by increasing information gain.
    cache_partial : bool, default=True
        Whether to cache that an itemset has no tree within its bound.
    min_support : int, default=1
        Least number of rows of a leaf; ``min_samples_leaf`` applies as well.
    count_itemsets : bool, default=False
        Whether to count the different itemsets visited; takes memory for each of them.

    Examples
    --------
    >>> from exactree import DL85, OptimalTreeClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> OptimalTreeClassifier(max_depth=2, solver=DL85(order="data")).fit(X, y).cost_
    0.0
    """

    name: ClassVar[str] = "dl85"
    handles: ClassVar[Capabilities] = HANDLES

    order: str = "gain"
    cache_partial: bool = True
    min_support: int = 1
    count_itemsets: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", canonical(self.order, ORDERS))
        if self.order not in ORDERS:
            raise InputError(f"Unknown order {self.order!r}; choose one of {', '.join(ORDERS)}.")
        _check_support(self.min_support)

    def solve(
        self, problem: Problem, budget: Budget, *, start: Graph | None = None, callback: Callback | None = None
    ) -> Solution:
        """Run Algorithm 2; a tree to start from gives the first upper bound."""
        return _run(problem, budget, start, callback, self, True)


def _run(
    problem: Problem, budget: Budget, start: Graph | None, callback: Callback | None, options: DL85, bounds: bool
) -> Solution:
    gains = gains_of(problem)
    outcome = kernel.dl85(
        gains.ranks,
        gains.labels,
        gains.gains,
        _total_bases(problem, gains),
        gains.sizes,
        n_classes=problem.data.n_classes,
        max_depth=shape_of(problem)[0],
        min_rows=max(options.min_support, problem.limits.min_samples_leaf),
        min_weight=gains.min_weight,
        leaf_price=gains.price,
        bounds=bounds,
        cache_partial=options.cache_partial,
        order=options.order,
        count_itemsets=options.count_itemsets,
        seconds=budget.seconds,
        memory=memory_for(budget.memory),
        start=None if start is None else from_graph(problem, start),
        callback=native_callback(callback, lambda cost: cost / gains.scale),
    )
    return _solution(problem, outcome, gains.scale)


def _solution(problem: Problem, outcome: kernel.Outcome, scale: float) -> Solution:
    history = outcome.history
    history[:, 1:] /= scale
    return Solution.checked(
        problem,
        to_graph(problem, [RankedNode(*node) for node in outcome.nodes.tolist()]),
        status=Status(outcome.status),
        claimed=outcome.cost / scale,
        bound=outcome.bound / scale,
        history=history,
        counters=outcome.counters,
    )


def _check_support(min_support: int) -> None:
    if isinstance(min_support, bool) or not isinstance(min_support, int) or min_support < 1:
        raise InputError(f"min_support must be an integer number of rows, 1 or more; got {min_support!r}.")


def _total_bases(problem: Problem, gains: Gains) -> Ints:
    """Cost of each group's most expensive label, (n_rows,), with the unavoidable part added back."""
    bases = gains.bases.copy()
    first = gains.sizes[:, 0] > 0  # of its group; groups are in order
    bases[first] += np.rint(group_costs(problem) * gains.scale).astype(np.int64).min(axis=1)
    return bases
