import pytest

from exactree.model.wording import display_width, percent, printable, question_text, truncated
from exactree.table import ColumnType, Kind, Question, Test


@pytest.mark.each("room", [4, 10, 20, 30, 50, 200])
@pytest.mark.each("level", ["red", "a level of many words", "名" * 30])
@pytest.mark.each("name", ["x", "a name of quite some length", "列" * 30])
def test_a_question_never_takes_more_than_its_room(name, level, room):
    question = Question(ColumnType(name, Kind.CATEGORY, ("other", level)), Test.IS_LEVEL, 1)
    assert display_width(question_text(question, room=room)) <= max(room, 4)


def test_a_cut_question_keeps_its_threshold():
    question = Question(ColumnType("n" * 80, Kind.NUMBER), Test.AT_MOST, 1.5, missing_yes=True, can_be_missing=True)
    text = question_text(question, room=40)
    assert text.endswith("n… <= 1.5 or missing")
    assert len(text) == 40


def test_column_and_level_share_the_room():
    question = Question(ColumnType("c" * 60, Kind.CATEGORY, ("l" * 60,)), Test.IS_LEVEL, 0)
    name, level = question_text(question, room=44).split(" is ")
    assert (len(name), len(level)) == (20, 20)


def test_digits_round_thresholds_only():
    number = Question(ColumnType("x", Kind.NUMBER), Test.AT_MOST, 123.456)
    integer = Question(ColumnType("x", Kind.INTEGER), Test.AT_MOST, 123456)
    assert question_text(number, digits=2) == "x <= 120"
    assert question_text(integer, digits=2) == "x <= 123456"


def test_percentages_do_not_round_to_all_or_nothing():
    assert [percent(share) for share in (0.0, 1e-9, 0.99951, 1.0)] == ["0.0 %", "0.1 %", "99.9 %", "100.0 %"]


def test_control_characters_and_half_characters_become_spaces():
    assert printable("a\tb\x00c\ud800d\u2028e\ufffff") == "a b c d e f"


def test_shortened_counts_wide_characters_twice():
    assert truncated("花花花花", 5) == "花花…"
