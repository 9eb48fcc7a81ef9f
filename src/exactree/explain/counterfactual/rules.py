"""Rules: relations between columns that a changed row must satisfy."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from exactree.errors import InputError
from exactree.table import ColumnType, Kind

ORDERLY = (Kind.NUMBER, Kind.INTEGER, Kind.BOOLEAN, Kind.ORDERED)
NUMERIC = (Kind.NUMBER, Kind.INTEGER, Kind.BOOLEAN)


@dataclass(frozen=True, slots=True)
class Rises:
    """If one column increases, another must increase too: education takes years.

    A value that is or becomes missing does not increase, and the rule asks nothing of it.

    Parameters
    ----------
    column : str
        The column that may increase.
    then : str
        The column that must increase with it.
    by : float, default=1
        By how much at least, in the units of ``then``; steps for an ordered category.

    Examples
    --------
    >>> rule = Rises("education", then="age", by=4)
    >>> rule.holds({"education": 1, "age": 30}.get, {"education": 2, "age": 33}.get)
    False
    """

    column: str
    then: str
    by: float = 1

    @property
    def names(self) -> tuple[str, str]:
        """The two columns."""
        return self.column, self.then

    def holds(self, old: Callable[[str], Any], new: Callable[[str], Any]) -> bool:
        """Whether a change satisfies the rule; values are numbers or codes, None if missing."""
        was, becomes = old(self.column), new(self.column)
        before, after = old(self.then), new(self.then)
        if None in (was, becomes, before, after) or becomes <= was:
            return True
        return bool(after - before >= self.by)


@dataclass(frozen=True, slots=True)
class AtLeast:
    """One column is never below another; the rule asks nothing if one of them is missing.

    Parameters
    ----------
    larger, smaller : str
        The two columns.

    Examples
    --------
    >>> AtLeast("income", "debt").holds({}.get, {"income": 5, "debt": 7}.get)
    False
    """

    larger: str
    smaller: str

    @property
    def names(self) -> tuple[str, str]:
        """The two columns."""
        return self.larger, self.smaller

    def holds(self, old: Callable[[str], Any], new: Callable[[str], Any]) -> bool:
        """Whether the changed row satisfies the rule."""
        larger, smaller = new(self.larger), new(self.smaller)
        return larger is None or smaller is None or bool(larger >= smaller)


Rule = Rises | AtLeast


def check_rules(rules: Any, columns: Mapping[str, ColumnType]) -> tuple[Rule, ...]:
    """Reject what is no rule, and rules about columns without an order."""
    if isinstance(rules, (Rises, AtLeast)) or not isinstance(rules, (list, tuple)):
        raise InputError(f"rules must be a list, such as [AtLeast('income', 'debt')]; got {rules!r}.")
    for rule in rules:
        if not isinstance(rule, (Rises, AtLeast)):
            raise InputError(f"rules must hold Rises(...) and AtLeast(...); got {rule!r}.")
        kinds = ORDERLY if isinstance(rule, Rises) else NUMERIC
        for name in rule.names:
            if name not in columns:
                raise InputError(f"{rule} names {name!r}, but the columns are: {', '.join(map(repr, columns))}.")
            if columns[name].kind not in kinds:
                wanted = "numbers or an ordered category" if isinstance(rule, Rises) else "numbers"
                raise InputError(f"{rule} needs {wanted}, but {name!r} is of the kind {columns[name].kind.value}.")
        if rule.names[0] == rule.names[1]:
            raise InputError(f"{rule} names one column twice. Name two.")
    return tuple(rules)
