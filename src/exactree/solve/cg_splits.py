"""Which questions each branch may ask in column generation: sampled ones, fewer thresholds, or all."""

import numpy as np
from numpy.typing import NDArray

from exactree.encode import CartSampling, Encoded, Splits, sampled_splits
from exactree.encode.thresholds import ClassChanges, Ranking
from exactree.errors import InputError

ALL, CLASS_CHANGES = "all", "class-changes"
SCOPES = {ALL: "", CLASS_CHANGES: f" among those with thresholds {CLASS_CHANGES}"}
SAMPLED = " among those whose questions are the sampled ones"
SAMPLING_SHARE = 1 / 3  # of the time

Sampling = CartSampling | str


def check_sampling(sampling: Sampling) -> None:
    """Refuse what is no way to choose questions."""
    if not isinstance(sampling, CartSampling) and sampling not in SCOPES:
        raise InputError(f"sampling must be CartSampling(...), 'class-changes' or 'all'; got {sampling!r}.")


def scope_of(sampling: Sampling) -> str:
    """Which trees a proof is about, if not all."""
    return SAMPLED if isinstance(sampling, CartSampling) else SCOPES[sampling]


def splits_of(data: Encoded, depth: int, sampling: Sampling, *, jobs: int, seconds: float | None) -> Splits:
    """Questions for each branch of a complete tree."""
    if isinstance(sampling, CartSampling):
        return sampled_splits(data, depth, sampling, jobs=jobs, seconds=seconds)
    kept = [_kept(data, number, sampling) for number in range(len(data.columns))]
    questions = np.concatenate([np.empty((0, 2), dtype=np.int64), *kept])
    return Splits(depth, (questions,) * (2**depth - 1))


def _kept(data: Encoded, number: int, sampling: str) -> NDArray[np.int64]:
    column = data.columns[number]
    ranks = np.arange(column.n_ranks - 1)
    if sampling == CLASS_CHANGES:
        ranking = Ranking(column.ranks, column.n_ranks, data.point_labels, data.point_weights)
        ranks = ranks[ClassChanges().keep(ranking)]
    return np.column_stack([np.full(len(ranks), number), ranks]).astype(np.int64)
