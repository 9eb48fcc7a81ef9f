"""Which thresholds may be asked for: all, or fewer where all are too many.

Most policies see one column at a time, without its missing cells, and say which cuts between neighbouring values to
keep; some see the whole encoded table and the depth of the tree. Only :class:`All` keeps the promise of optimality over
every tree; the others are exact over what they keep.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from exactree.arrays import Bools, Floats, Int32s, UInt32s
from exactree.encode.encoded import Encoded
from exactree.errors import InputError


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """The rows of one column that have a value, by rank of that value; cut r lies between ranks r and r + 1."""

    ranks: UInt32s  # (n_present,) 0..n_ranks-1, each of them taken
    n_ranks: int
    labels: Int32s  # (n_present,)
    weights: Floats  # (n_present,)


@runtime_checkable
class Thresholds(Protocol):
    """A policy; ``str()`` of it is its name as the user writes it.

    Examples
    --------
    >>> isinstance(Quantiles(5), Thresholds), str(Quantiles(5))
    (True, 'quantiles(5)')
    """

    def keep(self, ranking: Ranking) -> Bools:
        """Return for each of the ``n_ranks - 1`` cuts whether it may be asked for."""
        ...


@dataclass(frozen=True, slots=True)
class Growth:
    """What a policy for whole tables must know about the model, and what it may spend.

    Parameters
    ----------
    depth : int
        Most questions on a path.
    jobs : int, default=1
        Threads.
    seconds : float or None, default=None
        Time limit; ``None`` is no limit.
    least_rows : callable
        Fewest rows in a leaf, given the number of rows; 1 by default.
    least_share : float, default=0.0
        Least share of the weight in a leaf.
    tell : callable
        Called with a description of the work done so far; True asks to stop. Does nothing by default.
    seed : int or None, default=None
        For a policy that samples with the default seed 0; ``None`` leaves it at that.

    Examples
    --------
    >>> Growth(depth=3).least_rows(150)
    1
    """

    depth: int
    jobs: int = 1
    seconds: float | None = None
    least_rows: Callable[[int], int] = lambda n_rows: 1
    least_share: float = 0.0
    tell: Callable[[str], bool | None] = lambda details: None
    seed: int | None = None


@runtime_checkable
class TableThresholds(Protocol):
    """A policy that looks at all columns together, labels and weights among them; ``str()`` as above.

    Examples
    --------
    >>> from exactree.encode import Sampled
    >>> isinstance(Sampled(), TableThresholds), isinstance(Quantiles(5), TableThresholds)
    (True, False)
    """

    def kept(self, data: Encoded, growth: Growth) -> "Kept":
        """Return for each cut of each ranked column whether it may be asked for."""
        ...


class Kept(NamedTuple):
    """What a policy for whole tables keeps."""

    masks: Sequence[Bools]  # for each cut of each ranked column, whether it may be asked for
    name: str  # what proofs call these thresholds


@dataclass(frozen=True, slots=True)
class All:
    """Every midpoint between neighbouring values.

    Examples
    --------
    >>> str(All())
    'all'
    """

    def keep(self, ranking: Ranking) -> Bools:
        """Keep all."""
        return np.ones(ranking.n_ranks - 1, dtype=np.bool_)

    def __str__(self) -> str:
        return "all"


@dataclass(frozen=True, slots=True)
class ClassChanges:
    """BinOCT's rule (Verwer and Zhang 2019): no cut between two values whose rows are all of one and the same class.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.table import Table
    >>> encode(Table.of([[1.0], [2.0], [3.0]]), [0, 0, 1], thresholds=ClassChanges()).columns[0].cuts
    array([2.5])
    """

    def keep(self, ranking: Ranking) -> Bools:
        """Keep a cut unless both neighbours are pure and agree."""
        some_label = np.zeros(ranking.n_ranks, dtype=np.int32)
        some_label[ranking.ranks] = ranking.labels
        differs = ranking.labels != some_label[ranking.ranks]
        pure = np.bincount(ranking.ranks[differs], minlength=ranking.n_ranks) == 0
        return np.asarray(~(pure[:-1] & pure[1:] & (some_label[:-1] == some_label[1:])))

    def __str__(self) -> str:
        return "class-changes"


@dataclass(frozen=True, slots=True)
class Quantiles:
    """At most ``k`` cuts per column, those nearest to the k weighted quantiles that split the rows evenly.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.table import Table
    >>> encode(Table.of([[1.0], [2.0], [3.0], [4.0]]), [0, 1, 0, 1], thresholds=Quantiles(1)).columns[0].cuts
    array([2.5])
    """

    k: int = 10

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, (int, np.integer)) or self.k < 1:
            raise InputError(f"Quantiles needs an integer number of cuts, at least 1; got {self.k!r}.")

    def keep(self, ranking: Ranking) -> Bools:
        """Keep, for each quantile, the cut whose weight to the left is nearest to it (the left one of a tie)."""
        kept = np.zeros(ranking.n_ranks - 1, dtype=np.bool_)
        if len(kept) <= self.k:
            return ~kept
        total = np.cumsum(np.bincount(ranking.ranks, weights=ranking.weights, minlength=ranking.n_ranks))
        left, whole = total[:-1], total[-1]
        wanted = whole * np.arange(1, self.k + 1) / (self.k + 1)
        above = np.searchsorted(left, wanted).clip(1, len(left) - 1)
        nearest = np.where(wanted - left[above - 1] <= left[above] - wanted, above - 1, above)
        kept[nearest] = True
        return kept

    def __str__(self) -> str:
        return f"quantiles({self.k})"
