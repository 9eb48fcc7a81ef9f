"""scikit-learn's own checks of the estimator contract; what does not apply is told with the reason."""

from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from exactree import HybridTreeClassifier, OptimalDiagramClassifier, OptimalTreeClassifier
from exactree.solve.diagrams import DIAGRAM_SOLVERS

ESTIMATORS = [
    OptimalTreeClassifier(),
    OptimalTreeClassifier(max_depth=2, ccp_alpha=0.01),
    HybridTreeClassifier(),
    HybridTreeClassifier(OptimalTreeClassifier(max_depth=1), DecisionTreeClassifier(), min_rows=1),
]
if "search" in DIAGRAM_SOLVERS:  # the tables of the checks are too large for exhaustive search
    ESTIMATORS.append(OptimalDiagramClassifier(widths=(1, 2, 2), ccp_alpha=0.01))


def not_applicable(estimator):
    """Checks that an estimator cannot pass, and why."""
    if not isinstance(estimator, OptimalDiagramClassifier):
        return {}
    return {
        "check_class_weight_classifiers": "the root is free, so it parts off rows that weigh 0.0001; a tree is kept "
        "from that by min_weight_fraction_leaf, which the check sets and diagrams do not have"
    }


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=not_applicable)
def test_sklearn_contract(estimator, check):
    check(estimator)
