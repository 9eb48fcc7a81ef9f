"""
Models in the leaves, and counterfactuals through them
======================================================

A shallow tree says where a row belongs, and a model in the leaf says what it is, where that wins in validation. The
smallest changes that alter the answer are found through both, and proved to be the smallest.
"""

# %%
# A tree of depth 1, and boosting in the leaves that need it. The report says for each leaf which won in validation.

from tempfile import TemporaryDirectory

from sklearn.ensemble import HistGradientBoostingClassifier

from exactree import HybridTreeClassifier, OptimalTreeClassifier, datasets, load_hybrid, save_hybrid
from exactree.explain import counterfactuals, trace

data = datasets.load("breast-cancer")
boosting = HistGradientBoostingClassifier(max_iter=10, max_depth=3)
hybrid = HybridTreeClassifier(OptimalTreeClassifier(max_depth=1), boosting, random_state=0).fit(data.X, data.y)
print(hybrid.report_)

# %%
# One row: its path, the model that answers, and how often that was right on rows it had not seen.

row = data.to_numpy()[[0]]
print(trace(hybrid, row))

# %%
# The nearest rows with the other answer. Distances count in median absolute deviations of each column.

found = counterfactuals(hybrid, row, "benign", k=2, data=data.X)
print(found)

# %%
# A file holds the tree as JSON and the models as a pickle. Reading a pickle can run code, so `load_hybrid` takes the
# classes of a few packages only, unless you trust the file.

with TemporaryDirectory() as folder:
    save_hybrid(hybrid, f"{folder}/hybrid.zip")
    print((load_hybrid(f"{folder}/hybrid.zip").predict(data.X) == hybrid.predict(data.X)).all())

# %%
# The tree above the models, for which a proof holds (the models have none):

print(hybrid.scope_)
hybrid.tree_estimator_
