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
]
if "search" in DIAGRAM_SOLVERS:  # the tables of the checks are too large for exhaustive search
    ESTIMATORS.append(OptimalDiagramClassifier(widths=(1, 2, 2), ccp_alpha=0.01))


@parametrize_with_checks(ESTIMATORS)
def test_sklearn_contract(estimator, check):
    check(estimator)
