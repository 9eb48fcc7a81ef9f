"""Pricing: find paths of negative reduced cost, by depth-first search.

Such a path may lower the cost of the relaxation. The search (``ExactPricing``) finds the paths of least reduced cost to
every leaf, and with them a Lagrangian bound. The paper's own pricing is in ``published_pricing``.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from exactree.arrays import Bools, Floats, Int32s, Ints
from exactree.errors import SolverBug, Unsupported
from exactree.solve.column_generation.master import Duals
from exactree.solve.column_generation.paths import Paths, PathTable
from exactree.solve.interface import Status
from exactree.solve.run_state import Exhausted, RunState
from exactree.tolerances import FEASIBILITY

MOST_PATHS = 30  # for each leaf and call
MOST_LISTED = 50_000  # for each leaf, where all paths are enumerated


@dataclass(frozen=True, slots=True, eq=False)
class Restriction:
    """A node of branch and price: the choices that are open, and the labels that each leaf may have."""

    open: Bools  # (n_choices,)
    labels: Bools  # (n_leaves, n_classes)

    @classmethod
    def unrestricted(cls, table: PathTable) -> "Restriction":
        """All choices and all labels: the root."""
        return cls(
            np.ones(table.n_choices, dtype=np.bool_),
            np.ones((table.shape.n_leaves, table.cost.shape[1]), dtype=np.bool_),
        )

    @classmethod
    def one_per_label(cls, table: PathTable) -> list["Restriction"]:
        """All choices, one label at a time; without constraints on labels only the cheapest label of a path matters."""
        if table.labels_are_cheapest:
            return [cls.unrestricted(table)]
        n_classes = table.cost.shape[1]
        restrictions = [cls.unrestricted(table) for _ in range(n_classes)]
        for label, restriction in enumerate(restrictions):
            restriction.labels[:, np.arange(n_classes) != label] = False
        return restrictions

    def allows(self, paths: Paths) -> Bools:
        """Which paths have open choices and allowed labels only."""
        return np.asarray(self.open[paths.choices].all(axis=1) & self.labels[paths.leaf, paths.label])

    def without_choices(self, choices: Ints) -> "Restriction":
        """The restriction with some choices closed."""
        is_open = self.open.copy()
        is_open[choices] = False
        return Restriction(is_open, self.labels)

    def without_labels(self, leaf: int, labels: Ints) -> "Restriction":
        """The restriction with some labels of a leaf forbidden."""
        allowed = self.labels.copy()
        allowed[leaf, labels] = False
        return Restriction(self.open, allowed)


@dataclass(frozen=True, slots=True, eq=False)
class PricingResult:
    """Paths of negative reduced cost, and the least reduced cost of each leaf, or minus infinity where unknown."""

    paths: Paths
    least: Floats  # (n_leaves,)
    complete: bool = False  # whether all paths below the limit are listed


class Pricing(Protocol):
    """A method that finds paths of low reduced cost."""

    def price(self, duals: Duals, restriction: Restriction, known: Floats) -> PricingResult:
        """Find paths; ``known`` is the least reduced cost of the master's paths to each leaf."""
        ...


def signature_costs(table: PathTable, duals: Duals) -> Floats:
    """Contribution of a signature to the reduced cost of the paths it follows, by label, (n_signatures, n_classes)."""
    weights = duals.side[: len(table.side)]
    return np.ascontiguousarray(
        table.cost - (table.base + duals.row)[:, None] - np.tensordot(weights, table.side, axes=1)
    )


def leaf_price(table: PathTable, duals: Duals) -> float:
    """Contribution of a nonempty leaf to the reduced cost of its path."""
    counted = float(duals.side[-1]) if table.limits_leaves else 0.0
    return table.costs.leaf_price - counted


def lagrangian_bound(table: PathTable, duals: Duals, least: Floats) -> float:
    """Lagrangian bound on the cost of every tree, without the fixed cost, from the least reduced cost of each leaf."""
    total = float(duals.leaf.sum()) + float(duals.row.sum()) + float(duals.side @ table.at_most)
    return total + float(least.sum())


@dataclass(frozen=True, slots=True, eq=False)
class ExactPricing:
    """Depth-first search in the native kernel: the paths of least reduced cost, and a bound."""

    table: PathTable
    state: RunState
    most: int = MOST_PATHS
    below: float = -FEASIBILITY

    def price(self, duals: Duals, restriction: Restriction, known: Floats) -> PricingResult:
        """Find the paths of least reduced cost to each leaf."""
        table = self.table
        found = table.native.price(
            cost=signature_costs(table, duals),
            leaf_dual=np.ascontiguousarray(-duals.leaf),
            link_dual=np.ascontiguousarray(-duals.link),
            open=np.ascontiguousarray(restriction.open),
            labels=np.ascontiguousarray(restriction.labels),
            known=np.ascontiguousarray(known),
            price=leaf_price(table, duals),
            below=self.below,
            most=self.most,
            seconds=self.state.left(),
        )
        if found.ended is not None:
            raise Exhausted(Status(found.ended))
        return PricingResult(
            feasible_paths(table, found.leaf, found.choices, found.label), np.array(found.best), found.all
        )


@dataclass(frozen=True, slots=True, eq=False)
class NoPricing:
    """For a master that has all paths from the start."""

    table: PathTable

    def price(self, duals: Duals, restriction: Restriction, known: Floats) -> PricingResult:
        """Return no path: the master's reduced costs are the least."""
        return PricingResult(no_paths(self.table), known, True)


def no_paths(table: PathTable) -> Paths:
    """No path."""
    nothing = np.empty(0, dtype=np.int32)
    return feasible_paths(table, nothing, nothing.reshape(0, table.shape.depth), nothing)


def all_paths(table: PathTable, state: RunState) -> Paths:
    """Every path; with constraints on labels, with every label."""
    n_leaves = table.shape.n_leaves
    nothing = Duals(
        np.zeros(n_leaves), np.zeros((n_leaves, table.n_choices)), np.zeros(table.n_signatures), 0.0 * table.at_most
    )
    found = []
    for restriction in Restriction.one_per_label(table):
        priced = ExactPricing(table, state, MOST_LISTED, np.inf).price(nothing, restriction, np.full(n_leaves, np.inf))
        if not priced.complete:
            raise Unsupported(
                f"consistency='prefix' lists all paths, and a leaf has more than {MOST_LISTED} of them. "
                f"Use consistency='node', or fewer questions."
            )
        found.append(priced.paths)
    return Paths.joined(found)


def feasible_paths(table: PathTable, leaf: Int32s, choices: Int32s, label: Int32s) -> Paths:
    """Paths with their costs; all of them must have leaves of the required size."""
    if len(leaf) == 0:
        choices = np.empty((0, table.shape.depth), dtype=np.int32)
    paths, allowed = table.measured(leaf, choices, np.array(label))
    if not allowed.all():
        raise SolverBug("Pricing returned a path whose leaf is too small.")
    return paths
