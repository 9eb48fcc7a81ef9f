"""scikit-learn's own checks of the estimator contract, with nothing excluded."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from exactree import OptimalTreeClassifier


@parametrize_with_checks([OptimalTreeClassifier(), OptimalTreeClassifier(max_depth=2, ccp_alpha=0.01)])
def test_sklearn_contract(estimator, check):
    check(estimator)
