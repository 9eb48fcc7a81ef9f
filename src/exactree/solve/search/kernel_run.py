"""One call of the native search for trees."""

from exactree import kernel
from exactree.arrays import Int32s
from exactree.problem import Problem
from exactree.solve.callback import memory_for, native_callback
from exactree.solve.gains import Gains, impurity_weights, shape_of
from exactree.solve.interface import Budget, Callback

Nodes = Int32s  # (n_nodes, 5)


def run_kernel(
    problem: Problem,
    gains: Gains,
    budget: Budget,
    start: Nodes | None,
    callback: Callback | None,
    *,
    engine: str = "auto",
    without: tuple[str, ...] = (),
    seed: int = 0,
) -> kernel.Outcome:
    """Find the tree of lowest cost for some gains within the limits of a problem; costs are those of the gains."""
    data = problem.data
    max_depth, max_leaves = shape_of(problem)
    return kernel.search(
        gains.ranks,
        gains.labels,
        gains.gains,
        gains.bases,
        gains.sizes,
        n_classes=data.n_classes,
        max_depth=max_depth,
        max_leaves=max_leaves,
        min_rows=problem.limits.min_samples_leaf,
        min_weight=gains.min_weight,
        leaf_price=gains.price,
        offset=gains.offset,
        seconds=budget.seconds,
        memory=memory_for(budget.memory),
        gap=budget.gap,
        start=start,
        point_ranks=data.ranks,
        point_labels=data.point_labels,
        point_weights=impurity_weights(problem),
        point_sizes=gains.point_sizes,
        callback=native_callback(callback, gains.cost),
        engine=engine,
        threads=budget.threads,
        seed=seed,
        without=list(without),
    )
