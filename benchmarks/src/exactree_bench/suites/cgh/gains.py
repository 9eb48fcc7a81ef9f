"""The gain of CGH over CART on the same splits, compared with the gain in the paper.

The paper's splits of the large sets are not available, and on other splits the mean of CART differs too. So the gain
over CART is compared. It varies between splits, and the paper's mean has only five: a smaller gain is significant if
the difference exceeds rounding and twice its standard error.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from exactree_bench.published.binoct import Cells, Mean
from exactree_bench.suites.binoct import ROUNDING
from exactree_bench.suites.interface import Section

SIGNIFICANT = 2.0  # standard errors
PAPER_SPLITS = 5
CART, CGH = "CART", "CGH"


@dataclass(frozen=True, slots=True)
class Gain:
    """Gain over CART in percent, one for each split.

    Examples
    --------
    >>> str(Gain((2.0, 1.0, 3.0))), str(Gain((-0.01,)))
    ('+2.0 ± 0.6', '+0.0')
    """

    by_split: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Mean over all splits."""
        return fmean(self.by_split)

    @property
    def deviation(self) -> float:
        """Standard deviation over splits; 0 for a single split."""
        return stdev(self.by_split) if len(self.by_split) > 1 else 0.0

    @property
    def error(self) -> float | None:
        """Standard error of the mean, if there is more than one split."""
        return self.deviation / sqrt(len(self.by_split)) if len(self.by_split) > 1 else None

    def is_less(self, paper: float) -> bool:
        """Whether the gain is significantly smaller than the paper's.

        Examples
        --------
        >>> Gain((2.0, 1.0, 3.0)).is_less(3.0), Gain((2.0, 1.9, 2.1)).is_less(3.0), Gain((2.0,)).is_less(2.1)
        (False, True, False)
        """
        shortfall = paper - self.mean
        of_difference = self.deviation * sqrt(1 / len(self.by_split) + 1 / PAPER_SPLITS)
        return shortfall > ROUNDING * 1.001 and shortfall > SIGNIFICANT * of_difference

    def __str__(self) -> str:
        return f"{self.mean:+z.1f}" + ("" if self.error is None else f" ± {self.error:.1f}")


Gains = Mapping[tuple[str, int, str], Gain | None]  # by set, depth and contestant


def gain_of(shares: Sequence[float | None], of_cart: Sequence[float | None]) -> Gain | None:
    """Return the gain on the splits where both accuracies are known, or ``None`` if there are none."""
    pairs = zip(shares, of_cart, strict=True)
    found = tuple(100 * (share - cart) for share, cart in pairs if share is not None and cart is not None)
    return Gain(found) if found else None


def gain_of_paper(cells: Cells, name: str, depth: int) -> float:
    """Return the gain of the paper's CGH."""
    return cells[name, depth, CGH].percent - cells[name, depth, CART].percent


def gain_table(cells: Cells, gains: Gains, names: Sequence[str], contestants: Sequence[str], depth: int) -> Section:
    """Return the table of gains over CART, the paper's and ours."""
    header = ("set", f"{CGH} paper", *(f"{contestant} here" for contestant in contestants))
    rows, records = [], []
    for name in names:
        paper = gain_of_paper(cells, name, depth)
        record: dict[str, object] = {"set": name, "depth": depth, header[1]: round(paper, 1)}
        for contestant in contestants:
            gain = gains[name, depth, contestant]
            record |= {f"{contestant} here": None if gain is None else gain.mean}
            record |= {f"{contestant} error": None if gain is None else gain.error}
            record |= {f"{contestant} splits": 0 if gain is None else len(gain.by_split)}
        rows.append((name, f"{paper:+.1f}", *(str(gains[name, depth, c] or "-") for c in contestants)))
        records.append(record)
    title = f"Depth {depth}: gain over CART on the same splits, testing, points, and its standard error"
    return Section(f"gain-{depth}", title, header, tuple(rows), tuple(records))


def below(cells: Cells, means: Mapping[tuple[str, int, str], Mean | None], gains: Gains) -> list[str]:
    """Report means below the paper's, and whether the gain over CART is smaller too."""
    texts = []
    for (name, depth, contestant), gain in gains.items():
        ours, paper = means[name, depth, contestant], cells[name, depth, CGH]
        if gain is None or ours is None or ours.percent >= paper.percent - ROUNDING / 2:
            continue
        of_paper = gain_of_paper(cells, name, depth)
        comparison = f"{name}, depth {depth}: {contestant} {ours} here, {paper} in the paper, on other splits"
        verdict = "less" if gain.is_less(of_paper) else "no less"
        texts.append(f"{comparison}; over CART {gain} and {of_paper:+.1f}, {verdict}")
    return texts
