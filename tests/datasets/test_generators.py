"""The generated tables: their defining rules, and the UCI tables they must equal."""

import csv
import gzip
import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from exactree import datasets
from exactree.datasets.dataset import Dataset

DATA = os.environ.get("EXACTREE_DATA")
needs_data = pytest.mark.skipif(DATA is None, reason="set EXACTREE_DATA to the folder of benchmark tables")


def rows_of(data: Dataset) -> list[tuple[str, ...]]:
    """Rows as text with the label last, as a CSV file holds them."""
    frame = data.frame
    return list(zip(*([str(value) for value in frame.column(name)] for name in frame.names), strict=True))


def uci(path: str) -> tuple[list[str], list[tuple[str, ...]]]:
    """Header and rows of a table of the benchmark folder."""
    assert DATA is not None
    with gzip.open(Path(DATA) / path, "rt", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return header, [tuple(row) for row in rows]


@pytest.mark.parametrize("name", ["monks-1", "monks-2", "monks-3"])
def test_monks_holds_every_case_once(name: str) -> None:
    cases = Counter(row[:-1] for row in rows_of(datasets.load(name)))
    assert len(cases) == 3 * 3 * 2 * 3 * 4 * 2
    assert set(cases.values()) == {1}


@pytest.mark.each(
    ("name", "case", "label"),
    [
        ("monks-1", (2, 2, 1, 1, 4, 1), 1),  # a1 = a2
        ("monks-1", (1, 2, 1, 1, 1, 1), 1),  # a5 = 1
        ("monks-1", (1, 2, 1, 1, 2, 1), 0),
        ("monks-2", (1, 1, 2, 2, 2, 2), 1),  # two ones
        ("monks-2", (1, 1, 1, 2, 2, 2), 0),  # three ones
        ("monks-2", (1, 2, 2, 2, 2, 2), 0),  # one one
        ("monks-3", (1, 3, 1, 1, 3, 1), 1),  # a5 = 3 and a4 = 1
        ("monks-3", (1, 2, 1, 2, 1, 1), 1),  # a5 is not 4 and a2 is not 3
        ("monks-3", (1, 3, 1, 2, 3, 1), 0),
        ("monks-3", (1, 1, 1, 1, 4, 1), 0),
    ],
)
def test_monks_labels(name: str, case: tuple[int, ...], label: int) -> None:
    data = datasets.load(name)
    found = data.y[(data.to_numpy() == np.array(case)).all(axis=1)]
    assert found.tolist() == [label]


@needs_data
@pytest.mark.parametrize("number", [1, 2, 3])
def test_monks_equals_the_uci_test_part(number: int) -> None:
    """The benchmark file is the UCI training part followed by the test part, which is all 432 cases without noise.

    Taking the rows of the training file (`-train`) away once each must leave exactly the generated table.
    """
    header, both = uci(f"uci/monks{number}.csv.gz")
    train_header, train = uci(f"uci/monks{number}-train.csv.gz")
    data = datasets.load(f"monks-{number}")
    assert header == train_header == list(data.frame.names)
    assert Counter(both) - Counter(train) == Counter(rows_of(data))


@needs_data
@pytest.mark.parametrize(("number", "flipped"), [(1, 0), (2, 0), (3, 6)])
def test_monks_training_part_differs_only_by_the_known_noise(number: int, flipped: int) -> None:
    """Only MONK 3 has noise: 6 of its 122 training labels (5 %) contradict the rule."""
    _, train = uci(f"uci/monks{number}-train.csv.gz")
    rule = {row[:-1]: row[-1] for row in rows_of(datasets.load(f"monks-{number}"))}
    assert sum(rule[row[:-1]] != row[-1] for row in train) == flipped


@needs_data
@pytest.mark.parametrize("name", ["balance-scale", "tic-tac-toe"])
def test_enumeration_equals_the_uci_table(name: str) -> None:
    header, rows = uci(f"uci_original/{name}.csv.gz")
    data = datasets.load(name)
    assert header == list(data.frame.names)
    assert Counter(rows) == Counter(rows_of(data))


def test_tic_tac_toe_boards_are_final_and_legal() -> None:
    boards = [row[:-1] for row in rows_of(datasets.load("tic-tac-toe"))]
    moves = {(board.count("x"), board.count("o")) for board in boards}
    assert moves == {(3, 2), (3, 3), (4, 3), (4, 4), (5, 4)}  # won by x or o after 5 to 9 moves, or drawn after 9


def test_balance_scale_tips_to_the_larger_product() -> None:
    data = datasets.load("balance-scale")
    assert rows_of(data)[:3] == [("1", "1", "1", "1", "B"), ("1", "1", "1", "2", "R"), ("1", "1", "1", "3", "R")]
    assert rows_of(data)[-1] == ("5", "5", "5", "5", "B")
    assert ("2", "1", "1", "1", "L") in rows_of(data)
