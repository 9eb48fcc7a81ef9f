"""CART of scikit-learn, as the papers run it: Gini, default settings but for the depth."""

from typing import Any

from exactree.bench.contestants.interface import Contestant, Finding, imported, installed
from exactree.bench.job import Terms


def make(terms: Terms) -> Any:
    """Return an estimator; ties are broken with seed 0."""
    return imported("sklearn.tree").DecisionTreeClassifier(max_depth=terms.depth, random_state=0)


def finding(estimator: Any) -> Finding:
    """State nothing: CART proves nothing."""
    return Finding(proved=False)


CART = Contestant("CART", lambda: installed("scikit-learn"), make, finding)
