"""Which paths would lower the master's cost: by depth-first search.

A path of reduced cost below 0 may make the relaxation cheaper. The search (``ExactPricing``) finds the cheapest paths
to every leaf, and so proves how low the relaxation can get. The paper's own ways are in ``cg_published``.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from exactree.arrays import Bools, Floats, Int32s
from exactree.errors import SolverBug, Unsupported
from exactree.solve.column_generation.master import Duals
from exactree.solve.column_generation.paths import Paths, PathTable
from exactree.solve.interface import Status
from exactree.solve.run_state import Exhausted, RunState
from exactree.tolerances import FEASIBILITY

MOST_PATHS = 30  # for each leaf and call
MOST_WRITTEN = 50_000  # for each leaf, where all paths are written down


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """What paths may be made of: choices that are open, labels that each leaf may answer."""

    open: Bools  # (n_choices,)
    says: Bools  # (n_leaves, n_classes)

    @classmethod
    def of(cls, table: PathTable) -> "Field":
        """Everything."""
        return cls(
            np.ones(table.n_choices, dtype=np.bool_),
            np.ones((table.shape.n_leaves, table.cost.shape[1]), dtype=np.bool_),
        )

    @classmethod
    def by_label(cls, table: PathTable) -> list["Field"]:
        """Everything, one label at a time; without constraints on answers only the cheapest label of a path counts."""
        if table.labels_follow:
            return [cls.of(table)]
        n_classes = table.cost.shape[1]
        fields = [cls.of(table) for _ in range(n_classes)]
        for label, part in enumerate(fields):
            part.says[:, np.arange(n_classes) != label] = False
        return fields

    def allows(self, paths: Paths) -> Bools:
        """Which paths are made of what is allowed."""
        return np.asarray(self.open[paths.choices].all(axis=1) & self.says[paths.leaf, paths.label])


@dataclass(frozen=True, slots=True, eq=False)
class Priced:
    """Paths of interest; least reduced cost of any path to each leaf, or minus infinity where that is not known."""

    paths: Paths
    least: Floats  # (n_leaves,)
    all: bool = False  # whether no path of interest is missing


class Pricing(Protocol):
    """A way to find paths of low reduced cost."""

    def price(self, duals: Duals, field: Field, known: Floats) -> Priced:
        """Find paths; ``known`` is the least reduced cost at hand for each leaf."""
        ...


def row_costs(table: PathTable, duals: Duals) -> Floats:
    """What a signature adds to the reduced cost of the paths it follows, by label, (n_signatures, n_classes)."""
    weights = duals.side[: len(table.side)]
    return np.ascontiguousarray(
        table.cost - (table.base + duals.row)[:, None] - np.tensordot(weights, table.side, axes=1)
    )


def leaf_price(table: PathTable, duals: Duals) -> float:
    """What a leaf that holds any row adds to its path's reduced cost."""
    counted = float(duals.side[-1]) if table.limits_leaves else 0.0
    return table.costs.leaf_price - counted


def lagrangian(table: PathTable, duals: Duals, least: Floats) -> float:
    """Bound on the cost of every tree (without what none avoids), given the least reduced cost for each leaf."""
    paid = float(duals.fee.sum()) + float(duals.row.sum()) + float(duals.side @ table.at_most)
    return paid + float(least.sum())


@dataclass(frozen=True, slots=True, eq=False)
class ExactPricing:
    """Depth-first search in the native kernel: all paths that matter, and a bound."""

    table: PathTable
    state: RunState
    most: int = MOST_PATHS
    below: float = -FEASIBILITY

    def price(self, duals: Duals, field: Field, known: Floats) -> Priced:
        """Find the cheapest paths to each leaf."""
        table = self.table
        found = table.native.price(
            cost=row_costs(table, duals),
            fee=np.ascontiguousarray(-duals.fee),
            toll=np.ascontiguousarray(-duals.toll),
            open=np.ascontiguousarray(field.open),
            says=np.ascontiguousarray(field.says),
            known=np.ascontiguousarray(known),
            price=leaf_price(table, duals),
            below=self.below,
            most=self.most,
            seconds=self.state.left(),
        )
        if found.ended is not None:
            raise Exhausted(Status(found.ended))
        return Priced(measured(table, found.leaf, found.choices, found.label), np.array(found.best), found.all)


@dataclass(frozen=True, slots=True, eq=False)
class NoPricing:
    """For a master that has all paths."""

    table: PathTable

    def price(self, duals: Duals, field: Field, known: Floats) -> Priced:
        """What is known is all there is."""
        return Priced(none_of(self.table), known, True)


def none_of(table: PathTable) -> Paths:
    """No path."""
    nothing = np.empty(0, dtype=np.int32)
    return measured(table, nothing, nothing.reshape(0, table.shape.depth), nothing)


def all_paths(table: PathTable, state: RunState) -> Paths:
    """Every path; with constraints on answers, with every label."""
    n_leaves = table.shape.n_leaves
    nothing = Duals(
        np.zeros(n_leaves), np.zeros((n_leaves, table.n_choices)), np.zeros(table.n_signatures), 0.0 * table.at_most
    )
    parts = []
    for field in Field.by_label(table):
        priced = ExactPricing(table, state, MOST_WRITTEN, np.inf).price(nothing, field, np.full(n_leaves, np.inf))
        if not priced.all:
            raise Unsupported(
                f"consistency='prefix' writes all paths down, and a leaf has more than {MOST_WRITTEN} of them. "
                f"Use consistency='node', or fewer questions."
            )
        parts.append(priced.paths)
    return Paths.joined(parts)


def measured(table: PathTable, leaf: Int32s, choices: Int32s, label: Int32s) -> Paths:
    """Paths that must all be allowed, with their costs."""
    if len(leaf) == 0:
        choices = np.empty((0, table.shape.depth), dtype=np.int32)
    paths, allowed = table.measured(leaf, choices, np.array(label))
    if not allowed.all():
        raise SolverBug("Pricing returned a path whose leaf is too small.")
    return paths
