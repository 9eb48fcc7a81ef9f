"""The scikit-learn face: it runs the stages in order and holds no algorithm."""

from exactree.estimators.tree import NotProvedWarning, OptimalTreeClassifier

__all__ = ["NotProvedWarning", "OptimalTreeClassifier"]
