"""Answers may be asked to end only in leaves that are right often enough, or that had enough rows."""

import re
from dataclasses import replace

import numpy as np
import pytest

from exactree.errors import InputError
from exactree.explain import counterfactuals
from exactree.model import Graph

ALL_LEAVES = 4  # answers for the young row, one per good leaf and change pattern, at most


def ends(found):
    """Leaves of the answers."""
    return [answer.leaf.node for answer in found]


def test_leaves_that_are_right_too_seldom_are_left_out(loans, young):
    assert sorted(ends(counterfactuals(loans, young, k=ALL_LEAVES, costs="changes"))) == [3, 5, 10]
    assert sorted(ends(counterfactuals(loans, young, k=ALL_LEAVES, min_accuracy=0.9, costs="changes"))) == [
        3,
        5,
    ]  # 5 has just 0.9
    assert ends(counterfactuals(loans, young, k=ALL_LEAVES, min_accuracy=0.95, costs="changes")) == [3]


def test_leaves_of_few_rows_are_left_out(loans, young):
    assert sorted(ends(counterfactuals(loans, young, k=ALL_LEAVES, min_support=8, costs="changes"))) == [5, 10]
    assert ends(counterfactuals(loans, young, k=ALL_LEAVES, min_support=9, costs="changes")) == [5]
    assert ends(counterfactuals(loans, young, k=ALL_LEAVES, min_support=8, min_accuracy=0.85, costs="changes")) == [5]


@pytest.mark.parametrize(
    ("limits", "kind", "text"),
    [
        ({"min_support": 11}, "min_support", "without the limit that the leaf has at least 11 rows: good: cost 1"),
        (
            {"min_accuracy": 0.95, "fixed": ["job"]},
            "min_accuracy",
            "without the limit that the leaf is at least 95.0 % right: good: cost 1",
        ),
    ],
)
def test_the_advice_names_them(loans, young, limits, kind, text):
    costs = {"age": 1 / 11, "income": 1.0, "job": 3.0, "school": 1.0, "debts": 1.0}
    found = counterfactuals(loans, young, costs=costs, **limits)
    assert (len(found), found.relax.limit.kind) == (0, kind)
    assert text in str(found)


def test_the_other_limit_is_named_where_it_is_cheaper(loans, young):
    costs = {"age": 1.0, "income": 1.0, "job": 3.0, "school": 1.0, "debts": 1.0}
    found = counterfactuals(loans, young, costs=costs, min_accuracy=0.95, fixed=["job", "school"])
    assert (found.relax.limit.kind, found.relax.limit.about, found.relax.answer.cost) == ("fixed", "job", 3.0)


def test_a_leaf_of_unknown_accuracy_is_not_accurate_enough(loans, young):
    silent = Graph.of_nodes(loans.schema, loans.classes, [replace(node, weight=(0.0, 0.0)) for node in loans.nodes()])
    assert len(counterfactuals(silent, young, costs="changes")) > 0
    assert len(counterfactuals(silent, young, min_accuracy=0.0, costs="changes")) == 0


@pytest.mark.each("seed", range(40))
def test_the_rest_is_as_if_the_leaves_had_another_label(case, seed):
    """Trees and diagrams alike: what is left out is never answered, and nothing else is lost."""
    made, rng = case(seed), np.random.default_rng(seed)
    least = int(rng.integers(1, 12))
    every = counterfactuals(made.graph, made.table, k=10_000, min_support=least, costs="changes")
    for one in every if isinstance(every, list) else [every]:
        assert all(answer.leaf.rows >= least for answer in one)
    free = counterfactuals(made.graph, made.table, k=1, costs="changes")
    for one, first in zip(every, free, strict=True):
        if len(first) and first[0].leaf.rows >= least:
            assert one[0].cost == first[0].cost


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"min_accuracy": 90}, "min_accuracy must be a number from 0 to 1, such as 0.9, or None; got 90."),
        ({"min_accuracy": "high"}, "min_accuracy must be a number from 0 to 1, such as 0.9, or None; got 'high'."),
        ({"min_support": 2.5}, "min_support must be a number of rows, 0 or more, or None; got 2.5."),
        ({"min_support": -1}, "min_support must be a number of rows, 0 or more, or None; got -1."),
    ],
)
def test_wrong_limits(loans, young, limits, message):
    with pytest.raises(InputError, match=re.escape(message)):
        counterfactuals(loans, young, **limits, costs="changes")
