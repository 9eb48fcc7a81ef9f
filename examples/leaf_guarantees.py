"""
Every leaf good enough
======================

Who ends in a leaf that is wrong half of the time is not helped by an accurate tree. `LeafAccuracy` makes the accuracy
of every leaf a constraint: the tree with the fewest errors is found among those whose leaves are all good enough.
"""

# %%
# Without the constraint, the most accurate tree has a leaf where one row in sixteen is wrong.

from exactree import LeafAccuracy, OptimalTreeClassifier, datasets
from exactree.errors import Infeasible
from exactree.explain import leaf_report

data = datasets.load("breast-cancer")
limits = {"max_depth": 2, "min_samples_leaf": 10}
free = OptimalTreeClassifier(**limits).fit(data.X, data.y)
print(leaf_report(free, data.X, data.y))

# %%
# Now each leaf must be right in 95 of 100 rows. The tree may make more errors in all; it is the best one that obeys.

rule = LeafAccuracy(at_least=0.95)
safe = OptimalTreeClassifier(**limits, constraints=[rule]).fit(data.X, data.y)
print(f"errors without the constraint: {free.cost_:g}, with it: {safe.cost_:g} ({safe.status_})")

# %%
# If no tree can do it, the message says what can be reached, which is proved as well.

try:
    OptimalTreeClassifier(**limits, constraints=[LeafAccuracy(at_least=0.99)]).fit(data.X, data.y)
except Infeasible as error:
    print(error)

# %%
# At a price instead: each leaf below 95 % costs as much as errors on one row in a hundred.

soft = OptimalTreeClassifier(**limits, constraints=[LeafAccuracy(at_least=0.95, price=0.01)]).fit(data.X, data.y)
print(f"cost {soft.cost_:.4g}, of which errors {(soft.predict(data.X) != data.y).sum()}")

# %%
# The tree that obeys the constraint:

safe
