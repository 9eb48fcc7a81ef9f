"""How a search for counterfactuals stands."""

from dataclasses import dataclass
from math import inf


@dataclass(frozen=True, slots=True)
class CounterfactualProgress:
    """One progress report of :func:`counterfactuals`; prints as a line.

    Parameters
    ----------
    seconds : float
        Since the search began.
    row : int
        Number of the row.
    n_rows : int
        How many rows there are.
    cost : float
        Cost of the nearest counterfactual of the row so far; infinite before there is one.
    bound : float
        Lower bound on the cost of any counterfactual of the row that is still to be found.

    Examples
    --------
    >>> print(CounterfactualProgress(seconds=2.0, row=0, n_rows=5, cost=1.5, bound=1.0))
    00:02  row 1 of 5  cost 1.5  bound 1
    """

    seconds: float
    row: int
    n_rows: int
    cost: float
    bound: float

    def __str__(self) -> str:
        minutes, seconds = divmod(int(self.seconds), 60)
        cost = "nothing found yet" if self.cost == inf else f"cost {self.cost:.6g}"
        return f"{minutes:02d}:{seconds:02d}  row {self.row + 1} of {self.n_rows}  {cost}  bound {self.bound:.6g}"
