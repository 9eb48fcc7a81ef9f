"""The end of column generation as published: the master program over whole shares.

The paper solves it over the paths it has, which proves nothing. If the relaxation is solved, more can be done: a tree
that is better than the best known consists of paths whose reduced costs are below the gap between that tree and the
bound. Where these are few, all of them are put into the program, and its answer is a proof.
"""

from dataclasses import replace
from math import inf

import numpy as np

from exactree.arrays import Floats
from exactree.mip import Answer, Kind, Mip, MipStatus, Program, Seen, backend_for
from exactree.solve.column_generation.loop import ENDINGS, Generation, NoTree, Relaxed
from exactree.solve.column_generation.paths import Paths
from exactree.solve.column_generation.pricing import ExactPricing, Field
from exactree.solve.run_state import Exhausted
from exactree.tolerances import FEASIBILITY

MOST_ENUMERATED = 1000  # paths of a leaf that a better tree may consist of
BRIEF_SECONDS, BRIEF_SHARE = 60.0, 1 / 3  # for a program after which branching comes: without a limit; of the time left


def solve_program(run: Generation, relaxed: Relaxed, backend: str, *, briefly: bool = False) -> dict[str, float]:
    """Solve the master over whole shares; return its sizes. Raise ``Exhausted`` if it had to stop.

    If it is to be solved ``briefly``, it has a part of the time only: on 9 rows HiGHS was seen to find no proof in 8 s
    where branching takes 1 s.
    """
    enumerated = enumerated_paths(run, relaxed)
    complete = enumerated is not None
    paths = run.master.paths if enumerated is None else enumerated
    program, state, costs = whole_program(run, paths), run.state, run.table.costs
    # The program knows nothing of what is fixed.
    effort = state.effort(costs, run.seed)
    effort = replace(effort, cutoff=effort.cutoff - run.table.fixed)
    if briefly:
        effort = replace(effort, seconds=BRIEF_SECONDS if effort.seconds is None else BRIEF_SHARE * effort.seconds)

    def tell(seen: Seen) -> None:
        state.tell(Seen(seen.seconds, inf, run.table.fixed + seen.bound if complete else -inf), costs)

    answer = backend_for(program, backend).solve(program, effort, tell)
    _take(run, paths, program, answer)
    if complete and answer.status is MipStatus.INFEASIBLE:
        if state.model is None:
            raise NoTree
        state.raise_bound(state.cost * costs.scale, costs)  # what is known is the best
    elif complete and np.isfinite(answer.bound):
        state.raise_bound(run.table.fixed + answer.bound, costs)
    only_brief = briefly and answer.status is MipStatus.TIME_LIMIT and state.left() != 0.0
    if answer.status in ENDINGS and not only_brief:
        raise Exhausted(ENDINGS[answer.status])
    return {"program_columns": float(paths.n), "program_complete": float(complete)}


def enumerated_paths(run: Generation, relaxed: Relaxed) -> Paths | None:
    """Every path that a better tree may use, or ``None`` if they are too many or not known."""
    table, master = run.table, run.master
    if master.prefix:
        return master.paths
    if not relaxed.solved:
        return None
    gap = min(run.state.cost * table.costs.scale - run.table.fixed, 2 * master.dearest) - relaxed.by_duals
    search = ExactPricing(table, run.state, MOST_ENUMERATED, gap + FEASIBILITY * max(1.0, abs(gap)))
    parts = []
    for field in Field.by_label(table):
        priced = search.price(relaxed.duals, field, np.full(table.shape.n_leaves, inf))
        if not priced.all:
            return None
        parts.append(priced.paths)
    return Paths.joined(parts)


def whole_program(run: Generation, paths: Paths) -> Program:
    """The master program over some paths, with the rows (3) that it has, each choice taken or not."""
    table, master, mip = run.table, run.master, Mip(run.state.check)
    n_leaves, depth = table.shape.n_leaves, table.shape.depth
    levels = np.array([table.shape.level(j) for j in range(table.shape.n_branches)])
    priority = 100 - np.repeat(levels, np.diff(table.begin))
    rho = mip.columns("rho", table.n_choices, kind=Kind.INTEGER, high=1, priority=priority)
    # Where all choices are whole, so are paths; but not their labels, if these do not follow from what costs least.
    kind = Kind.IMPLIED if table.labels_follow else Kind.INTEGER
    x = mip.columns("path", paths.n, kind=kind, high=1, cost=paths.cost)
    mip.sparse_family("one_path", n_leaves, [paths.leaf], [x], [np.ones(paths.n)], at_least=1, at_most=1)
    above = table.branches_above(np.arange(n_leaves, dtype=np.int32))
    counts = np.diff(table.begin)[above]
    first = np.concatenate([[0], np.cumsum(counts.ravel())])[:-1].reshape(counts.shape)
    links = first[paths.leaf] + paths.choices - table.begin[above[paths.leaf]]
    taken = np.concatenate([np.arange(table.begin[j], table.begin[j + 1]) for j in above.ravel()])
    n_links = len(taken)
    mip.sparse_family(
        "consistent",
        n_links,
        [links.ravel(), np.arange(n_links)],
        [np.repeat(x, depth), rho[taken]],
        [np.ones(paths.n * depth), -np.ones(n_links)],
        at_least=0,
        at_most=0,
    )
    if len(table.at_most):
        sides, at_most = table.whole_sides(paths)
        path, side = np.nonzero(sides)
        mip.sparse_family("side", len(at_most), [side], [x[path]], [sides[path, side]], at_most=at_most)
    if len(master.signatures):
        row, path = np.nonzero(table.followed_by(paths, master.signatures))
        mip.sparse_family("one_leaf", len(master.signatures), [row], [x[path]], [np.ones(len(row))], at_most=1)
    return mip.program()


def _take(run: Generation, paths: Paths, program: Program, answer: Answer) -> None:
    """Offer the tree that was found."""
    if answer.values is None:
        return
    table = run.table
    rho: Floats = answer.values[program.blocks["rho"]]
    begin = table.begin
    choice = np.array([begin[j] + rho[begin[j] : begin[j + 1]].argmax() for j in range(table.shape.n_branches)])
    label = None
    if not table.labels_follow:
        taken = np.flatnonzero(answer.values[program.blocks["path"]] > 0.5)
        label = np.zeros(table.shape.n_leaves, dtype=np.int32)
        label[paths.leaf[taken]] = paths.label[taken]
    run.offer(choice, label)
