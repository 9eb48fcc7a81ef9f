"""
A first tree, and its proof
===========================

Fit the tree of depth 2 with the fewest errors on the breast cancer table, see that no other tree of that depth makes
fewer, and compare it with the greedy tree of scikit-learn.
"""

# %%
# Any table will do: arrays, lists of rows, pandas and polars frames. Text and missing values are used as they are.

from sklearn.tree import DecisionTreeClassifier

from exactree import OptimalTreeClassifier, datasets

data = datasets.load("breast-cancer")
tree = OptimalTreeClassifier(max_depth=2).fit(data.X, data.y)
tree

# %%
# The cost is the number of errors on the training rows, and the lower bound is what no tree of this depth can go below.
# When both are equal, the tree is proved optimal.

print(f"status {tree.status_}, cost {tree.cost_:g}, lower bound {tree.lower_bound_:g}, gap {tree.gap_:.0%}")

# %%
# CART chooses one split after the other, and cannot see that a split which looks worse now allows better ones below.

greedy = DecisionTreeClassifier(max_depth=2, random_state=0).fit(data.to_numpy(), data.y)
print("errors of CART:", int((greedy.predict(data.to_numpy()) != data.y).sum()))
print("errors of the optimal tree:", int((tree.predict(data.X) != data.y).sum()))

# %%
# The same tree as text, for a report.

print(tree)
