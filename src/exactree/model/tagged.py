"""Labels and levels in JSON with their types, so that 1, 1.0, True and "1" come back as what they were.

A value is an object with one key, the name of its type: ``{"int": 1}``, ``{"str": "1"}``, ``{"float64": 0.5}``. Plain
Python types have Python's names, NumPy scalars NumPy's. Infinities and NaN are strings, as in ``{"float": "nan"}``.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.errors import FormatError, InputError
from exactree.model.json_reader import JsonReader

_PYTHON = {"str": str, "int": int, "float": float, "bool": bool}
_SIZED = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64")
_NUMPY: dict[str, Any] = {"str_": np.str_, "bool_": np.bool_} | {name: np.dtype(name).type for name in _SIZED}
_NAMES = {kind: name for name, kind in (_PYTHON | _NUMPY).items()}
_UNITS = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns")
_TIMES = [f"{kind}64[{unit}]" for kind in ("datetime", "timedelta") for unit in _UNITS]
_DTYPES = ["str", "bool", *_SIZED, *_TIMES, "object"]  # what an array of labels may hold


def tag(value: Any, what: str) -> dict[str, Any]:
    """Return a label or level as an object of one key; ``what`` names it in the message if that cannot be done.

    Examples
    --------
    >>> tag(True, "A level"), tag(np.int8(1), "A level"), tag(float("nan"), "A level")
    ({'bool': True}, {'int8': 1}, {'float': 'nan'})
    """
    if value is None:
        return {"none": True}
    if isinstance(value, np.datetime64 | np.timedelta64) and str(value.dtype) in _TIMES:
        return {str(value.dtype): int(value.astype(np.int64))}
    name = _NAMES.get(type(value))
    if name is None:
        raise InputError(
            f"{what} is {value!r}, of type {type(value).__name__}, which cannot be saved; "
            f"use strings, numbers or booleans before fitting."
        )
    plain = value.item() if isinstance(value, np.generic) else value
    return {name: str(plain) if isinstance(plain, float) and not math.isfinite(plain) else plain}


def untag(reader: JsonReader) -> Any:
    """Return the value that :func:`tag` wrote.

    Examples
    --------
    >>> untag(JsonReader({"float32": 0.5}, "the level"))
    np.float32(0.5)
    """
    if not isinstance(reader.value, dict) or len(reader.value) != 1:
        raise FormatError(f"{reader.where} must be an object of one key, the type of a value; got {reader.value!r}.")
    (name,) = reader.value
    inner = reader.get(name)
    if name == "none":
        return None
    if name in _TIMES:
        return np.array(inner.integer(bits=64)).astype(name)[()]
    if name not in _PYTHON and name not in _NUMPY:
        raise FormatError(f"{reader.where} has the type {name!r}, which this version of the format does not know.")
    return _value(name, inner)


def tag_array(values: NDArray[Any], what: str) -> dict[str, Any]:
    """Return a 1-D array as an object: the type of the array and its values."""
    kind = "str" if values.dtype.kind == "U" else values.dtype.name
    if kind not in _DTYPES:
        raise InputError(f"{what} is of type {kind}, which cannot be saved; use strings, numbers or booleans.")
    return {"type": kind, "values": [tag(value, what) for value in values]}


def untag_array(reader: JsonReader) -> NDArray[Any]:
    """Return the array that :func:`tag_array` wrote."""
    reader.reject_unknown_keys("type", "values")
    kind = reader.get("type").one_of(_DTYPES)
    values = [untag(item) for item in reader.get("values").items()]
    array = np.empty(len(values), dtype=object)
    array[:] = values
    if kind == "object":
        return array
    for item, value in zip(reader.get("values").items(), values, strict=True):
        if not isinstance(value, np.generic) or not _fits(value, kind):
            raise FormatError(f"{item.where} must be of type {kind}, as the array; got {item.value!r}.")
    return np.array(values, dtype=kind)


def _fits(value: np.generic, kind: str) -> bool:
    return value.dtype.kind == "U" if kind == "str" else value.dtype == np.dtype(kind)


def _value(name: str, inner: JsonReader) -> Any:
    kind: Any = _PYTHON.get(name) or _NUMPY[name]
    if name in ("str", "str_"):
        return kind(inner.string())
    if name in ("bool", "bool_"):
        return kind(inner.boolean())
    if name.startswith("float"):
        return kind(float(inner.value) if inner.value in ("nan", "inf", "-inf") else inner.number())
    value = inner.integer()
    if name != "int" and not np.iinfo(kind).min <= value <= np.iinfo(kind).max:
        raise FormatError(f"{inner.where} must be an integer that fits {name}; got {value}.")
    return kind(value)
