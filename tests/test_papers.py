"""Published optima, on the tables of the papers. They are not part of the repository: EXACTREE_DATA names their folder.

``PAPER_CHECK.csv`` there tells, for each row of a paper's table, the file, the class version and the encoding that
reproduce it.
"""

import csv
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from exactree import OptimalTreeClassifier

FOLDER = os.environ.get("EXACTREE_DATA")
pytestmark = pytest.mark.skipif(not FOLDER, reason="EXACTREE_DATA does not name the folder of the papers' tables")

# DL8.5 (Aglin et al. 2020), Table 2: the sets whose optimum at depth 4 the paper proves.
PROVED = (
    "anneal",
    "audiology",
    "australian-credit",
    "breast-wisconsin",
    "diabetes",
    "german-credit",
    "heart-cleveland",
    "hepatitis",
    "hypothyroid",
    "kr-vs-kp",
    "lymph",
    "mushroom",
    "primary-tumor",
    "segment",
    "soybean",
    "tic-tac-toe",
    "vote",
    "yeast",
    "zoo-1",
)
# Table 3, depth 2.
DEPTH_TWO = (
    "balance-scale",
    "banknote",
    "bank",
    "biodeg",
    "car",
    "IndiansDiabetes",
    "Ionosphere",
    "iris",
    "letter",
    "messidor",
    "monk1",
    "monk2",
    "monk3",
    "seismic",
    "spambase",
    "Statlog",
    "tic-tac-toe",
    "wine",
)


def stated(table, name):
    """The row of PAPER_CHECK.csv for a set in a table of DL8.5."""
    with (Path(FOLDER) / "PAPER_CHECK.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["paper"].startswith("DL8.5") and row["table"] == table]
    (found,) = [row for row in rows if row["paper_name"] == name]
    return found


def table_of(row):
    """Columns and labels, encoded as the row says."""
    frame = pd.read_csv(Path(FOLDER) / f"{row['file']}.csv.gz", keep_default_na=False, na_values=[""])
    X, y = frame.drop(columns="class"), frame["class"].astype(str)
    one, _, rest = row["class_used"].partition(" against ")
    return encoded(X, row["encoding"]), (y == one).to_numpy() if rest else y.to_numpy()


def encoded(X, how):
    words = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
    if how.endswith("one value per square left out (blank)"):
        return pd.get_dummies(X, columns=list(X)).astype(float)[[f"{name}_{code}" for name in X for code in (2, 3)]]
    if how.startswith("one-hot"):
        return pd.get_dummies(X, columns=words).astype(float)
    if "ordinal codes" in how:
        return X.assign(**{name: X[name].map(in_order(X[name])) for name in words})
    assert words == [], "numbers as they are"
    return X


def in_order(values):
    """Codes for words that have a natural order, or else the alphabetical one."""
    natural = ["2", "3", "4", "5more", "more", "small", "low", "med", "high", "vhigh", "big"]
    words = sorted(set(values), key=lambda word: (natural.index(word) if word in natural else 99, word))
    return {word: code for code, word in enumerate(words)}


@pytest.mark.parametrize("name", DEPTH_TWO)
def test_optimum_at_depth_two(name):
    row = stated("3", name)
    X, y = table_of(row)
    assert X.shape == (int(row["our_rows"]), int(row["our_features"]))
    tree = OptimalTreeClassifier(max_depth=2, thresholds="class-changes").fit(X, y)
    assert tree.is_optimal_
    assert tree.cost_ == int(row["our_optimal_error_depth2"])


@pytest.mark.parametrize("name", PROVED)
def test_optimum_at_depth_four(name):
    row = stated("2", name)
    X, y = table_of(row)
    assert X.shape == (int(row["our_rows"]), int(row["our_features"]))
    assert np.isin(X.to_numpy(), (0, 1)).all()
    tree = OptimalTreeClassifier(max_depth=4).fit(X, y)
    assert tree.is_optimal_
    assert tree.cost_ == int(row["paper_best_error_depth4"])
