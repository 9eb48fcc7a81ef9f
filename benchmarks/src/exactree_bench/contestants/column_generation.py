"""Column generation over decision paths (Firat et al. 2020), on exactree's MIP layer, with the integer master.

Its proofs cover the questions sampled for each node. The best tree depends on the sample, so there are contestants
with several seeds. On large tables, CART on nine tenths of the rows asks nearly the same questions every time, so one
contestant fills the lists of candidate splits from smaller shares of the rows as well.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from exactree import CartSampling, OptimalTreeClassifier
from exactree_bench.contestants import common
from exactree_bench.contestants.interface import Contestant, FitResult

NAME = "CGH"
SEEDS = range(5)  # of the samples; the first is the default
SAMPLES = tuple(NAME if seed == 0 else f"{NAME} sample {seed + 1}" for seed in SEEDS)
RELAXED = f"{NAME} relaxation"
FILLED = f"{NAME} filled"
SHARES = (0.9, 0.7, 0.5, 0.3, 0.1)  # of the rows: the published share, then smaller ones while lists have room


def _contestant(name: str, solver: Callable[[Any], Any]) -> Contestant:
    return Contestant(
        name,
        common.version,
        common.tree(lambda: solver(common.solver_class("ColumnGeneration"))),
        fit_result,
        proves_all=False,
    )


def _sampled(seed: int) -> Callable[[Any], Any]:
    return lambda solver: solver(sampling=CartSampling(seed=seed), finish="ilp")


def fit_result(estimator: OptimalTreeClassifier) -> FitResult:
    """Read what was proved over the sampled questions."""
    found = common.fit_result(estimator)
    bound = getattr(estimator, "sample_lower_bound_", None)  # older releases have none
    if bound is None:
        return found
    return replace(found, proved=estimator.status_ == "optimal_over_sample", bound=bound)


CONTESTANTS = (
    *(_contestant(name, _sampled(seed)) for name, seed in zip(SAMPLES, SEEDS, strict=True)),
    _contestant(FILLED, lambda solver: solver(sampling=CartSampling(share=SHARES), finish="ilp")),
    _contestant(RELAXED, lambda solver: solver(finish="none")),  # only the relaxation, no integer master
)
