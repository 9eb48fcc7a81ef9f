"""What a command found -> text for people or one JSON object for machines."""

import json
import math
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from exactree.errors import InputError


def number(value: float) -> str:
    """Write a cost or bound briefly; a dash if there is none yet.

    Examples
    --------
    >>> number(137.0), number(2.3333333333), number(math.inf)
    ('137', '2.33333', '-')
    """
    return f"{value:.6g}" if math.isfinite(value) else "-"


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """Write a number together with its noun.

    Examples
    --------
    >>> counted(1, "leaf", "leaves"), counted(7, "leaf", "leaves")
    ('1 leaf', '7 leaves')
    """
    return f"{n} {noun if n == 1 else plural or noun + 's'}"


def finite(value: float) -> float | None:
    """Return a number that JSON can hold.

    Examples
    --------
    >>> finite(2.5), finite(-math.inf)
    (2.5, None)
    """
    return float(value) if math.isfinite(value) else None


def of_leaves(found: Any) -> dict[str, Any]:
    """Write the report of a hybrid for machines.

    Examples
    --------
    >>> from exactree.estimators.hybrid import HybridReport, LeafScore
    >>> of_leaves(HybridReport((LeafScore(0, "a", 4, 2, 3, "SVC", "fitted"),)))["accuracy"]
    0.75
    """
    leaves = [asdict(leaf) for leaf in found.leaves]
    return {"tree_accuracy": found.tree_accuracy, "accuracy": found.accuracy, "leaves": leaves}


def write_json(content: dict[str, Any], output: str | None = None) -> None:
    """Write one JSON object to a file, or to stdout.

    Examples
    --------
    >>> write_json({"cost": 3.0})
    {"cost": 3.0}
    """
    text = json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n"
    if output is None:
        sys.stdout.write(text)
    else:
        Path(output).write_text(text, encoding="utf-8")


def drawable(path: str | None) -> None:
    """Refuse a picture that cannot be written, or whose name promises another kind of picture.

    Examples
    --------
    >>> drawable("tree.svg")
    """
    writable(path, "--svg")
    if path is not None and Path(path).suffix.lower() != ".svg":
        raise InputError(f"--svg writes SVG, but {path!r} does not end in .svg. Name it {Path(path).stem + '.svg'!r}.")


def writable(path: str | None, option: str) -> None:
    """Refuse a file that cannot be written before any work is done for it.

    Examples
    --------
    >>> writable("model.json", "--output")
    """
    if path is None:
        return
    place = Path(path).parent
    if not place.is_dir():
        raise InputError(f"{option}: there is no folder {str(place)!r}. Create it first or choose another.")
    if Path(path).is_dir():
        raise InputError(f"{option}: {path!r} is a folder. Name a file in it.")
    if not os.access(path if Path(path).exists() else place, os.W_OK):
        raise InputError(f"{option}: {path!r} may not be written. Choose another file or change its permissions.")
