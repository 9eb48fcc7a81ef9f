"""Reads untrusted JSON: every value knows its place, so that every message can name it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from exactree.errors import FormatError


@dataclass(frozen=True, slots=True)
class JsonReader:
    """One value of a parsed JSON text and its place.

    Examples
    --------
    >>> file = JsonReader({"nodes": [{"rows": 5}, {"rows": "many"}]}, "the file")
    >>> file.get("nodes").items()[0].get("rows").integer()
    5
    >>> file.get("nodes").items()[1].get("rows").integer()
    Traceback (most recent call last):
    ...
    exactree.errors.FormatError: nodes[1].rows must be an integer; got 'many'.
    """

    value: Any
    where: str
    at_top: bool = True

    def has(self, key: str) -> bool:
        """Whether an object has a key."""
        return key in self._object()

    def get(self, key: str) -> "JsonReader":
        """Return the value of a key, which must be there."""
        where = key if self.at_top else f"{self.where}.{key}"
        if not self.has(key):
            raise FormatError(f"{where} is missing.")
        return JsonReader(self.value[key], where, at_top=False)

    def reject_unknown_keys(self, *keys: str) -> None:
        """Reject keys that this version of the format does not have."""
        for key in self._object():
            if key not in keys:
                raise FormatError(f"{self.where} has {key!r}, which this version of the format does not know.")

    def items(self) -> list["JsonReader"]:
        """Return the values of a list."""
        if not isinstance(self.value, list):
            raise self._wrong("a list")
        return [JsonReader(item, f"{self.where}[{i}]", at_top=False) for i, item in enumerate(self.value)]

    def string(self) -> str:
        """Return a string."""
        if not isinstance(self.value, str):
            raise self._wrong("a string")
        return self.value

    def one_of(self, allowed: Sequence[str]) -> str:
        """Return one of some strings."""
        if self.string() not in allowed:
            raise self._wrong("one of " + ", ".join(allowed))
        return self.string()

    def boolean(self) -> bool:
        """Return a boolean."""
        if not isinstance(self.value, bool):
            raise self._wrong("true or false")
        return self.value

    def integer(self, *, bits: int | None = None) -> int:
        """Return an integer, which must fit in so many bits."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            raise self._wrong("an integer")
        if bits is not None and not -(2 ** (bits - 1)) <= self.value < 2 ** (bits - 1):
            raise self._wrong(f"an integer of {bits} bits")
        return self.value

    def number(self, *, infinite: bool = False) -> float:
        """Return a finite number or, if allowed, an infinite one, written as "inf" or "-inf"."""
        if infinite and self.value in ("inf", "-inf"):
            return float(self.value)
        if not isinstance(self.value, int | float) or isinstance(self.value, bool):
            raise self._wrong("a number")
        if isinstance(self.value, int):
            self.integer(bits=1024)  # beyond this no float is as large
        if not math.isfinite(self.value):
            raise self._wrong("a finite number")
        return float(self.value)

    def _object(self) -> dict[str, Any]:
        if not isinstance(self.value, dict):
            raise self._wrong("an object")
        return self.value

    def _wrong(self, expected: str) -> FormatError:
        got = repr(self.value)
        return FormatError(f"{self.where} must be {expected}; got {got if len(got) <= 60 else got[:59] + '…'}.")
