"""A fitted hybrid tree as the search for counterfactuals reads it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.arrays import Bools, Floats
from exactree.errors import Unsupported
from exactree.explain.boosting.ensemble import Ensemble, constant_ensemble, ensemble_of
from exactree.explain.counterfactual.column_actions import columns_in_splits
from exactree.explain.leaf_facts import DEFAULT_CONFIDENCE, LeafFacts, plain_label, wilson
from exactree.explain.network.network import Network, constant, network_of
from exactree.model import Graph
from exactree.table import CATEGORICAL_KINDS, Frame, Table


@dataclass(frozen=True, slots=True, eq=False)
class Hybrid:
    """A fitted hybrid tree: the models of its leaves and how often they are right."""

    model: Any
    graph: Graph
    networks: Mapping[int, Network] | None  # by leaf, constant if it has no model; None if a model is no network
    ensembles: Mapping[int, Ensemble] | None  # the same for tree ensembles
    rows: NDArray[np.intp]  # (n_nodes,) training rows of leaves
    accuracy: Floats  # (n_nodes,) share right, in validation where it is known, else in training; -1 if unknown
    validated: Bools  # (n_nodes,)
    raw_rows: bool  # whether models read the caller's own table

    def labels(self, rows: Sequence[Mapping[str, Any]]) -> list[int]:
        """Return the labels that the model predicts for some rows, as indices of its classes."""
        return self.predicted(self._columns(rows))

    def labels_if_accepted(self, rows: Sequence[Mapping[str, Any]]) -> list[int | None]:
        """Return the predicted labels; None for rows that the model rejects, as an encoder does with unknown values."""
        try:
            return list(self.labels(rows))
        except ValueError:
            if len(rows) == 1:
                return [None]
            return [label for row in rows for label in self.labels_if_accepted([row])]

    def codes(self, labels: Any) -> list[int]:
        """Return labels as indices of the classes."""
        index = {label: code for code, label in enumerate(self.graph.classes.tolist())}
        return [index[label] for label in np.asarray(labels).tolist()]

    def leaf(self, row: Mapping[str, Any]) -> int:
        """Return the leaf in which a row ends."""
        return self.leaves([row])[0]

    def leaves(self, rows: Sequence[Mapping[str, Any]]) -> list[int]:
        """Return the leaves in which some rows end."""
        cells = self._columns(rows)
        table = Table.of(Frame(tuple(cells), list(cells.values()))).conform(self.graph.schema)
        leaves: list[int] = self.graph.apply(table).tolist()
        return leaves

    def leaf_facts(self, leaf: int, label: int, confidence: float = DEFAULT_CONFIDENCE) -> LeafFacts:
        """Return the rows of a leaf, and how often its model is right: in validation if known, else in training."""
        rows, share = int(self.rows[leaf]), float(self.accuracy[leaf])
        interval = wilson(share, rows, confidence) if share >= 0 else (0.0, 1.0)
        name = {score.node: score.model for score in self.model.report_.leaves}[leaf]
        known, validated = share if share >= 0 else None, bool(self.validated[leaf])
        return LeafFacts(leaf, plain_label(self.graph, label), rows, known, interval, None, name, validated)

    def possible_labels(self, node: int) -> list[int]:
        """Return the labels that a leaf can predict."""
        model = self.model.leaf_models_[node]
        return [int(self.graph.label[node])] if model is None else self.codes(model.classes_)

    def columns_read(self) -> set[int]:
        """Return the columns that the tree or a model reads; all of them if that is not known."""
        alone = columns_in_splits(self.graph)
        if self.networks is not None:
            return alone | {j for network in self.networks.values() for j in network.column_weights}
        if self.ensembles is not None:
            read = {j for ensemble in self.ensembles.values() for j in ensemble.columns}
            # A model without support for missing values cannot be asked about rows that lack any of its inputs.
            strict = (e for e in self.ensembles.values() if not e.takes_missing)
            return alone | read | {feature.column for e in strict for feature in e.features}
        return set(range(len(self.graph.schema.columns)))

    def thresholds(self) -> dict[int, list[float] | None]:
        """Return the thresholds of leaf models by column; None for columns that are not only compared with them."""
        if self.ensembles is None:
            return dict.fromkeys(self.columns_read())
        found: dict[int, list[float] | None] = {j: [] for j in self.columns_read()}
        for ensemble in self.ensembles.values():
            for j, cuts in ensemble.thresholds().items():
                known = found[j]
                found[j] = None if cuts is None or known is None else [*known, *cuts]
        return found

    def _columns(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
        return {column.name: [row[column.name] for row in rows] for column in self.graph.schema.columns}

    def predicted(self, cells: Mapping[str, list[Any]]) -> list[int]:
        """Return the labels that the model predicts for a table, given by column as the caller writes it."""
        return self.codes(self.model.predict(self._input(cells)))

    def _input(self, cells: Mapping[str, list[Any]]) -> Any:
        """Return a table as input of the model: like its training rows, if it reads raw rows."""
        if not self.raw_rows:
            return Frame(tuple(cells), list(cells.values()))
        columns = self.graph.schema.columns
        numbers = {column.name for column in columns if column.kind not in CATEGORICAL_KINDS}
        filled = {
            name: [nan if value is None and name in numbers else value for value in some]
            for name, some in cells.items()
        }
        if hasattr(self.model, "feature_names_in_"):
            if find_spec("pandas") is None:
                raise Unsupported(
                    "The leaf models read raw rows of a data frame, and predicting changed rows needs pandas: "
                    "pip install pandas, or fit them on an array."
                )
            return import_module("pandas").DataFrame(filled)
        dtype = np.float64 if len(numbers) == len(columns) else object
        return np.array(list(filled.values()), dtype=dtype).T


def hybrid_of(model: Any) -> Hybrid | None:
    """Return a fitted hybrid tree; None if ``model`` is not one, or if no leaf has a model."""
    leaf_models = getattr(model, "leaf_models_", {})
    graph = getattr(model, "tree_", None)
    if not isinstance(graph, Graph) or all(found is None for found in leaf_models.values()):
        return None
    if not hasattr(model, "report_"):
        return None  # no hybrid of this package
    raw_rows = bool(getattr(model, "reads_raw_rows_", False))
    networks = _read(leaf_models, graph, network_of, constant, raw_rows=raw_rows)
    ensembles = None
    if networks is None:
        ensembles = _read(leaf_models, graph, ensemble_of, constant_ensemble, raw_rows=raw_rows)
    rows, accuracy = np.zeros(graph.n_nodes, dtype=np.intp), np.full(graph.n_nodes, -1.0)
    validated = np.zeros(graph.n_nodes, dtype=np.bool_)
    for score in model.report_.leaves:
        validated[score.node] = score.validated is not None
        share = score.accuracy if score.validated is None else score.validated
        rows[score.node], accuracy[score.node] = score.rows, share if score.rows else -1.0
    return Hybrid(model, graph, networks, ensembles, rows, accuracy, validated, raw_rows)


def _read(leaf_models: Mapping[int, Any], graph: Graph, read: Any, constant: Any, *, raw_rows: bool) -> Any:
    """Read the models of all leaves; None if one of them is of another kind."""
    try:
        return {
            node: constant(int(graph.label[node]))
            if found is None
            else read(found, graph.schema, graph.classes.tolist(), raw_rows=raw_rows)
            for node, found in leaf_models.items()
        }
    except Unsupported:
        return None
