"""Fits the models of the leaves of a hybrid tree, and keeps those that are worth it."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from exactree.estimators.fit_run import FitRun
from exactree.estimators.hybrid.leaf_columns import CodedLabels, able_to_read
from exactree.estimators.hybrid.leaf_models import FittedLeaf, LeafTask, described, fit_leaves, why_constant
from exactree.estimators.hybrid.leaf_validation import Validation, answer_costs, fold_tasks, predict_held_out
from exactree.estimators.hybrid.report import HybridReport, LeafScore
from exactree.estimators.hybrid.training import LARGEST_SEED, TrainingRows, is_fractional, with_seed
from exactree.estimators.progress import LeafLines
from exactree.model import Graph

STOPPED = "the callback stopped the fit before its model was fitted"
OUT_OF_TIME = "time_limit was over before its model was fitted"
VALIDATION_SHARE = 5 / 6  # of the time for models: five fits of six


@dataclass(frozen=True, slots=True, eq=False)
class FittedLeaves:
    """The models of all leaves, None where the class stays, and why."""

    models: dict[int, Any]
    report: HybridReport
    n_missed: int  # models that were left out since a callback said stop, or time was up


@dataclass(slots=True, eq=False)
class LeafFitting:
    """One fit: the estimator of the leaves, the tree and its training rows."""

    estimator: Any
    tree_estimator: Any
    graph: Graph
    rows: TrainingRows
    as_they_came: bool  # whether models read rows of the caller's own table
    random: Any
    seeds: dict[int, int | None] = field(init=False)

    def __post_init__(self) -> None:
        leaves = self.graph.leaves.tolist()
        # A seed for every leaf, so that a leaf's does not depend on which others get a model.
        drawn = [None] * len(leaves)
        if self.random is not None:
            drawn = self.random.randint(LARGEST_SEED, size=len(leaves)).tolist()
        self.seeds = dict(zip(leaves, drawn, strict=True))

    def run(
        self,
        run: FitRun,
        min_rows: int,
        n_jobs: int | None,
        *,
        validate: bool,
        verbose: bool,
        time_limit: float | None = None,
    ) -> FittedLeaves:
        """Fit the models of all leaves that need one and, if asked, where they win in validation.

        No fit begins once ``time_limit`` seconds of the run are over.
        """
        began = run.seconds()

        def out_of_time(share: float) -> bool:
            return time_limit is not None and run.seconds() >= began + share * (time_limit - began)

        n_classes = self.graph.n_classes
        why: dict[int, str | None] = {
            node: why_constant(self.estimator, self.rows.counts(node, n_classes), self._classes, min_rows=min_rows)
            for node in self.seeds
        }
        wanted = [node for node, reason in why.items() if reason is None]
        if verbose:
            LeafLines(sys.stderr, len(wanted)).tree(self.graph)
        validated = self._validate(wanted, n_jobs, run, lambda: out_of_time(VALIDATION_SHARE)) if validate else {}
        if validate:
            missed = STOPPED if run.stopped else OUT_OF_TIME
            why |= {node: missed for node in wanted if node not in validated}
            losing = {node: found for node, found in validated.items() if not found.wins}
            why |= {node: found.text(described(self.estimator)) for node, found in losing.items()}
        chosen = [node for node in wanted if why[node] is None]
        lines = LeafLines(sys.stderr, len(chosen)) if verbose else None
        fitted = fit_leaves(map(self._task, chosen), len(chosen), n_jobs, run, lambda: out_of_time(1.0), lines)
        missed = STOPPED if run.stopped else OUT_OF_TIME
        why |= {node: missed for node in chosen if node not in fitted}
        models = {node: fitted[node].model if node in fitted else None for node in why}
        scores = (self._score(node, why[node], fitted.get(node), validated.get(node)) for node in why)
        n_missed = sum(reason in (STOPPED, OUT_OF_TIME) for reason in why.values())
        return FittedLeaves(models, HybridReport(tuple(scores)), n_missed)

    @property
    def _classes(self) -> Any:
        return self.tree_estimator.classes_

    def _task(self, node: int) -> LeafTask:
        """Return the model of a leaf and its rows, of which it has a copy."""
        preparation, model = None, clone(self.estimator, safe=False)
        if not self.as_they_came:
            preparation, model = able_to_read(self.estimator, self.graph.schema)
        if is_fractional(self._classes):
            model = CodedLabels(model)
        seed = self.seeds[node]
        model = with_seed(model, None if seed is None else np.random.RandomState(seed))
        at = self.rows.at(node)
        weights = None if self.rows.weights is None else self.rows.weights[at]
        labels = self._classes[self.rows.codes[at]]
        return LeafTask(node, preparation, model, _safe_indexing(self.rows.columns, at), labels, weights)

    def _validate(
        self, nodes: list[int], n_jobs: int | None, run: FitRun, out_of_time: Callable[[], bool]
    ) -> dict[int, Validation]:
        """Compare the model and the class of each leaf on its rows, as far as a callback and the time let it."""

        def tasks() -> Iterator[Any]:
            for node in nodes:
                yield from fold_tasks(
                    self._task(node), self.rows.codes[self.rows.at(node)], self.estimator, self.seeds[node]
                )

        labels = {node: self._classes[self.rows.codes[self.rows.at(node)]] for node in nodes}
        done = predict_held_out(tasks(), len(nodes), n_jobs, run, out_of_time, labels)
        costs = answer_costs(self.tree_estimator, self._classes, self.rows)
        index = {label: code for code, label in enumerate(self._classes.tolist())}
        found = {}
        for node in nodes:
            if node not in done:
                continue
            at = self.rows.at(node)
            codes = self.rows.codes[at]
            answers = np.array([index[label] for label in labels[node].tolist()], dtype=np.intp)
            constant = np.full(len(at), self.graph.label[node], dtype=np.intp)
            right, class_right = (int(np.count_nonzero(codes == given)) for given in (answers, constant))
            both = costs.of(at, codes, answers), costs.of(at, codes, constant)
            found[node] = Validation(*both, right, class_right, len(at), costs.counts_errors)
        return found

    def _score(self, node: int, why: str | None, fitted: FittedLeaf | None, validated: Validation | None) -> LeafScore:
        counts = self.rows.counts(node, self.graph.n_classes)
        label = self._classes[[self.graph.label[node]]].tolist()[0]
        n_rows, tree_right = int(counts.sum()), int(counts[self.graph.label[node]])
        if fitted is None:
            return LeafScore(node, label, n_rows, tree_right, tree_right, None, str(why))
        said = f"fitted on {n_rows:,} rows of {np.count_nonzero(counts)} classes"
        name = described(self.estimator)
        if validated is None:
            return LeafScore(node, label, n_rows, tree_right, fitted.right, name, said)
        share = validated.right / validated.rows
        return LeafScore(node, label, n_rows, tree_right, fitted.right, name, f"{said}; {validated}", share)
