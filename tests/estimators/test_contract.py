"""scikit-learn's own checks of the estimator contract."""

from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from exactree import HybridTreeClassifier, OptimalDiagramClassifier, OptimalTreeClassifier
from exactree.solve.registry import DIAGRAM_SOLVERS

ESTIMATORS = [
    OptimalTreeClassifier(),
    OptimalTreeClassifier(max_depth=2, ccp_alpha=0.01),
    HybridTreeClassifier(),
    HybridTreeClassifier(OptimalTreeClassifier(max_depth=1), DecisionTreeClassifier(), min_rows=1),
    HybridTreeClassifier(OptimalTreeClassifier(max_depth=1), DecisionTreeClassifier(), min_rows=1, keep="always"),
]
if "search" in DIAGRAM_SOLVERS:  # the tables of the checks are too large for exhaustive search
    ESTIMATORS.append(OptimalDiagramClassifier(widths=(1, 2, 2), ccp_alpha=0.01))


def expected_failed_checks(estimator):
    """Folds are made of rows, so that a row of weight two is held out as one, but two rows may be parted."""
    if not isinstance(estimator, HybridTreeClassifier) or estimator.keep == "always" or estimator.min_rows > 1:
        return {}
    names = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")
    return dict.fromkeys(names, "validation cuts the rows of a leaf into folds")


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failed_checks)
def test_sklearn_contract(estimator, check):
    check(estimator)
