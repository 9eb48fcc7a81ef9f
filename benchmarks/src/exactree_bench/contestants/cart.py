"""CART of scikit-learn with default settings except the depth, as the papers run it; and tuned, as CART*."""

from typing import Any

from exactree_bench.contestants.interface import Contestant, FitResult, import_package, installed_version
from exactree_bench.runner.job import FitConfig

# The 80 settings over which the CGH paper tunes its CART*, by ten-fold cross-validation.
GRID = {
    "criterion": ["gini", "entropy"],
    "min_samples_split": [0.02, 0.05, 0.1, 0.2],
    "class_weight": [None, "balanced"],
    "min_samples_leaf": [0.01, 0.05, 0.1, 0.2, 1],
}
FOLDS = 10


def make(config: FitConfig) -> Any:
    """Return an estimator; ties are broken with seed 0."""
    return import_package("sklearn.tree").DecisionTreeClassifier(max_depth=config.depth, random_state=0)


def make_tuned(config: FitConfig) -> Any:
    """Return a grid search, which refits the best setting on all rows."""
    folds = import_package("sklearn.model_selection").KFold(FOLDS, shuffle=True, random_state=0)
    return import_package("sklearn.model_selection").GridSearchCV(make(config), GRID, cv=folds, error_score="raise")


def fit_result(estimator: Any) -> FitResult:
    """Return an empty result: CART proves nothing."""
    return FitResult(proved=False)


CART = Contestant("CART", lambda: installed_version("scikit-learn"), make, fit_result)
TUNED = Contestant("CART*", lambda: installed_version("scikit-learn"), make_tuned, fit_result)
