"""
Accuracy against the worst leaf
===============================

A tree that is right most often may have one leaf that is hardly better than a coin. `pareto_front` returns every
trade-off between the accuracy of the tree and the accuracy of its worst leaf, each with a proof.
"""

# %%
# Every point of the front is a tree that no other tree of this depth beats in both respects.

from exactree import OptimalTreeClassifier, datasets, pareto_front

data = datasets.load("wine")
front = pareto_front(data.X, data.y, max_depth=2)
front

# %%
# The same as a table.

for point in front.points:
    print(
        f"worst leaf {point.worst:.1%}   accuracy {point.accuracy:.1%}   leaves {point.leaves}   proved {point.proved}"
    )

# %%
# To get one of them directly, minimise the error of the worst leaf.

tree = OptimalTreeClassifier(max_depth=2, objective="leaf_accuracy").fit(data.X, data.y)
print(tree)
