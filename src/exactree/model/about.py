"""What was proved of a graph, as it is saved with it."""

from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from exactree.errors import FormatError, InputError
from exactree.model.json_reader import JsonReader

NOUNS = ("tree", "diagram")
STATUSES = (
    "optimal",
    "optimal_over_sample",
    "gap_reached",
    "time_limit",
    "memory_limit",
    "interrupted",
    "ended",
)  # as in exactree.solve.Status


@dataclass(frozen=True, slots=True)
class About:
    """What a graph predicts, and what was proved of it when it was found.

    Parameters
    ----------
    target : str or None
        Name of the column that the graph predicts; None if the labels had no name.
    status : str
        One of ``"optimal"``, ``"optimal_over_sample"``, ``"gap_reached"``, ``"time_limit"``, ``"memory_limit"``,
        ``"interrupted"``, ``"ended"``.
    cost : float
        Cost of the graph on the training rows.
    lower_bound : float
        No allowed graph costs less; ``-inf`` if nothing was proved.
    thresholds : str
        The threshold policy: status and bound hold over the thresholds that it keeps.
    exactree : str
        The version that found the graph.
    objective : str or None, default=None
        Given for worst-leaf objectives; None if costs of rows are added up.
    scope : str or None, default=None
        The graphs that the proof covers, if not all: ``"whose sums keep a margin of 0.001"``.
    noun : {"tree", "diagram"}, default="tree"
        What was fitted, whatever shape the graph has.
    sample : str or None, default=None
        Which of the allowed graphs the solver restricted itself to, if not all.
    sample_lower_bound : float or None, default=None
        None of these costs less.
    kind : str or None, default=None
        The allowed graphs in a few words, such as ``"tree of depth 6"``; None if these are not enough.
    unit : str or None, default=None
        ``"errors"`` if the cost is the number of wrong answers to the training rows.

    Examples
    --------
    >>> About("churn", "optimal", cost=3.0, lower_bound=3.0, thresholds="all", exactree="0.1.0").status
    'optimal'
    """

    target: str | None
    status: str
    cost: float
    lower_bound: float
    thresholds: str
    exactree: str
    objective: str | None = None
    scope: str | None = None
    noun: str = "tree"
    sample: str | None = None
    sample_lower_bound: float | None = None
    kind: str | None = None
    unit: str | None = None

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise InputError(f"status is {self.status!r}. Expected one of {', '.join(STATUSES)}.")
        if not np.isfinite(self.cost) or not self.lower_bound <= self.cost:
            raise InputError(
                f"cost is {self.cost} and lower_bound {self.lower_bound}. "
                f"Expected a finite cost and a bound that is not above it."
            )
        if self.status == "optimal" and self.lower_bound != self.cost:
            raise InputError(
                f"status is 'optimal', but lower_bound {self.lower_bound} is below the cost {self.cost}. "
                f"Expected a bound equal to the cost."
            )
        if (self.sample is None) is not (self.sample_lower_bound is None):
            raise InputError(
                f"sample is {self.sample!r} and sample_lower_bound {self.sample_lower_bound}. "
                f"Expected both, or neither where the solver left no {self.noun} out."
            )
        if self.status == "optimal_over_sample" and self.sample_lower_bound != self.cost:
            raise InputError(
                f"status is 'optimal_over_sample', but sample_lower_bound is {self.sample_lower_bound} and the cost "
                f"{self.cost}. Expected a bound equal to the cost."
            )


def about_to_json(about: About) -> dict[str, Any]:
    """Return an object as JSON, without default values, so that older releases can read it."""
    content = asdict(about) | {"lower_bound": number_to_json(about.lower_bound)}
    if about.sample_lower_bound is not None:
        content["sample_lower_bound"] = number_to_json(about.sample_lower_bound)
    usual = {"objective": None, "scope": None, "noun": "tree", "sample": None, "sample_lower_bound": None}
    usual |= {"kind": None, "unit": None}
    return {key: value for key, value in content.items() if key not in usual or value != usual[key]}


def about_from_json(reader: JsonReader) -> About:
    """Read what :func:`about_to_json` returned."""
    reader.reject_unknown_keys(*(each.name for each in fields(About)))
    target, status = reader.get("target"), reader.get("status").one_of(STATUSES)
    name = None if target.value is None else target.string()
    cost, bound = reader.get("cost").number(), reader.get("lower_bound").number(infinite=True)
    thresholds, version = reader.get("thresholds").string(), reader.get("exactree").string()
    try:
        objective = reader.get("objective").string() if reader.has("objective") else None
        scope = reader.get("scope").string() if reader.has("scope") else None
        noun = reader.get("noun").one_of(NOUNS) if reader.has("noun") else "tree"
        sample = reader.get("sample").string() if reader.has("sample") else None
        key = "sample_lower_bound"
        over_sample = reader.get(key).number(infinite=True) if reader.has(key) else None
        kind = reader.get("kind").string() if reader.has("kind") else None
        unit = reader.get("unit").string() if reader.has("unit") else None
        known = name, status, cost, bound, thresholds, version, objective, scope, noun, sample, over_sample
        return About(*known, kind=kind, unit=unit)
    except InputError as error:
        raise FormatError(f"{reader.where} contradicts itself: {error}") from error


def number_to_json(value: float) -> float | str:
    """Return a number as strict JSON takes it: infinities as strings."""
    return value if np.isfinite(value) else str(value)
