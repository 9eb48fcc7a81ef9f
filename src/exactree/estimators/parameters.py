"""Parameters as the user writes them -> the values that the stages take. Every wrong one gets a message of its own."""

import math
import numbers
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from exactree.encode import Encoded
from exactree.errors import InputError, Unsupported
from exactree.names import canonical
from exactree.problem import (
    Fairness,
    LeafLimit,
    Limit,
    Limits,
    LinearLimit,
    Objective,
    SoftLimit,
    accuracy,
    balanced_accuracy,
    cost_sensitive,
    leaf_accuracy,
    leaf_confidence,
)
from exactree.problem.shares import meant_share
from exactree.solve import Budget
from exactree.solve.verdict import WORST_LEAF

OBJECTIVES = {
    "accuracy": accuracy,
    "balanced_accuracy": balanced_accuracy,
    "leaf_accuracy": leaf_accuracy,
    "leaf_confidence": leaf_confidence,
}
# For worst-leaf objectives a leaf of one row would be the best there is. The thesis behind it requires 50 rows.
LEAST_ROWS, LARGEST_SHARE = 50, 0.1
LARGEST_SEED = 2**31 - 1  # back ends take 32 bits with a sign
GRACE = 0.5  # seconds beyond time_limit for writing constraints: a solver without time still returns a tree
BYTES = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


def is_worst_leaf(objective: Any) -> bool:
    """Whether an objective, or the one of that name, scores a tree by its worst leaf.

    Examples
    --------
    >>> is_worst_leaf("leaf-accuracy"), is_worst_leaf("accuracy")
    (True, False)
    """
    if isinstance(objective, str):
        return canonical(objective, WORST_LEAF) in WORST_LEAF
    return isinstance(objective, Objective) and objective.is_worst_leaf


def read_seed(random_state: Any) -> int | None:
    """Return a seed for all that is drawn at random, or ``None`` for the default seeds.

    Examples
    --------
    >>> read_seed(None), read_seed(5) == read_seed(np.random.RandomState(5))
    (None, True)
    """
    random = check_random_state(random_state)
    return None if random_state is None else int(random.randint(LARGEST_SEED))


def read_limits(parameters: Mapping[str, Any], n_rows: int) -> Limits:
    """Shape of the tree; a share as ``min_samples_leaf`` becomes a number of rows, rounded up."""
    leaves = parameters["max_leaf_nodes"]
    return Limits(
        max_depth=read_depth(parameters["max_depth"]),
        max_leaf_nodes=None if leaves is None else whole("max_leaf_nodes", leaves, at_least=1),
        min_samples_leaf=_least_rows(parameters["min_samples_leaf"], n_rows, parameters["objective"]),
        min_weight_fraction_leaf=number(
            "min_weight_fraction_leaf", parameters["min_weight_fraction_leaf"], at_least=0.0
        ),
        ccp_alpha=number("ccp_alpha", parameters["ccp_alpha"], at_least=0.0),
    )


def read_objective(
    parameters: Mapping[str, Any], data: Encoded, offered: Sequence[str] = tuple(OBJECTIVES)
) -> Objective:
    """What to minimise; ``offered`` are the names to choose from where another one was given."""
    objective, costs = parameters["objective"], parameters["cost_matrix"]
    if isinstance(objective, Objective):
        wanted = (data.n_classes, data.n_classes)
        if objective.matrix.shape != wanted:
            raise InputError(f"The objective's matrix has shape {objective.matrix.shape}; expected {wanted}.")
        return objective
    name = canonical(objective, OBJECTIVES) if isinstance(objective, str) else None
    if name not in OBJECTIVES:
        raise InputError(f"Unknown objective {objective!r}; choose one of {', '.join(offered)}, or give an Objective.")
    if costs is None and name == "leaf_confidence":
        return leaf_confidence(data, number("confidence", parameters["confidence"], at_least=0.0))
    if costs is None:
        return OBJECTIVES[name](data)
    if name != "accuracy":
        raise InputError(f"cost_matrix replaces the objective, so it cannot go with objective={objective!r}.")
    return cost_sensitive(data, costs)


def read_budget(parameters: Mapping[str, Any]) -> Budget:
    """What the solver may spend."""
    seconds, jobs = parameters["time_limit"], parameters["n_jobs"]
    _check_jobs(jobs)
    return Budget(
        seconds=None if seconds is None else number("time_limit", seconds, at_least=0.0),
        memory=read_bytes(parameters["memory_limit"]),
        threads=_threads(jobs),
        gap=number("max_gap", parameters["max_gap"], at_least=0.0),
    )


def read_leaf_rule(parameters: Mapping[str, Any]) -> tuple[int, float | None]:
    """Fewest rows that a leaf of a hybrid tree needs for a model, and the time limit; looks at ``n_jobs`` as well."""
    _check_jobs(parameters["n_jobs"])
    seconds = parameters["time_limit"]
    limit = None if seconds is None else number("time_limit", seconds, at_least=0.0)
    return whole("min_rows", parameters["min_rows"], at_least=1), limit


def read_bytes(memory: Any) -> int | None:
    """Bytes from a number or a text such as ``"4GB"``.

    Examples
    --------
    >>> read_bytes("1.5 GB"), read_bytes(1000), read_bytes(None)
    (1500000000, 1000, None)
    """
    if memory is None:
        return None
    is_number = isinstance(memory, (int, float, np.integer, np.floating)) and not isinstance(memory, bool)
    if is_number and 0 < memory < math.inf:
        return int(memory)
    found = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([A-Za-z]*)\s*", memory) if isinstance(memory, str) else None
    if found is None or found[2].upper() not in BYTES or float(found[1]) == 0:
        raise InputError(f"memory_limit must be a number of bytes or a text such as '4GB' or '500MB'; got {memory!r}.")
    return int(float(found[1]) * BYTES[found[2].upper()])


def read_constraints(
    parameters: Mapping[str, Any],
    data: Encoded,
    sensitive_features: Any,
    seconds: Callable[[], float] | None = None,
) -> tuple[Limit, ...]:
    """Limits on answers and leaves; fairness without groups of its own gets the sensitive features.

    ``seconds`` tells how long the fit has taken: many groups within many strata are thousands of limits.
    """
    most = None if seconds is None else read_budget(parameters).seconds
    limits: list[Limit] = []
    read = False
    for constraint in listed(parameters["constraints"]):
        if not _is_constraint(constraint):
            raise InputError(
                f"constraints must hold FalseNegatives(...), Fairness(...) and LeafAccuracy(...); got {constraint!r}."
            )
        if isinstance(constraint, Fairness) and constraint.groups is None:
            constraint, read = replace(constraint, groups=sensitive_features), True
        for limit in constraint.limits(data):
            limits.append(limit)
            if seconds is not None and most is not None and seconds() > most + GRACE:
                raise InputError(
                    f"time_limit={most:g} was over while the constraints were written, after {len(limits)} limits: "
                    f"every two groups are compared in each stratum. Allow more time, or put groups or strata together."
                )
    if sensitive_features is not None and not read:
        raise InputError("sensitive_features is read by Fairness(...) without groups only, and there is none.")
    return tuple(limits)


def listed(constraints: Any) -> list[Any]:
    """Return the constraints as a list; a single one need not be in one.

    Examples
    --------
    >>> listed(None), listed((1, 2))
    ([], [1, 2])
    """
    if constraints is None:
        return []
    if _is_constraint(constraints):
        return [constraints]
    one_by_one = isinstance(constraints, Iterable) and getattr(constraints, "ndim", 1) == 1
    if isinstance(constraints, str | type) or not one_by_one:
        raise InputError(f"constraints must be a list, such as [FalseNegatives(at_most=3)]; got {constraints!r}.")
    return list(constraints)


def _is_constraint(value: Any) -> bool:
    """Whether it is a constraint, and not its class."""
    return callable(getattr(value, "limits", None)) and not isinstance(value, type)


def only_on_answers(limits: Iterable[Limit]) -> tuple[LinearLimit | SoftLimit, ...]:
    """Limits on the answers; refuses one on each leaf, which only trees support."""
    found: list[LinearLimit | SoftLimit] = []
    for limit in limits:
        if isinstance(limit, LeafLimit):
            raise Unsupported(
                f"Diagrams support no limit on each leaf, such as the {limit.text}. "
                f"Use OptimalTreeClassifier, or leave LeafAccuracy(...) out."
            )
        found.append(limit)
    return tuple(found)


def _check_jobs(jobs: Any) -> None:
    if jobs is not None and whole("n_jobs", jobs) == 0:
        raise InputError("n_jobs must not be 0; use 1 for one thread, -1 for one per core.")


def _threads(jobs: Any) -> int:
    """Threads as scikit-learn counts them: -1 is one per core, -2 one less."""
    if jobs is None:
        return 1
    return int(jobs) if jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(jobs))


def read_depth(value: Any) -> int | None:
    """Most questions on any path of a tree; ``None`` for no limit."""
    return None if value is None else whole("max_depth", value, at_least=0)


def whole(name: str, value: Any, at_least: int | None = None) -> int:
    """Read an integer."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise InputError(f"{name} must be an integer; got {value!r}.")
    if at_least is not None and value < at_least:
        raise InputError(f"{name} must be {at_least} or more; got {value}.")
    return int(value)


def number(name: str, value: Any, at_least: float) -> float:
    """Read a finite number."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not math.isfinite(value) or value < at_least:
        raise InputError(f"{name} must be a finite number, {at_least:g} or more; got {value!r}.")
    return float(value)


def _least_rows(value: Any, n_rows: int, objective: Any) -> int:
    if value is None:
        return max(1, min(LEAST_ROWS, int(LARGEST_SHARE * n_rows))) if is_worst_leaf(objective) else 1
    return rows_or_share("min_samples_leaf", value, n_rows)


def rows_or_share(name: str, value: Any, n_rows: int) -> int:
    """Read a number of rows; a share of them becomes a number, rounded up."""
    if isinstance(value, (float, np.floating)):
        if not 0 < value < 1:
            raise InputError(f"{name} must be a number of rows or a share between 0 and 1; got {value!r}.")
        return max(1, math.ceil(meant_share(float(str(value))) * n_rows))  # 0.07 of 100 rows are 7 of them
    return whole(name, value, at_least=1)
