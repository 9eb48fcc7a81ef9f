"""Decision diagrams: which are allowed, and what they cost.

A diagram has layers of nodes that ask; a side of a node goes to a node of the next layer or to one of the leaves, of
which there is one for each class. Several sides may go to the same node. A node may also ask nothing of the rows that
reach it and pass them on to the next layer: it counts like any other.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from exactree.arrays import Int32s, Ints
from exactree.encode import Encoded
from exactree.errors import InputError
from exactree.model import Graph
from exactree.problem.limits import HIGHEST_PRICE, check_split_columns
from exactree.problem.linear_limit import LIMIT_NOISE, LinearLimit, SoftLimit
from exactree.problem.objective import Objective
from exactree.problem.problem import RESOLUTION, noise_of
from exactree.problem.split_columns import n_further_columns, too_many_columns

# The four skeletons of the paper (Florio et al. 2023), 15 nodes each.
SKELETONS = {"I": (1, 2, 4, 8), "II": (1, 2, 4, 4, 4), "III": (1, 2, 3, 3, 3, 3), "IV": (1, 2, 2, 2, 2, 2, 2, 2)}


@dataclass(frozen=True, slots=True)
class DiagramLimits:
    """Limits on the shape of a diagram, and what its nodes cost. ``None`` means no limit.

    Examples
    --------
    >>> DiagramLimits(SKELETONS["I"]).n_nodes
    15
    """

    widths: tuple[int, ...]  # most nodes that ask in each layer, the root's first
    ccp_alpha: float = 0.1  # price of all nodes but the root, as a share of the total weight
    max_nodes: int | None = None  # most nodes that ask, the root among them
    min_samples_node: int = 1  # fewest rows at every node that asks but the root
    min_weight_fraction_leaf: float = 0.0  # share of the total weight, of every side that ends and that rows take
    tree: bool = False  # whether no node may have two parents
    multivariate: bool = False  # whether a node may ask about a linear combination of columns
    max_split_columns: int | None = None  # most columns of such a linear combination
    column_price: float = 0.0  # price of each of its columns but the first, as a share of the total weight

    def __post_init__(self) -> None:
        widths = self.widths
        if not widths or widths[0] != 1:
            raise InputError(f"widths must begin with 1, the root: (1, 2, 4); got {widths}.")
        for layer, (above, width) in enumerate(pairwise(widths), start=1):
            if not 1 <= width <= 2 * above:
                raise InputError(
                    f"widths has {width} at layer {layer}: it must be 1 or more, and at most twice the {above} above."
                )
        if self.max_nodes is not None and self.max_nodes < 1:
            raise InputError(f"max_nodes must be 1 or more, or None for no limit; got {self.max_nodes}.")
        if self.min_samples_node < 1:
            raise InputError(f"min_samples_node must be 1 or more rows; got {self.min_samples_node}.")
        if not 0 <= self.min_weight_fraction_leaf <= 0.5:
            raise InputError(f"min_weight_fraction_leaf must lie in 0..0.5; got {self.min_weight_fraction_leaf}.")
        if not 0 <= self.ccp_alpha <= HIGHEST_PRICE:
            raise InputError(f"ccp_alpha must lie in 0..{HIGHEST_PRICE:g}; got {self.ccp_alpha}.")
        check_split_columns(self.max_split_columns, self.column_price)

    @property
    def n_nodes(self) -> int:
        """Nodes that ask, if all are used."""
        return sum(self.widths)

    @property
    def depth(self) -> int:
        """Most questions on any path."""
        return len(self.widths)

    @property
    def most_nodes(self) -> int:
        """Most nodes that ask within these limits."""
        return self.n_nodes if self.max_nodes is None else min(self.n_nodes, self.max_nodes)


@dataclass(frozen=True, slots=True, eq=False)
class DiagramProblem:
    """Find the allowed diagram of lowest cost on this data.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.table import Table
    >>> from exactree.problem import DiagramLimits, accuracy
    >>> data = encode(Table.of([[0], [1]]), ["a", "b"])
    >>> DiagramProblem(data, accuracy(data), DiagramLimits((1, 2))).node_price
    0.1
    """

    data: Encoded
    objective: Objective
    limits: DiagramLimits
    constraints: tuple[LinearLimit | SoftLimit, ...] = ()  # on the answers; not every solver takes them
    seed: int = 0  # of the construction that solvers start from

    @property
    def on_answers(self) -> tuple[LinearLimit, ...]:
        """Constraints on the answers that no diagram may break."""
        return tuple(limit for limit in self.constraints if isinstance(limit, LinearLimit))

    @property
    def soft(self) -> tuple[SoftLimit, ...]:
        """Constraints on the answers whose violation has a price."""
        return tuple(limit for limit in self.constraints if isinstance(limit, SoftLimit))

    @property
    def total_penalty_at_most(self) -> float:
        """What violations of constraints with a price may cost together."""
        return sum(soft.price * max(limit.largest / limit.unit for limit in soft.limits) for soft in self.soft)

    @property
    def total_weight(self) -> float:
        """Weight of all rows."""
        return self.data.total_weight

    @property
    def node_price(self) -> float:
        """What each node that asks adds to the cost, but for the root, which is free."""
        return self.limits.ccp_alpha * self.total_weight / max(self.limits.n_nodes - 1, 1)

    @property
    def column_price(self) -> float:
        """What each column of an oblique split but the first adds to the cost."""
        return self.limits.column_price * self.total_weight

    @property
    def min_leaf_weight(self) -> float:
        """Least weight of the rows that take a side which ends in a leaf."""
        return self.limits.min_weight_fraction_leaf * self.total_weight

    @property
    def tolerance(self) -> float:
        """Differences in cost below this are noise."""
        prices = self.limits.ccp_alpha * self.total_weight
        if penalties := self.total_penalty_at_most:
            worst = self.total_weight * float(self.objective.matrix.max(initial=0.0)) + prices + penalties
            return RESOLUTION * worst
        return noise_of(self.data, self.objective, np.array([self.node_price, self.column_price]), prices)

    def cost(self, model: Graph, leaf: Int32s | None = None) -> float:
        """Weighted cost of the answers on the training rows, plus prices of nodes, oblique splits and violations.

        The root is free, and so is the first column of each split.
        Every solver's result is scored again with this method. ``leaf`` is what ``model.apply`` gives, if known.
        """
        answers = model.label[model.apply(self.data.table) if leaf is None else leaf]
        mistakes = self.data.weights * self.objective.matrix[self.data.labels, answers]
        prices = self.node_price * max(n_asking(model) - 1, 0) + self.column_price * n_further_columns(model)
        return float(np.sum(mistakes)) + prices + sum(soft.penalty(answers) for soft in self.soft)

    def may_end(self, points: Ints) -> bool:
        """Whether a side that these points take is heavy enough to end in a leaf; one that none takes always is."""
        return len(points) == 0 or self._is_enough(float(self.data.point_weights[points].sum()))

    def _is_enough(self, weight: float) -> bool:
        return weight >= self.min_leaf_weight * (1 - RESOLUTION)

    def order(self, model: Graph) -> tuple[float, ...]:
        """What decides between two models, the lower the better: cost, then nodes."""
        return self.cost(model), float(n_asking(model))

    def violations(self, model: Graph, leaf: Int32s | None = None) -> list[str]:
        """What is not allowed about a model; empty if it may be returned. ``leaf`` as in :meth:`cost`."""
        limits, found = self.limits, _misplaced(model, self.limits)
        if n_asking(model) > limits.most_nodes:
            found.append(f"{n_asking(model)} nodes ask, the limit is {limits.most_nodes}")
        if limits.tree and (n_parents(model)[_asking(model)] > 1).any():
            found.append("a node has two parents, expected a tree")
        if not limits.multivariate and model.is_linear:
            found.append("it asks about a linear combination of columns, which is not allowed")
        found += too_many_columns(model, limits.max_split_columns)
        if limits.min_samples_node > 1 and n_asking(model) > 1:
            rows = np.asarray(model.decision_path(self.data.table).sum(axis=0)).ravel()[_asking(model)][1:]
            if rows.min() < limits.min_samples_node:
                found.append(f"a node has {rows.min()} rows, the limit is {limits.min_samples_node}")
        if limits.min_weight_fraction_leaf > 0 and n_asking(model) > 0:
            least = _lightest_end(model, self.data)
            if not self._is_enough(least):
                found.append(f"a side that ends has weight {least:g}, the limit is {self.min_leaf_weight:g}")
        if self.on_answers:
            answers = model.label[model.apply(self.data.table) if leaf is None else leaf]
            found += [f"too large: {c.text}" for c in self.on_answers if c.excess(answers) > LIMIT_NOISE]
        return found


def n_asking(model: Graph) -> int:
    """Nodes that ask something."""
    return model.n_nodes - model.n_leaves


def n_parents(model: Graph) -> Ints:
    """Nodes that go to each node; one that goes there with both sides counts once."""
    asking = _asking(model)
    yes, no = model.yes[asking], model.no[asking]
    return np.bincount(np.concatenate([yes, no[no != yes]]), minlength=model.n_nodes)


def layers_of(model: Graph) -> Ints:
    """Questions before each node on the longest way to it."""
    layer = np.zeros(model.n_nodes, dtype=np.int64)
    for node in _asking(model).tolist():
        for side in (model.yes[node], model.no[node]):
            layer[side] = max(layer[side], layer[node] + 1)
    return layer


def _asking(model: Graph) -> Ints:
    asking = np.ones(model.n_nodes, dtype=np.bool_)
    asking[model.leaves] = False
    return np.flatnonzero(asking)


def _lightest_end(model: Graph, data: Encoded) -> float:
    """Least weight of the rows that go from one node to leaves of one label, where any do.

    Two sides of a node that go to one leaf count as one: such a node asks nothing.
    """
    paths = model.decision_path(data.table)
    paths.sort_indices()  # children come after their parents, so a row's leaf is last, and the node before it next
    last = paths.indptr[1:] - 1
    labels = model.label[paths.indices[last]]  # in a tree each of the two sides has a leaf of its own
    ends = paths.indices[last - 1].astype(np.int64) * model.n_classes + labels
    return float(np.bincount(np.unique(ends, return_inverse=True)[1], weights=data.weights).min())


def _misplaced(model: Graph, limits: DiagramLimits) -> list[str]:
    """Say where a model does not fit into the layers."""
    asking, layer = _asking(model), layers_of(model)
    counts = np.bincount(layer[asking], minlength=1)
    if len(counts) > limits.depth:
        return [f"its depth is {model.depth}, the limit is {limits.depth}"]
    found = [
        f"layer {at} has {count} nodes, the limit is {width}"
        for at, (count, width) in enumerate(zip(counts.tolist(), limits.widths, strict=False))
        if count > width
    ]
    inner = set(asking.tolist())
    for node in asking.tolist():
        sides = (int(model.yes[node]), int(model.no[node]))
        found += [f"node {node} skips a layer" for side in sides if side in inner and layer[side] != layer[node] + 1]
    return found
