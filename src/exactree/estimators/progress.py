"""Progress as lines of text, for ``verbose=1``."""

from math import isfinite
from typing import TextIO

from exactree.model import Graph
from exactree.model.wording import percent
from exactree.solve import Progress
from exactree.solve.verdict import score_text

EVERY = 1.0  # seconds between two lines


class ProgressLines:
    """Writes cost, bound and gap once a second; for worst-leaf objectives the accuracy of the worst leaf instead.

    Examples
    --------
    >>> import sys
    >>> ProgressLines(sys.stdout, worst_leaf=True)(Progress(seconds=61.0, cost=0.15, bound=0.1))
    01:01  worst leaf 85 % right  at most 90 %  gap 33.3%
    >>> ProgressLines(sys.stdout)(Progress(seconds=2.0, cost=10.0, bound=8.0, details="iteration 3, 90 columns"))
    00:02  cost 10  bound 8  gap 20.0%  iteration 3, 90 columns
    >>> ProgressLines(sys.stdout)(Progress(seconds=3.0, cost=float("inf"), bound=8.0, stage="MIP"))
    00:03  nothing found yet  bound 8  MIP
    """

    def __init__(self, stream: TextIO, *, worst_leaf: bool = False) -> None:
        self._stream = stream
        self._worst_leaf = worst_leaf
        self._next = EVERY

    def __call__(self, progress: Progress) -> None:
        """Write a line if the last one is old enough."""
        if progress.seconds < self._next:
            return
        self._next = progress.seconds + EVERY
        minutes, seconds = divmod(int(progress.seconds), 60)
        standing = f"cost {progress.cost:g}  bound {progress.bound:g}  gap {progress.gap:.1%}"
        if not isfinite(progress.cost):
            standing = "nothing found yet" + ("" if self._worst_leaf else f"  bound {progress.bound:g}")
        elif self._worst_leaf:
            accuracy = f"worst leaf {score_text(progress.cost)} right  at most {score_text(progress.bound)}"
            standing = f"{accuracy}  gap {progress.gap:.1%}"
        note = progress.details or ("" if isfinite(progress.cost) else progress.stage)
        details = f"  {note}" if note else ""
        self._stream.write(f"{minutes:02d}:{seconds:02d}  {standing}{details}\n")
        self._stream.flush()


class LeafLines:
    """Writes a line when the tree of a hybrid is there, and one for every leaf whose model is fitted.

    Examples
    --------
    >>> import sys
    >>> LeafLines(sys.stdout, n_models=2).leaf(4, rows=200, right=150)
    leaf 1 of 2 (node 4): 200 rows, 75.0 % of them right
    """

    def __init__(self, stream: TextIO, n_models: int) -> None:
        self._stream = stream
        self._n_models = n_models
        self._done = 0

    def tree(self, graph: Graph) -> None:
        """Report the size of the tree."""
        self._write(f"tree: depth {graph.depth}, leaves {graph.n_leaves}, models to fit {self._n_models}")

    def leaf(self, node: int, rows: int, right: int) -> None:
        """Report that the model of one more leaf is fitted."""
        self._done += 1
        share = percent(right / rows)
        self._write(f"leaf {self._done} of {self._n_models} (node {node}): {rows:,} rows, {share} of them right")

    def _write(self, line: str) -> None:
        self._stream.write(line + "\n")
        self._stream.flush()
