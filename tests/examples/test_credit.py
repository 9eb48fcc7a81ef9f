"""The example of a loan runs, and what it tells is so."""

import importlib.util
import math
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

from exactree import OptimalTreeClassifier

SCRIPT = Path(__file__).parents[2] / "examples" / "credit.py"
Z = 1.959963984540054  # 97.5 % of a normal distribution lie below


@pytest.fixture(scope="module")
def credit():
    found = importlib.util.spec_from_file_location("credit", SCRIPT)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def small(credit):
    """A tree quicker to find than that of the example, and rows it was not fitted to."""
    X, held_out, y, held_out_y = train_test_split(*credit.make_loans(600), random_state=0)
    return OptimalTreeClassifier(max_depth=2, min_samples_leaf=20).fit(X, y), X, held_out, held_out_y


def test_the_whole_story(credit, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(credit, "what_would_change", lambda model, row, X: "more savings")
    credit.main(tmp_path)
    told = capsys.readouterr().out
    for part in (
        "The tree (optimal,",
        "The applicant:",
        "? yes\n",
        "which says: defaulted",
        "How far to trust it: of ",
    ):
        assert part in told
    assert "HistGradientBoostingClassifier, fitted on" in told
    assert "The hybrid says: " in told
    assert told.endswith("What would change the answer:\n\nmore savings\n")
    picture = ElementTree.parse(tmp_path / "credit-tree.svg").getroot()
    assert any("Which loans are repaid?" in (text or "") for text in picture.itertext())


def test_the_table_is_the_same_every_time(credit):
    (X, y), (again, labels) = credit.make_loans(), credit.make_loans()
    assert X.equals(again)
    assert y.equals(labels)
    assert X.shape == (2400, 8)
    assert 0.2 < (y == "defaulted").mean() < 0.4
    assert X["years in job"].isna().any()


def test_the_path_of_a_row(credit, small):
    tree, _, held_out, _ = small
    for number in range(20):
        row = held_out.iloc[[number]]
        told, node = credit.path_of(tree, row), 0
        for line in told:
            question, answer = line.split("? ")
            assert question == str(tree.tree_.question(node))
            node = int(tree.tree_.yes[node] if answer == "yes" else tree.tree_.no[node])
        assert node == tree.apply(row)[0]


def test_trust_in_a_leaf(credit, small):
    tree, _, held_out, y = small
    leaves = tree.apply(held_out)
    for leaf in np.unique(leaves):
        found = credit.trust(tree, int(leaf), held_out, y)
        here = leaves == leaf
        n, p = here.sum(), (tree.predict(held_out)[here] == y[here]).mean()
        middle, half = p + Z**2 / (2 * n), Z * math.sqrt(p * (1 - p) / n + Z**2 / (4 * n**2))
        assert (found.rows, found.accuracy) == (n, pytest.approx(p))
        assert found.low == pytest.approx((middle - half) / (1 + Z**2 / n))
        assert found.high == pytest.approx((middle + half) / (1 + Z**2 / n))


def test_what_would_change_says_nothing_without_its_module(credit, small, monkeypatch):
    tree, X, held_out, _ = small
    monkeypatch.setattr(credit, "find_spec", lambda name: None)
    assert credit.what_would_change(tree, held_out.iloc[[0]], X) is None


def test_what_would_change_asks_with_the_columns_that_stay(credit, small, monkeypatch):
    tree, X, held_out, _ = small
    asked = {}

    class Explain:
        @staticmethod
        def counterfactuals(model, row, **options):
            asked.update(model=model, row=row, **options)
            return ["an answer"]

    monkeypatch.setattr(credit, "find_spec", lambda name: name)
    monkeypatch.setattr(credit, "import_module", lambda name: {"exactree.explain": Explain}[name])
    row = held_out.iloc[[0]]
    assert credit.what_would_change(tree, row, X) == "['an answer']"
    assert asked == {"model": tree, "row": row, "data": X, "fixed": ["age", "history"]}
