"""
Fair trees, and what fairness costs
===================================

A limit on the difference between groups is part of the search: of all trees that obey it, the one with the fewest
errors is found, and proved. `fairness_front` does this for every limit and shows the price of each.
"""

# %%
# A generated table of applicants: more of the men have the income that decides who repays.

import numpy as np
import pandas as pd

from exactree import Fairness, OptimalTreeClassifier, fairness_front

rng = np.random.default_rng(3)
n = 800
sex = rng.choice(["f", "m"], n)
income = rng.normal(np.where(sex == "m", 3.2, 2.6), 0.8).round(1)
debt = rng.gamma(2.0, 0.6, n).round(1)
savings = rng.gamma(1.5, 1.0, n).round(1)
repaid = income - debt + 0.4 * savings + rng.normal(0, 0.6, n) > 2.1
X = pd.DataFrame({"income": income, "debt": debt, "savings": savings})


def rates(tree):
    """Share of women and of men that the tree accepts."""
    accepted = tree.predict(X)
    return " and ".join(f"{accepted[sex == each].mean():.1%} of {each}" for each in ("f", "m"))


free = OptimalTreeClassifier(max_depth=2).fit(X, repaid)
print(f"without a limit: {free.cost_:g} errors, accepts {rates(free)}")

# %%
# The groups need not be a column that the tree may ask about. Here the rates may differ by five points at most.

rule = Fairness("demographic_parity", at_most=0.05, groups=sex)
fair = OptimalTreeClassifier(max_depth=2, constraints=[rule]).fit(X, repaid)
print(f"with the limit: {fair.cost_:g} errors, accepts {rates(fair)}; {fair.status_}")
print(fair)

# %%
# Which trees the proof speaks of:

print(fair.scope_)

# %%
# The whole curve: the fewest errors for every difference of rates. No tree of depth 2 lies below it.

fairness_front(X, repaid, groups=sex, max_depth=2, thresholds="quantiles(16)")
