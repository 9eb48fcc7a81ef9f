"""One applicant for a loan, from the table to an answer that can be explained.

A tree of three questions is fitted and drawn. The row of one applicant is followed to its leaf, and the leaf says how
far to trust it: how many held-out rows end there, how many of them it gets right, and in what interval the share of
right ones lies. A hybrid with the same tree then gives a second opinion, and the last part asks what would have to be
different for another answer.

Run ``python examples/credit.py``; it writes ``credit-tree.svg`` into the current folder, or into the one named behind
it. The table is made up: a seeded generator writes the same 2,400 loans every time. It needs pandas.
"""

import sys
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import train_test_split

from exactree import HybridTreeClassifier, OptimalTreeClassifier
from exactree.plot import save_svg

SAVINGS = ["none", "some", "plenty"]
HISTORY = ["no loan yet", "paid on time", "late before"]
HOUSING = ["rents", "owns", "with family"]
FIXED = ["age", "history"]  # what an applicant cannot change
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Trust:
    """How a leaf does on rows that nobody fitted it to."""

    rows: int
    right: int
    low: float  # ends of the Wilson interval for the share of right rows
    high: float

    @property
    def accuracy(self) -> float:
        """Share of right rows."""
        return self.right / self.rows


def make_loans(n_rows: int = 2400, seed: int = 7) -> tuple[pd.DataFrame, pd.Series]:
    """Make up a table of loans, and whether each was repaid."""
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
    burden = loans["amount"] / loans["months"] / loans["income"]  # share of the income that the rate takes
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


def path_of(model: OptimalTreeClassifier, row: pd.DataFrame) -> list[str]:
    """Return the questions that a row is asked, with its answers."""
    graph = model.tree_
    nodes = np.sort(model.decision_path(row).indices).tolist()
    asked = pairwise(nodes)  # children come after their parents
    return [f"{graph.question(node).text(yes=True)}? {'yes' if graph.yes[node] == to else 'no'}" for node, to in asked]


def trust(model: OptimalTreeClassifier, leaf: int, X: pd.DataFrame, y: pd.Series) -> Trust:
    """Return how a leaf does on the rows of a table that end in it."""
    here = model.apply(X) == leaf
    rows, right = int(here.sum()), int((model.predict(X)[here] == y.to_numpy()[here]).sum())
    interval = binomtest(right, rows).proportion_ci(CONFIDENCE, method="wilson")
    return Trust(rows, right, interval.low, interval.high)


def what_would_change(model: Any, row: pd.DataFrame, X: pd.DataFrame) -> str | None:
    """Return what would have to be different about a row for another answer; None if this release cannot tell."""
    if find_spec("exactree.explain") is None:
        return None
    answers = import_module("exactree.explain").counterfactuals(model, row, data=X, fixed=FIXED)
    return str(answers)


def main(folder: Path) -> None:
    """Tell the story of one applicant."""
    X, y = make_loans()
    X, held_out, y, held_out_y = train_test_split(X, y, test_size=0.25, random_state=0)

    tree = OptimalTreeClassifier(max_depth=3, min_samples_leaf=50).fit(X, y)
    print(f"The tree ({tree.status_}, {tree.cost_:g} of {len(X)} loans wrong):\n\n{tree}\n")
    picture = folder / "credit-tree.svg"
    save_svg(tree.tree_, picture, title="Which loans are repaid?")
    print(f"Picture: {picture}\n")

    refused = np.flatnonzero(tree.predict(held_out) == "defaulted")
    row = held_out.iloc[[refused[0]]]
    leaf = int(tree.apply(row)[0])
    print(f"The applicant:\n\n{row.iloc[0].to_string()}\n")
    print("\n".join([*path_of(tree, row), f"so leaf {leaf}, which says: {tree.predict(row)[0]}"]) + "\n")

    found = trust(tree, leaf, held_out, held_out_y)
    print(
        f"How far to trust it: of {found.rows} held-out loans in leaf {leaf} it gets {found.right} right, "
        f"{found.accuracy:.1%}; with {CONFIDENCE:.0%} confidence between {found.low:.1%} and {found.high:.1%}.\n"
    )

    boosting = HistGradientBoostingClassifier(max_iter=40, max_depth=3)  # leaves are small, so a small model
    hybrid = HybridTreeClassifier(tree, boosting, random_state=0).fit(X, y)
    print(f"The hybrid on held-out loans:\n\n{hybrid.leaf_report(held_out, held_out_y)}\n")
    shares = dict(zip(hybrid.classes_, hybrid.predict_proba(row)[0], strict=True))
    print(f"The hybrid says: {hybrid.predict(row)[0]} (chance to be repaid {shares['repaid']:.0%})\n")

    changes = what_would_change(tree, row, X)
    if changes is not None:
        print(f"What would change the answer:\n\n{changes}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path.cwd())
