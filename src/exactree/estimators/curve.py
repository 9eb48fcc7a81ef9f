"""What curves of trees share: each point is a tree that no other beats in both of two measures."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from exactree.estimators.notebook import fitting
from exactree.plot import Dot, curve_svg
from exactree.solve import Status


def leaves_text(n: int) -> str:
    """Say how many leaves a tree has.

    Examples
    --------
    >>> leaves_text(1), leaves_text(4)
    ('1 leaf', '4 leaves')
    """
    return "1 leaf" if n == 1 else f"{n} leaves"


@dataclass(frozen=True, slots=True, eq=False)
class TreeCurve:
    """Prints as a table, shows as a picture in notebooks, and is a sequence of its points.

    Every point has ``proved``, whether no tree at all is as good in both measures and better in one, and ``tree``.
    """

    _head: ClassVar[tuple[str, ...]]  # of the table
    _fields: ClassVar[tuple[str, ...]]  # of a point, in data frames
    _lower_is_better: ClassVar[bool] = False  # in the picture, of both measures

    points: Sequence[Any]
    status: str  # "optimal", or what ended the search
    scope: str  # which trees the parameters allow, in words: what a proof covers
    restricted: bool  # whether anything but the depth is limited; then the verdict has the scope

    def _cells(self, point: Any) -> tuple[str, ...]:
        """Cells of a point in the table, but for the last, which says whether it is proved."""
        raise NotImplementedError

    def _place(self, point: Any) -> tuple[float, float]:
        """Place of a point in the picture."""
        raise NotImplementedError

    def _axes(self) -> tuple[str, str]:
        """Names of the axes."""
        raise NotImplementedError

    @property
    def proved(self) -> bool:
        """Whether these are all points of the curve, and none can be better."""
        return self.status == Status.OPTIMAL.value

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.points)

    def __getitem__(self, place: int) -> Any:
        return self.points[place]

    def __str__(self) -> str:
        lines = [self._head]
        lines += [(*self._cells(point), "yes" if point.proved else "no") for point in self.points]
        return "\n".join(["  ".join(map(str.rjust, line, map(len, self._head))) for line in lines] + [self.verdict()])

    def verdict(self) -> str:
        """State what is proved."""
        allowed = f"; allowed are {self.scope}" if self.restricted else ""
        if self.proved:
            return f"proved: no allowed tree lies beyond this curve{allowed}"
        sure = sum(point.proved for point in self.points)
        return f"not proved ({self.status}): {sure} of {len(self.points)} points are, and there may be more{allowed}"

    def to_frame(self) -> dict[str, list[Any]]:
        """Return the points as columns, for ``pandas.DataFrame`` or ``polars.DataFrame``, without the trees."""
        return {name: [getattr(point, name) for point in self.points] for name in self._fields}

    def to_svg(self, *, title: str | None = None, width: float | None = None) -> str:
        """Return the curve as the text of an SVG picture; points that are not proved are hollow."""
        dots = [Dot(*self._place(point), point.proved, str(point)) for point in self.points]
        x, y = self._axes()
        note = "" if self.proved else "hollow: not proved"
        return curve_svg(dots, x=x, y=y, lower_is_better=self._lower_is_better, title=title, note=note, width=width)

    def save_svg(self, path: str | os.PathLike[str], *, title: str | None = None, width: float | None = None) -> None:
        """Write the curve to an SVG file."""
        Path(path).write_text(self.to_svg(title=title, width=width), encoding="utf-8", newline="\n")

    def _repr_html_(self) -> str:
        return f'<div class="exactree"><p>{escape(self.verdict())}</p>{fitting(self.to_svg())}</div>'
