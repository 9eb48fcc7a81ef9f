"""Notions of fairness between two groups, and by how much some answers violate them: counted here, by no contestant."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Notion:
    """What is compared between the groups, and how far it may be apart."""

    name: str
    measure: str  # as exactree calls it
    at_most: float | None = None  # difference of two rates
    ratio: float | None = None  # of the lower rate to the higher, at least

    @property
    def limit(self) -> float:
        """Largest violation that is allowed."""
        return 1.0 - self.ratio if self.ratio is not None else self.at_most or 0.0

    def violation(self, group: NDArray[Any], y: NDArray[Any], answers: NDArray[Any]) -> float:
        """Return the difference of the groups' rates of answer 1, or how much is missing of their ratio to 1.

        Examples
        --------
        >>> group, y, answers = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), np.array([1, 1, 0, 1])
        >>> parity = Notion("parity", "demographic_parity", ratio=0.8)
        >>> parity.violation(group, y, answers), round(parity.excess(group, y, answers), 6)
        (0.5, 0.3)
        >>> Notion("odds", "equalized_odds", at_most=0.1).violation(group, y, answers)  # no row of 1 is negative
        0.5
        """
        return max(
            (1.0 - low / high if self.ratio else high - low for low, high in self._rates(group, y, answers)),
            default=0.0,
        )

    def excess(self, group: NDArray[Any], y: NDArray[Any], answers: NDArray[Any]) -> float:
        """By how much rates are beyond the limit; 0 or less if it is satisfied."""
        pairs = self._rates(group, y, answers)
        share, slack = (self.ratio, 0.0) if self.ratio is not None else (1.0, self.at_most or 0.0)
        return max((share * high - low - slack for low, high in pairs), default=0.0)

    def _rates(self, group: NDArray[Any], y: NDArray[Any], answers: NDArray[Any]) -> Iterator[tuple[float, float]]:
        """Yield the lower and the higher rate, of each kind of rows that both groups have and that 1 is answered to."""
        for rows in (np.isin(y, labels) for labels in LABELS[self.measure]):
            parts = [answers[rows & (group == one)] for one in (0, 1)]
            if all(len(part) for part in parts):
                low, high = sorted(float(np.mean(part == 1)) for part in parts)
                if high > 0:
                    yield low, high


# labels of the rows among which rates are compared
LABELS = {
    "demographic_parity": ((0, 1),),
    "equal_opportunity": ((1,),),
    "predictive_equality": ((0,),),
    "equalized_odds": ((0,), (1,)),
}
NOTIONS = {
    notion.name: notion
    for notion in (
        *(Notion(measure.replace("_", " "), measure, at_most=0.05) for measure in LABELS),
        Notion("four fifths", "demographic_parity", ratio=0.8),
    )
}
