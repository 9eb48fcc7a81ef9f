"""The final step of column generation as published: the master with integer variables.

The paper solves it over the paths generated so far, which proves nothing. If the relaxation is solved to optimality,
reduced-cost fixing gives more: a tree better than the incumbent consists of paths whose reduced costs are below the gap
between incumbent and bound. Where these are few, all of them are enumerated, and the optimum of the MIP is a proof.
"""

from dataclasses import replace
from math import inf

import numpy as np

from exactree.arrays import Floats
from exactree.mip import Kind, Mip, MipProgress, MipResult, MipStatus, Program, backend_for
from exactree.solve.column_generation.loop import STOP_STATUSES, GenerationLoop, NoFeasibleTree, Relaxation
from exactree.solve.column_generation.master import MasterRows
from exactree.solve.column_generation.paths import Paths
from exactree.solve.column_generation.pricing import ExactPricing, Restriction
from exactree.solve.run_state import Exhausted
from exactree.tolerances import FEASIBILITY

MOST_ENUMERATED = 1000  # paths of a leaf that a better tree may consist of
BRIEF_SECONDS, BRIEF_SHARE = 60.0, 1 / 3  # for a MIP before branching: without a time limit; of the time left


def solve_integer_master(
    loop: GenerationLoop, relaxation: Relaxation, backend: str, *, briefly: bool = False
) -> dict[str, float]:
    """Solve the integer master; return its sizes. Raise ``Exhausted`` if it had to stop.

    ``briefly`` limits it to a part of the time: on 9 rows HiGHS found no proof in 8 s where branching takes 1 s.
    """
    enumerated = enumerated_paths(loop, relaxation)
    complete = enumerated is not None
    paths = loop.master.paths if enumerated is None else enumerated
    program, state, costs = build_integer_master(loop, paths), loop.state, loop.table.costs
    # The MIP's objective is without the fixed cost.
    options = state.mip_options(costs, loop.seed)
    options = replace(options, cutoff=options.cutoff - loop.table.fixed)
    if briefly:
        options = replace(options, seconds=BRIEF_SECONDS if options.seconds is None else BRIEF_SHARE * options.seconds)

    def report(now: MipProgress) -> None:
        state.update(MipProgress(now.seconds, inf, loop.table.fixed + now.bound if complete else -inf), costs)

    state.stage = "MIP"
    result = backend_for(program, backend).solve(program, options, report)
    _offer_tree(loop, paths, program, result)
    if complete and result.status is MipStatus.INFEASIBLE:
        if state.model is None:
            raise NoFeasibleTree
        state.raise_bound(state.cost * costs.scale, costs)  # the incumbent is optimal
    elif complete and np.isfinite(result.bound):
        state.raise_bound(loop.table.fixed + result.bound, costs)
    only_brief = briefly and result.status is MipStatus.TIME_LIMIT and state.left() != 0.0
    if result.status in STOP_STATUSES and not only_brief:
        raise Exhausted(STOP_STATUSES[result.status])
    return {"program_columns": float(paths.n), "program_complete": float(complete)}


def enumerated_paths(loop: GenerationLoop, relaxation: Relaxation) -> Paths | None:
    """Every path that a better tree may use, or ``None`` if they are too many or not known."""
    table, master = loop.table, loop.master
    if master.prefix:
        return master.paths
    if not relaxation.solved:
        return None
    gap = min(loop.state.cost * table.costs.scale - table.fixed, 2 * master.cost_limit) - relaxation.dual_bound
    pricing = ExactPricing(table, loop.state, MOST_ENUMERATED, gap + FEASIBILITY * max(1.0, abs(gap)))
    found = []
    for restriction in Restriction.one_per_label(table):
        priced = pricing.price(relaxation.duals, restriction, np.full(table.shape.n_leaves, inf))
        if not priced.complete:
            return None
        found.append(priced.paths)
    return Paths.joined(found)


def build_integer_master(loop: GenerationLoop, paths: Paths) -> Program:
    """The master over some paths with integer choices, with the rows (3) that the LP has."""
    table, master, mip = loop.table, loop.master, Mip(loop.state.check, loop.state.check_size)
    levels = np.array([table.shape.level(j) for j in range(table.shape.n_branches)])
    priority = 100 - np.repeat(levels, np.diff(table.begin))
    rho = mip.columns("rho", table.n_choices, kind=Kind.INTEGER, high=1, priority=priority)
    # Integer choices imply integer paths; but not labels, where these are not always the cheapest.
    kind = Kind.IMPLIED if table.labels_are_cheapest else Kind.INTEGER
    x = mip.columns("path", paths.n, kind=kind, high=1, cost=paths.cost)
    MasterRows(table).write(mip, rho, paths, x, integral=True)
    if len(master.signatures):
        row, path = np.nonzero(table.incidence(paths, master.signatures))
        mip.sparse_family("one_leaf", len(master.signatures), [row], [x[path]], [np.ones(len(row))], at_most=1)
    return mip.program()


def _offer_tree(loop: GenerationLoop, paths: Paths, program: Program, result: MipResult) -> None:
    """Offer the tree of the MIP's solution."""
    if result.values is None:
        return
    table = loop.table
    rho: Floats = result.values[program.blocks["rho"]]
    begin = table.begin
    choice = np.array([begin[j] + rho[begin[j] : begin[j + 1]].argmax() for j in range(table.shape.n_branches)])
    label = None
    if not table.labels_are_cheapest:
        chosen = np.flatnonzero(result.values[program.blocks["path"]] > 0.5)
        label = np.zeros(table.shape.n_leaves, dtype=np.int32)
        label[paths.leaf[chosen]] = paths.label[chosen]
    loop.offer(choice, label)
