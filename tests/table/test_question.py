"""How questions read."""

import math

import pytest

from exactree.table import ColumnType, Kind, Question, Test

AGE = ColumnType("age", Kind.NUMBER)
SMOKER = ColumnType("smoker", Kind.BOOLEAN)
SIZE = ColumnType("size", Kind.ORDERED, ("small", "medium", "large"))
COLOUR = ColumnType("colour", Kind.CATEGORY, ("blue", "red"))
ZONE = ColumnType("zone", Kind.CATEGORY, (1.5, 2))
NUMBER = ColumnType("id", Kind.INTEGER)


@pytest.mark.each(
    ("question", "yes", "no"),
    [
        (Question(AGE, Test.AT_MOST, 40.5), "age <= 40.5", "age > 40.5"),
        (Question(AGE, Test.AT_MOST, 40.0), "age <= 40", "age > 40"),
        (Question(AGE, Test.AT_MOST, -0.0), "age <= 0", "age > 0"),
        (Question(AGE, Test.AT_MOST, 0.1 + 0.2), "age <= 0.30000000000000004", "age > 0.30000000000000004"),
        (Question(AGE, Test.AT_MOST, 1.0, True, True), "age <= 1 or missing", "age > 1"),
        (Question(AGE, Test.AT_MOST, 1.0, False, True), "age <= 1", "age > 1 or missing"),
        (Question(AGE, Test.AT_MOST, 1.0, True, False), "age <= 1", "age > 1"),
        (Question(AGE, Test.AT_MOST, -math.inf, True, True), "age is missing", "age is present"),
        (Question(AGE, Test.AT_MOST, math.inf, False, True), "age is present", "age is missing"),
        (Question(AGE, Test.IS_MISSING, 0), "age is missing", "age is present"),
        (Question(SMOKER, Test.AT_MOST, 0.5), "smoker is False", "smoker is True"),
        (Question(SMOKER, Test.AT_MOST, 0.5, False, True), "smoker is False", "smoker is True or missing"),
        (Question(SIZE, Test.AT_MOST, 1.5), "size <= medium", "size > medium"),
        (Question(SIZE, Test.AT_MOST, 0), "size <= small", "size > small"),
        (Question(COLOUR, Test.IS_LEVEL, 1), "colour is red", "colour is not red"),
        (Question(ZONE, Test.IS_LEVEL, 0), "zone is 1.5", "zone is not 1.5"),
        (Question(NUMBER, Test.AT_MOST, 2**60 + 1), f"id <= {2**60 + 1}", f"id > {2**60 + 1}"),
    ],
)
def test_wording(question, yes, no):
    assert (question.text(yes=True), question.text(yes=False)) == (yes, no)
    assert str(question) == yes


def test_a_leaf_asks_nothing():
    with pytest.raises(ValueError, match="A leaf asks no question"):
        str(Question(AGE, Test.LEAF, 0))
