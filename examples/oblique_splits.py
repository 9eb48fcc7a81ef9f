"""
Oblique splits
==============

Where classes lie on two sides of a sloping line, a tree that compares one column at a time needs many steps. An
oblique split asks about a weighted sum of columns. `OptimalDiagramClassifier(multivariate=True)` and `OCT` find them.
"""

# %%
# Points above and below a sloping line, with some noise.

import warnings

import numpy as np

from exactree import NotProvedWarning, OptimalDiagramClassifier

rng = np.random.default_rng(5)
X = rng.uniform(0, 10, (300, 3)).round(1)
y = np.where(2 * X[:, 0] + X[:, 1] + rng.normal(0, 0.8, 300) > 15, "above", "below")

# %%
# Two layers of questions about one column each:

one_by_one = OptimalDiagramClassifier(widths=(1, 2), ccp_alpha=0.0).fit(X, y)
print(f"{one_by_one.cost_:g} errors ({one_by_one.status_})")
print(one_by_one)

# %%
# A single question about a sum of columns makes fewer errors. `column_price` keeps columns out that do not pay. The
# search over sums is local, so it ends without a proof, and says so.

warnings.simplefilter("ignore", NotProvedWarning)
oblique = OptimalDiagramClassifier(
    widths=(1,), ccp_alpha=0.0, multivariate=True, max_split_columns=2, column_price=0.01, time_limit=3
).fit(X, y)
print(f"{int((oblique.predict(X) != y).sum())} errors ({oblique.status_}, lower bound {oblique.lower_bound_:g})")

# %%
# The scope says in words what the solver was allowed to look for:

print(oblique.scope_)

# %%
# The picture shows the sum:

oblique
