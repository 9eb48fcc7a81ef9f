"""Error texts are interface: every wrong parameter says what was wanted. The whole text is pinned."""

import numpy as np
import pytest

from exactree import FalseNegatives, OptimalTreeClassifier
from exactree.errors import InputError, Unsupported
from exactree.problem import Objective
from exactree.solve import SOLVERS

X = [[1.0], [2.0], [3.0], [4.0]]
y = ["a", "a", "b", "b"]

WHOLE = "must be an integer; got"
FINITE = "must be a finite number, 0 or more; got"
MEMORY = "memory_limit must be a number of bytes or a text such as '4GB' or '500MB'; got"
SHARE = "min_samples_leaf must be a number of rows or a share between 0 and 1; got"
POLICY = (
    "Expected one of 'all', 'class-changes', 'quantiles', 'sampled', 'quantiles(k)' or 'sampled(k)' with a number k, "
    "or a policy object."
)

WRONG = [
    ("max_depth", -1, "max_depth must be 0 or more; got -1."),
    ("max_depth", 2.0, f"max_depth {WHOLE} 2.0."),
    ("max_depth", True, f"max_depth {WHOLE} True."),
    ("max_depth", "3", f"max_depth {WHOLE} '3'."),
    ("max_leaf_nodes", 0, "max_leaf_nodes must be 1 or more; got 0."),
    ("max_leaf_nodes", 2.5, f"max_leaf_nodes {WHOLE} 2.5."),
    ("min_samples_leaf", 0, "min_samples_leaf must be 1 or more; got 0."),
    ("min_samples_leaf", 1.0, f"{SHARE} 1.0."),
    ("min_samples_leaf", 0.0, f"{SHARE} 0.0."),
    ("min_samples_leaf", "few", f"min_samples_leaf {WHOLE} 'few'."),
    ("min_weight_fraction_leaf", -0.1, f"min_weight_fraction_leaf {FINITE} -0.1."),
    ("min_weight_fraction_leaf", 0.6, "min_weight_fraction_leaf must lie in 0..0.5; got 0.6."),
    ("ccp_alpha", -0.1, f"ccp_alpha {FINITE} -0.1."),
    ("ccp_alpha", float("nan"), f"ccp_alpha {FINITE} nan."),
    ("ccp_alpha", float("inf"), f"ccp_alpha {FINITE} inf."),
    ("time_limit", -1, f"time_limit {FINITE} -1."),
    ("time_limit", "long", f"time_limit {FINITE} 'long'."),
    ("time_limit", True, f"time_limit {FINITE} True."),
    ("max_gap", -0.5, f"max_gap {FINITE} -0.5."),
    ("memory_limit", "4 potatoes", f"{MEMORY} '4 potatoes'."),
    ("memory_limit", 0, f"{MEMORY} 0."),
    ("memory_limit", -5, f"{MEMORY} -5."),
    ("memory_limit", True, f"{MEMORY} True."),
    ("n_jobs", 0, "n_jobs must not be 0; use 1 for one thread, -1 for one per core."),
    ("n_jobs", 1.5, f"n_jobs {WHOLE} 1.5."),
    ("thresholds", "some", f"thresholds is 'some'. {POLICY}"),
    ("thresholds", "quantiles(x)", f"thresholds is 'quantiles(x)'. {POLICY}"),
    ("thresholds", "quantiles(0)", "Quantiles needs an integer number of cuts, at least 1; got 0."),
    ("solver", "cart", f"Unknown solver 'cart'; choose one of auto, {', '.join(sorted(SOLVERS))}."),
    ("solver", 7, "solver must be a name or a solver object such as Search(); got 7."),
    (
        "objective",
        "auc",
        "Unknown objective 'auc'; choose one of accuracy, balanced_accuracy, leaf_accuracy, leaf_confidence, or give "
        "an Objective.",
    ),
    (
        "objective",
        Objective("mine", np.zeros((3, 3))),
        "The objective's matrix has shape (3, 3); expected (2, 2).",
    ),
    ("class_weight", "auto", "class_weight is 'auto'. Expected None, 'balanced', or a dict from label to weight."),
    ("class_weight", {"c": 2}, "class_weight names 'c', which is not a label in y. The labels are: 'a', 'b'."),
    ("class_weight", {"a": "2"}, "class_weight must map labels to numbers; got '2' for 'a'."),
    (
        "cost_matrix",
        np.ones((3, 3)),
        "cost_matrix has shape (3, 3); expected (2, 2), one row per true class and one column per answer, in the "
        "order ['a', 'b'].",
    ),
    (
        "cost_matrix",
        [[0, -1], [1, 0]],
        "cost_matrix must hold finite numbers, 0 or more; add a constant to a row to make it so.",
    ),
    ("cost_matrix", "dear", "cost_matrix must be an array of numbers or a mapping; got 'dear'."),
    (
        "cost_matrix",
        {("a", "z"): 2},
        "cost_matrix has the key ('a', 'z'); keys must be pairs (true label, answer) of the labels ['a', 'b'].",
    ),
]


@pytest.mark.each(("name", "value", "message"), WRONG)
def test_wrong_parameters(name, value, message):
    with pytest.raises(InputError) as caught:
        OptimalTreeClassifier(**{name: value}).fit(X, y)
    assert str(caught.value) == message


def test_every_error_is_a_value_error():
    with pytest.raises(ValueError, match="max_depth"):
        OptimalTreeClassifier(max_depth=-1).fit(X, y)


def test_cost_matrix_goes_with_accuracy_only():
    tree = OptimalTreeClassifier(objective="balanced_accuracy", cost_matrix=[[0, 1], [1, 0]])
    with pytest.raises(InputError, match=r"cost_matrix replaces the objective, so it cannot go with objective='bal"):
        tree.fit(X, y)


def test_random_state():
    with pytest.raises(ValueError, match="cannot be used to seed"):
        OptimalTreeClassifier(random_state="dice").fit(X, y)


@pytest.mark.parametrize("objective", ["leaf_accuracy", "leaf_confidence"])
def test_what_the_worst_leaf_does_not_go_with(objective):
    with pytest.raises(Unsupported, match=r"worst-leaf objectives have no price per leaf \(ccp_alpha must be 0\)"):
        OptimalTreeClassifier(objective=objective, ccp_alpha=0.1).fit(X, y)
    with pytest.raises(
        Unsupported,
        match=rf"'dl85' cannot .* does not support worst-leaf objectives \(objective '{objective}'\)\. Able: sea",
    ):
        OptimalTreeClassifier(objective=objective, solver="dl85").fit(X, y)
    with pytest.raises(InputError, match="cost_matrix replaces the objective"):
        OptimalTreeClassifier(objective=objective, cost_matrix=[[0, 1], [1, 0]]).fit(X, y)


def test_confidence():
    with pytest.raises(InputError, match=r"confidence must lie between 0\.5 and 1, such as 0\.95; got 1\.5"):
        OptimalTreeClassifier(objective="leaf_confidence", confidence=1.5).fit(X, y)


def test_constraints_are_not_overlooked():
    with pytest.raises(
        InputError, match=r"constraints must hold FalseNegatives\(\.\.\.\), Fairness.* and LeafAcc.*; got 'fair'"
    ):
        OptimalTreeClassifier(constraints=["fair"]).fit(X, y)
    with pytest.raises(InputError, match=r"constraints must be a list, such as .*; got 3"):
        OptimalTreeClassifier(constraints=3).fit(X, y)
    assert OptimalTreeClassifier(constraints=FalseNegatives(0)).fit(X, y).status_ == "optimal"  # one needs no list
    with pytest.raises(InputError, match=r"sensitive_features is read by Fairness\(\.\.\.\) without groups only"):
        OptimalTreeClassifier().fit(X, y, sensitive_features=[0, 1, 0, 1])


WRONG_FITS = [
    ((X, y[:3]), {}, r"X has 4 rows but y has 3 labels\. Give one label per row\."),
    ((X, None), {}, r"requires y to be passed, but the target y is None: give one label per row\."),
    ((X, ["a", None, "b", "b"]), {}, r"y contains NaN or None: row 1 has no label"),
    ((X, [0.5, 1.25, 2.75, 3.5]), {}, r"y looks like a continuous \(regression\) target"),
    ((X, [1, "a", 2, "b"]), {}, r"y mixes 1 \(int\) and 'a' \(str\)"),
    ((X, y), {"sample_weight": [1, 1, 1]}, r"sample_weight has shape \(3,\) but X has 4 rows"),
    ((X, y), {"sample_weight": [1, -1, 1, 1]}, r"sample_weight contains a negative weight \(entry 1: -1\.0\)"),
    ((X, y), {"sample_weight": [0, 0, 0, 0]}, r"Every sample_weight is zero"),
    ((X, y), {"sample_weight": ["a"] * 4}, r"sample_weight must be numbers, one per row"),
    (([[1.0], [float("inf")]], [0, 1]), {}, r"'x0' contains infinity \(row 1: inf\)"),
    (([[None], [None]], [0, 1]), {}, r"'x0' has no value in any row"),
    ((np.empty((0, 2)), []), {}, r"0 sample"),
    ((np.empty((2, 0)), [0, 1]), {}, r"0 feature"),
]


@pytest.mark.each(("arguments", "options", "message"), WRONG_FITS)
def test_wrong_tables_labels_and_weights(arguments, options, message):
    with pytest.raises(InputError, match=message):
        OptimalTreeClassifier().fit(*arguments, **options)
