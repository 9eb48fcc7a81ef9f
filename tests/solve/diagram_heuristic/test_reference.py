"""Diagrams built on the tables of Florio et al. (2023), against runs of their public code without chance.

The tables are not part of the repository: EXACTREE_DATA names their folder.
"""

import os
import random
from pathlib import Path

import pandas as pd
import pytest

from exactree.encode import encode
from exactree.problem import SKELETONS, DiagramLimits, DiagramProblem, accuracy
from exactree.solve.diagram_heuristic.construction import construct_diagrams
from exactree.table import Table

FOLDER = os.environ.get("EXACTREE_DATA")
pytestmark = pytest.mark.skipif(not FOLDER, reason="EXACTREE_DATA does not name the folder of the papers' tables")

ALPHAS = (0.0, 0.1, 0.5)
# Rows of the training half, and (errors, nodes but the root) for each skeleton and price.
REFERENCE = {
    "iris": (75, {"I": [(1, 2), (1, 2), (3, 1)], "II": [(0, 5), (0, 5), (3, 1)], "IV": [(0, 6), (0, 6), (3, 1)]}),
    "wine": (89, {"I": [(0, 6), (0, 6), (6, 1)], "II": [(0, 6), (0, 6), (6, 1)], "IV": [(2, 6), (2, 6), (6, 1)]}),
    "balance-scale": (
        312,
        {
            "I": [(78, 4), (79, 3), (92, 1)],
            "II": [(64, 6), (67, 4), (77, 3)],
            "IV": [(61, 5), (61, 5), (77, 3)],
        },
    ),
    "teaching-assistant-evaluation": (
        76,
        {
            "I": [(31, 4), (31, 4), (36, 1)],
            "II": [(25, 8), (25, 8), (30, 4)],
            "IV": [(34, 2), (34, 2), (36, 1)],
        },
    ),
    "soybean-small": (
        24,
        {"I": [(0, 2), (0, 2), (0, 2)], "II": [(0, 2), (0, 2), (0, 2)], "IV": [(0, 5), (0, 5), (0, 5)]},
    ),
}
ONE_HOT = {"teaching-assistant-evaluation": ["V2", "V3"]}  # categories; their first level has no column of its own


def training_half(name):
    """The half of a table that the public code trains on with seed 1."""
    frame = pd.read_csv(Path(FOLDER) / "uci" / f"{name}.csv.gz")
    order = list(range(len(frame)))
    random.Random(1).shuffle(order)
    frame = pd.get_dummies(frame, columns=ONE_HOT.get(name, []), drop_first=True, dtype=float)
    half = frame.iloc[order[: round(len(frame) / 2)]]
    return half.drop(columns="class").to_numpy(dtype=float), half["class"].to_numpy()


@pytest.mark.each("name", REFERENCE)
def test_no_worse_than_the_public_construction(name):
    n_rows, cells = REFERENCE[name]
    X, y = training_half(name)
    assert len(y) == n_rows
    data = encode(Table.of(X), y)
    for skeleton, expected in cells.items():
        for alpha, (errors, nodes) in zip(ALPHAS, expected, strict=True):
            limits = DiagramLimits(SKELETONS[skeleton], ccp_alpha=alpha)
            problem = DiagramProblem(data, accuracy(data), limits)
            theirs = errors + problem.node_price * nodes
            assert construct_diagrams(problem, None, starts=1).cost <= theirs + problem.tolerance, (skeleton, alpha)
