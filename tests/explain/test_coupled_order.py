"""If columns are coupled, a leaf whose nearest observed point is far away may hold the nearest answer of all."""

import pandas as pd
import pytest

from exactree import OptimalTreeClassifier
from exactree.explain import AtLeast, counterfactuals


def test_a_far_observed_value_does_not_hide_a_near_one():
    X = pd.DataFrame({"a": [0.0, 0.0, 200.0, 200.0], "b": [0.0, 6.0, 0.0, 6.0], "c": [150.0] * 4})
    tree = OptimalTreeClassifier(max_depth=2).fit(X, ["no", "yes", "yes", "yes"])
    options = {"costs": {"a": 0.1, "b": 2.5, "c": 1.0}, "fixed": ["c"], "data": X, "k": 1}
    (free,) = counterfactuals(tree, X.iloc[0], **options).answers
    assert free.cost == pytest.approx(15.0)  # b goes to 6; a would have to go to 200, which costs 20
    (coupled,) = counterfactuals(tree, X.iloc[0], rules=[AtLeast("c", "a")], **options).answers
    # c forbids 200, so a goes where the rule allows it: to the first integer above the threshold of 100.
    assert [change.column for change in coupled.changes] == ["a"]
    assert coupled.cost == pytest.approx(10.1)
