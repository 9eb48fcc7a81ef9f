"""CART of scikit-learn, as the papers run it: Gini, default settings but for the depth; and tuned, as CART*."""

from typing import Any

from exactree_bench.contestants.interface import Contestant, Finding, imported, installed
from exactree_bench.runner.job import Terms

# The 80 settings that the CGH paper tries for its CART*, with ten folds.
GRID = {
    "criterion": ["gini", "entropy"],
    "min_samples_split": [0.02, 0.05, 0.1, 0.2],
    "class_weight": [None, "balanced"],
    "min_samples_leaf": [0.01, 0.05, 0.1, 0.2, 1],
}
FOLDS = 10


def make(terms: Terms) -> Any:
    """Return an estimator; ties are broken with seed 0."""
    return imported("sklearn.tree").DecisionTreeClassifier(max_depth=terms.depth, random_state=0)


def make_tuned(terms: Terms) -> Any:
    """Return one that tries all settings, and fits the best of them to all rows."""
    folds = imported("sklearn.model_selection").KFold(FOLDS, shuffle=True, random_state=0)
    return imported("sklearn.model_selection").GridSearchCV(make(terms), GRID, cv=folds, error_score="raise")


def finding(estimator: Any) -> Finding:
    """State nothing: CART proves nothing."""
    return Finding(proved=False)


CART = Contestant("CART", lambda: installed("scikit-learn"), make, finding)
TUNED = Contestant("CART*", lambda: installed("scikit-learn"), make_tuned, finding)
