"""
A loan applicant, from the table to a counterfactual
====================================================

The most accurate tree of depth three may have a leaf that is hardly better than a coin flip. So the first part plots
the trade-off between accuracy and the worst leaf, and fits the tree whose worst leaf is best. The decision path of one
applicant ends in a leaf, whose accuracy is reported on training and on held-out rows. A hybrid with the same tree gives
a second opinion, and counterfactuals show the smallest changes that lead to another prediction.

Run ``python examples/credit.py``; it writes ``credit-curve.svg`` and ``credit-tree.svg`` into the current folder, or
into the one given as its argument. The table is synthetic: a seeded generator produces the same 2,400 loans every time.
It needs pandas.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import train_test_split

from exactree import HybridTreeClassifier, OptimalTreeClassifier, pareto_front
from exactree.explain import counterfactuals, leaf_report, trace
from exactree.plot import save_svg

SAVINGS = ["none", "some", "plenty"]
HISTORY = ["no loan yet", "paid on time", "late before"]
HOUSING = ["rents", "owns", "with family"]
FIXED = ["age", "history"]  # not actionable
SHAPE = {"max_depth": 3, "thresholds": "quantiles(32)"}  # with all thresholds the front takes minutes


def make_loans(n_rows: int = 2400, seed: int = 7) -> tuple[pd.DataFrame, pd.Series]:
    """Generate a synthetic table of loans, and whether each was repaid."""
    rng = np.random.default_rng(seed)
    income = np.round(rng.lognormal(np.log(2600), 0.45, n_rows), -1)
    loans = pd.DataFrame(
        {
            "age": rng.integers(20, 76, n_rows),
            "income": income,
            "amount": np.round(income * rng.gamma(2.0, 1.6, n_rows), -2) + 500,
            "months": rng.choice([12, 24, 36, 48, 60, 72], n_rows),
            "savings": pd.Categorical(rng.choice(SAVINGS, n_rows, p=[0.45, 0.35, 0.2]), SAVINGS, ordered=True),
            "history": pd.Categorical(rng.choice(HISTORY, n_rows, p=[0.3, 0.5, 0.2])),
            "housing": pd.Categorical(rng.choice(HOUSING, n_rows, p=[0.5, 0.35, 0.15])),
            "years in job": np.where(rng.random(n_rows) < 0.12, np.nan, rng.gamma(1.5, 4.0, n_rows).round()),
        }
    )
    burden = loans["amount"] / loans["months"] / loans["income"]  # share of the income that the instalment takes
    risk = (
        -1.0
        + 6.0 * burden
        + 1.8 * (loans["history"] == "late before")
        - 0.8 * loans["savings"].cat.codes
        - 0.05 * loans["years in job"].fillna(0)
        + 0.8 * ((loans["housing"] == "rents") & (loans["income"] < 2200))
    )
    defaulted = rng.random(n_rows) < 1 / (1 + np.exp(-2.0 * risk))
    return loans, pd.Series(np.where(defaulted, "defaulted", "repaid"), name="outcome")


def main(folder: Path) -> None:
    """Explain the prediction for one applicant."""
    X, y = make_loans()
    X, held_out, y, held_out_y = train_test_split(X, y, test_size=0.25, random_state=0)

    front = pareto_front(X, y, **SHAPE)
    front.save_svg(folder / "credit-curve.svg", title="What a better worst leaf costs")
    print(f"Accuracy against the worst leaf, over trees of depth three:\n\n{front}\n")

    tree = OptimalTreeClassifier(**SHAPE, objective="leaf_accuracy").fit(X, y)
    print(f"The tree whose worst leaf is best ({tree.status_}):\n\n{tree}\n")

    refused = np.flatnonzero(tree.predict(held_out) == "defaulted")
    row = held_out.iloc[[refused[0]]]
    path = trace(tree, row)
    print(f"The applicant:\n\n{row.iloc[0].to_string()}\n\n{path}\n")
    save_svg(tree.tree_, folder / "credit-tree.svg", title="Which loans are repaid?", decision_path=path.nodes)

    leaves = leaf_report(tree, X, y, test=(held_out, held_out_y)).leaves
    reached = next(leaf for leaf in leaves if leaf.node == path.leaf.node)
    print(f"How far to trust leaf {reached.node}:\n\n{reached.score}\nheld out: {reached.test}\n")

    boosting = HistGradientBoostingClassifier(max_iter=40, max_depth=3)  # leaves are small, so a small model
    hybrid = HybridTreeClassifier(tree, boosting, random_state=0).fit(X, y)
    print(f"A model in every leaf that needs one, on held-out loans:\n\n{hybrid.leaf_report(held_out, held_out_y)}\n")
    shares = dict(zip(hybrid.classes_, hybrid.predict_proba(row)[0], strict=True))
    print(f"The hybrid predicts: {hybrid.predict(row)[0]} (probability of repayment {shares['repaid']:.0%})\n")

    print(f"Counterfactuals of the tree:\n\n{counterfactuals(tree, row, data=X, fixed=FIXED)}\n")
    print(f"Plots: {folder / 'credit-curve.svg'}, {folder / 'credit-tree.svg'}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path.cwd())
