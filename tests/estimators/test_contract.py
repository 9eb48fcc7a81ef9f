"""scikit-learn's own checks of the estimator contract, with nothing excluded."""

from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from exactree import HybridTreeClassifier, OptimalTreeClassifier

ESTIMATORS = [
    OptimalTreeClassifier(),
    OptimalTreeClassifier(max_depth=2, ccp_alpha=0.01),
    HybridTreeClassifier(),
    HybridTreeClassifier(OptimalTreeClassifier(max_depth=1), DecisionTreeClassifier(), min_rows=1),
]


@parametrize_with_checks(ESTIMATORS)
def test_sklearn_contract(estimator, check):
    check(estimator)
