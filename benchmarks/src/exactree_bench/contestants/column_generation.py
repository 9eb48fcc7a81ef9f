"""Column generation over decision paths (Firat et al. 2020), on exactree's MIP layer, with its program at the end.

What it proves is over the questions it has sampled, node by node. Which tree is the best of a sample depends on the
sample: so it takes part with several, drawn with different seeds. On large tables nine tenths of the rows ask little
else than all of them do: so it takes part with lists filled from fewer rows, too.
"""

from collections.abc import Callable
from typing import Any

from exactree import CartSampling
from exactree_bench.contestants import common
from exactree_bench.contestants.interface import Contestant

NAME = "CGH"
SEEDS = range(5)  # of the samples, the first as it comes
SAMPLES = tuple(NAME if seed == 0 else f"{NAME} sample {seed + 1}" for seed in SEEDS)
RELAXED = f"{NAME} relaxation"
FILLED = f"{NAME} filled"
SHARES = (0.9, 0.7, 0.5, 0.3, 0.1)  # of the rows: the published one, and others where it leaves lists short


def _entrant(name: str, solver: Callable[[Any], Any]) -> Contestant:
    return Contestant(
        name,
        common.version,
        common.tree(lambda: solver(common.solver_class("ColumnGeneration"))),
        common.finding,
        proves_all=False,
    )


def _sampled(seed: int) -> Callable[[Any], Any]:
    return lambda solver: solver(sampling=CartSampling(seed=seed), finish="ilp")


ENTRANTS = (
    *(_entrant(name, _sampled(seed)) for name, seed in zip(SAMPLES, SEEDS, strict=True)),
    _entrant(FILLED, lambda solver: solver(sampling=CartSampling(share=SHARES), finish="ilp")),
    _entrant(RELAXED, lambda solver: solver(finish="none")),  # the relaxation to its end, and no program after it
)
