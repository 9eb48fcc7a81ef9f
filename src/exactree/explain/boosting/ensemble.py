"""Tree ensembles as sums of scores: which leaves their trees have, and which splits lead there.

The class with the highest sum over all trees is predicted. That is how boosting and forests of scikit-learn predict;
a tree is an ensemble of one. Models are recognised by name, so that none has to be imported.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.arrays import Floats
from exactree.errors import Unsupported
from exactree.explain.network.features import Feature, input_features, transformed_features
from exactree.explain.network.network import unwrapped
from exactree.table import Schema


@dataclass(frozen=True, slots=True)
class Split:
    """One split of a tree: at most a number, or one of some levels."""

    feature: int
    threshold: float  # NaN if it asks for levels
    levels: frozenset[int] | None  # values of the feature that go left
    missing_left: bool


@dataclass(frozen=True, slots=True)
class TreeLeaf:
    """A leaf of a tree of the ensemble: the splits on the way there, and what it adds to the scores."""

    tree: int
    path: tuple[tuple[Split, bool], ...]  # and whether the way goes left
    scores: tuple[float, ...]  # one per output


@dataclass(frozen=True, slots=True, eq=False)
class Ensemble:
    """The model of a leaf as a sum of trees over features, each of which is a function of one column."""

    features: Sequence[Feature]
    leaves: Sequence[TreeLeaf]  # tree by tree
    base: Floats  # (n_outputs,) added to the scores
    labels: NDArray[np.intp]  # (n_outputs,) class of the hybrid's tree
    takes_missing: bool
    single: bool  # whether features are rounded to 32 bits before they are compared

    @property
    def columns(self) -> frozenset[int]:
        """Columns of the table that any split reads."""
        return frozenset(self.features[split.feature].column for leaf in self.leaves for split, _ in leaf.path)

    def thresholds(self) -> dict[int, list[float] | None]:
        """Return the thresholds by column; None for columns that are scaled before they are compared."""
        found: dict[int, set[float] | None] = {}
        for leaf in self.leaves:
            for split, _ in leaf.path:
                feature = self.features[split.feature]
                plain = feature.levels is None and split.levels is None and (feature.slope, feature.intercept) == (1, 0)
                known = found.setdefault(feature.column, set())
                if not plain:
                    found[feature.column] = None
                elif known is not None:
                    known.add(split.threshold)
        return {j: None if cuts is None else sorted(cuts) for j, cuts in found.items()}


def ensemble_of(model: Any, schema: Schema, classes: list[Any], *, raw_rows: bool) -> Ensemble:
    """Read a fitted leaf model; reject models that are no tree ensemble, or read nonlinear features.

    Examples
    --------
    >>> from sklearn.ensemble import GradientBoostingClassifier
    >>> from exactree.table import Table
    >>> X = [[1.0], [2.0], [3.0], [4.0]]
    >>> model = GradientBoostingClassifier(n_estimators=2, max_depth=1).fit(X, ["a", "a", "b", "b"])
    >>> ensemble = ensemble_of(model, Table.of(X).schema, ["a", "b"], raw_rows=True)
    >>> len(ensemble.leaves), ensemble.leaves[0].path[0][0].threshold, ensemble.labels.tolist()
    (4, 2.5, [0, 1])
    """
    features, inner = input_features(schema, raw_rows=raw_rows), model
    # Forests have an attribute that wrappers have as well, so each model is looked at before it is opened.
    while not _is_known(inner) and (opened := unwrapped(inner, features)) is not None:
        inner, features = opened
    name = type(inner).__name__
    if not _is_known(inner):
        raise Unsupported(f"{name} is no tree ensemble that exactree reads.")
    labels = np.array([classes.index(label) for label in np.asarray(model.classes_).tolist()], dtype=np.intp)
    return READERS[name](inner, features, labels)


def _is_known(model: Any) -> bool:
    return type(model).__module__.partition(".")[0] == "sklearn" and type(model).__name__ in READERS


def constant_ensemble(label: int) -> Ensemble:
    """Return an ensemble without trees, that always predicts one class.

    Examples
    --------
    >>> constant_ensemble(2).labels.tolist()
    [2]
    """
    return Ensemble((), (), np.zeros(1), np.array([label], dtype=np.intp), takes_missing=True, single=False)


def _histogram_boosting(model: Any, features: list[Feature], labels: NDArray[np.intp]) -> Ensemble:
    if getattr(model, "_preprocessor", None) is not None:  # categories first, coded anew
        chosen = np.asarray(model.is_categorical_)
        encoder = model._preprocessor.named_transformers_["encoder"]
        coded = transformed_features(encoder, [features[i] for i in np.flatnonzero(chosen).tolist()])
        features = [*coded, *(features[i] for i in np.flatnonzero(~chosen).tolist())]
    n_outputs, leaves = len(labels), list[TreeLeaf]()
    n_scores = len(model._predictors[0]) if model._predictors else 1
    for at, predictor in enumerate(p for iteration in model._predictors for p in iteration):
        output = 1 if n_scores == 1 else at % n_scores  # two classes share one score, of the second
        nodes = predictor.nodes

        def split(node: int, nodes: Any = nodes, bits: Any = predictor.raw_left_cat_bitsets) -> Split:
            here = nodes[node]
            if here["is_categorical"]:
                words = bits[int(here["bitset_idx"])].tolist()
                levels = frozenset(c for c in range(32 * len(words)) if words[c // 32] >> (c % 32) & 1)
                return Split(int(here["feature_idx"]), np.nan, levels, bool(here["missing_go_to_left"]))
            cut = float(here["num_threshold"])
            return Split(int(here["feature_idx"]), cut, None, bool(here["missing_go_to_left"]))

        def scores(node: int, nodes: Any = nodes, output: int = output) -> tuple[float, ...]:
            return tuple(float(nodes[node]["value"]) if o == output else 0.0 for o in range(n_outputs))

        leaves += _leaves(at, nodes["left"], nodes["right"], nodes["is_leaf"].astype(bool), split, scores)
    base = np.zeros(n_outputs)
    base[n_outputs - n_scores if n_scores == 1 else 0 :] = np.ravel(model._baseline_prediction)
    return Ensemble(features, leaves, base, labels, takes_missing=True, single=False)


def _gradient_boosting(model: Any, features: list[Feature], labels: NDArray[np.intp]) -> Ensemble:
    if model.init_ != "zero" and type(model.init_).__name__ != "DummyClassifier":
        raise Unsupported(f"GradientBoostingClassifier(init={model.init!r}) is no sum of trees.")
    n_outputs, leaves = len(labels), list[TreeLeaf]()
    n_scores = model.estimators_.shape[1]
    for at, tree in enumerate(model.estimators_.ravel()):
        output = 1 if n_scores == 1 else at % n_scores
        values = model.learning_rate * tree.tree_.value[:, 0, 0]

        def scores(node: int, values: Any = values, output: int = output) -> tuple[float, ...]:
            return tuple(float(values[node]) if o == output else 0.0 for o in range(n_outputs))

        leaves += _tree_leaves(at, tree.tree_, scores)
    base = np.zeros(n_outputs)
    start = np.ravel(model._raw_predict_init(np.zeros((1, model.n_features_in_), dtype=np.float32)))
    base[n_outputs - n_scores if n_scores == 1 else 0 :] = start
    return Ensemble(features, leaves, base, labels, takes_missing=False, single=True)


def _forest(model: Any, features: list[Feature], labels: NDArray[np.intp]) -> Ensemble:
    trees = getattr(model, "estimators_", [model])
    leaves = list[TreeLeaf]()
    for at, tree in enumerate(trees):
        values = tree.tree_.value[:, 0, :] / tree.tree_.value[:, 0, :].sum(axis=1, keepdims=True) / len(trees)

        def scores(node: int, values: Any = values) -> tuple[float, ...]:
            return tuple(values[node].tolist())

        leaves += _tree_leaves(at, tree.tree_, scores)
    takes = all(bool(tree._support_missing_values(np.zeros((1, 1)))) for tree in trees)
    return Ensemble(features, leaves, np.zeros(len(labels)), labels, takes_missing=takes, single=True)


def _tree_leaves(at: int, tree: Any, scores: Callable[[int], tuple[float, ...]]) -> list[TreeLeaf]:
    """Return the leaves of a decision tree of scikit-learn."""
    missing = getattr(tree, "missing_go_to_left", np.zeros(tree.node_count))

    def split(node: int) -> Split:
        return Split(int(tree.feature[node]), float(tree.threshold[node]), None, bool(missing[node]))

    return _leaves(at, tree.children_left, tree.children_right, tree.children_left < 0, split, scores)


def _leaves(
    at: int,
    left: Any,
    right: Any,
    is_leaf: Any,
    split: Callable[[int], Split],
    scores: Callable[[int], tuple[float, ...]],
) -> list[TreeLeaf]:
    found: list[TreeLeaf] = []
    stack: list[tuple[int, tuple[tuple[Split, bool], ...]]] = [(0, ())]
    while stack:
        node, path = stack.pop()
        if is_leaf[node]:
            found.append(TreeLeaf(at, path, scores(node)))
            continue
        here = split(node)
        stack += [(int(right[node]), (*path, (here, False))), (int(left[node]), (*path, (here, True)))]
    return found


READERS: dict[str, Callable[[Any, list[Feature], NDArray[np.intp]], Ensemble]] = {
    "HistGradientBoostingClassifier": _histogram_boosting,
    "GradientBoostingClassifier": _gradient_boosting,
    "RandomForestClassifier": _forest,
    "ExtraTreesClassifier": _forest,
    "DecisionTreeClassifier": _forest,
    "ExtraTreeClassifier": _forest,
}
