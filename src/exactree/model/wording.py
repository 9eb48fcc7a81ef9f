"""Names, questions and numbers as printable text: one line, no control characters, truncated if too long."""

import unicodedata
from dataclasses import replace

from exactree.model.graph import Graph
from exactree.table import Kind, Question, Test

ELLIPSIS = "…"


def printable(text: object) -> str:
    """Return anything as text on one line; control characters, including line ends, become spaces.

    Examples
    --------
    >>> printable("first\\nsecond")
    'first second'
    """
    # Cc: control; Cs: half a character; Zl, Zp: line and paragraph ends. Those and the last two, which are no
    # characters at all, may not stand in a line or in XML.
    bad = ("Cc", "Cs", "Zl", "Zp")
    return "".join(" " if unicodedata.category(c) in bad or c in "\ufffe\uffff" else c for c in str(text))


def display_width(text: str) -> int:
    """Return the columns that a text takes in a terminal: none for combining marks, two for wide characters.

    Examples
    --------
    >>> display_width("abc"), display_width("花")
    (3, 2)
    """
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    none = sum(unicodedata.category(c) in ("Mn", "Me", "Cf") for c in text)
    return len(text) + wide - none


def truncated(text: str, room: int) -> str:
    """Truncate a text to a display width, with an ellipsis.

    Examples
    --------
    >>> truncated("hippopotamus", 6)
    'hippo…'
    """
    if display_width(text) <= room:
        return text
    while text and display_width(text) > room - 1:
        text = text[:-1]
    return text.rstrip() + ELLIPSIS


def class_name(graph: Graph, label: int) -> str:
    """Return the caller's name of a class, on one line."""
    return printable(graph.classes[label])


def percent(share: float) -> str:
    """Return a share as a percentage, which is 100 or 0 only for shares of exactly 1 or 0.

    Examples
    --------
    >>> percent(1.0), percent(0.9999), percent(0.5)
    ('100.0 %', '99.9 %', '50.0 %')
    """
    value = 100 * share
    if 0 < share < 1:
        value = min(max(value, 0.1), 99.9)
    return f"{value:.1f} %"


def question_text(question: Question, *, room: int | None = None, digits: int | None = None) -> str:
    """Return a question as text; names in it, but not its threshold, are truncated to fit.

    Examples
    --------
    >>> from exactree.table import ColumnType
    >>> question_text(Question(ColumnType("circumference", Kind.NUMBER), Test.AT_MOST, 2.4567), room=16, digits=2)
    'circumfe… <= 2.5'
    """
    compares = question.test in (Test.AT_MOST, Test.LINEAR) and question.column.kind is Kind.NUMBER
    if digits is not None and compares:
        question = replace(question, threshold=float(f"{question.threshold:.{digits}g}"))
    column = question.column
    levels = tuple(printable(level) for level in column.levels)
    question = replace(question, column=replace(column, name=printable(column.name), levels=levels))
    text = question.text(yes=True)
    # A linear combination is never truncated: every term counts.
    if room is None or display_width(text) <= room or question.test == Test.LINEAR:
        return text
    return _cut(question, room)


def _cut(question: Question, room: int) -> str:
    """Return a question whose names are truncated so that column and level share the room."""
    name, levels = question.column.name, question.column.levels
    asked = levels[int(question.threshold)] if levels and question.test != Test.IS_MISSING else ""
    spare = room - (display_width(question.text(yes=True)) - display_width(name) - display_width(asked))
    for_level = min(display_width(asked), max(spare // 2, spare - display_width(name)))
    short = tuple(truncated(level, max(for_level, 2)) for level in levels)
    column = replace(question.column, name=truncated(name, max(spare - for_level, 2)), levels=short)
    return truncated(replace(question, column=column).text(yes=True), room)
