"""Names, questions and numbers made fit to print: one line, no control characters, no longer than there is room."""

import unicodedata
from dataclasses import replace

from exactree.model.graph import Graph
from exactree.table import Kind, Question, Test

ELLIPSIS = "…"


def printable(text: object) -> str:
    """Write anything on one line; control characters, line ends among them, become spaces.

    Examples
    --------
    >>> printable("first\\nsecond")
    'first second'
    """
    # Cc: control; Cs: half a character; Zl, Zp: line and paragraph ends. Those and the last two, which are no
    # characters at all, may not stand in a line or in XML.
    bad = ("Cc", "Cs", "Zl", "Zp")
    return "".join(" " if unicodedata.category(c) in bad or c in "\ufffe\uffff" else c for c in str(text))


def cells(text: str) -> int:
    """Places a text takes in a terminal: none for combining marks, two for wide characters as in Chinese.

    Examples
    --------
    >>> cells("abc"), cells("花")
    (3, 2)
    """
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    none = sum(unicodedata.category(c) in ("Mn", "Me", "Cf") for c in text)
    return len(text) + wide - none


def shortened(text: str, room: int) -> str:
    """Cut a text to so many places, with an ellipsis for what is left out.

    Examples
    --------
    >>> shortened("hippopotamus", 6)
    'hippo…'
    """
    if cells(text) <= room:
        return text
    while text and cells(text) > room - 1:
        text = text[:-1]
    return text.rstrip() + ELLIPSIS


def class_name(graph: Graph, label: int) -> str:
    """Return the caller's name of a class, on one line."""
    return printable(graph.classes[label])


def percent(share: float) -> str:
    """Write a share as a percentage that says 100 or 0 only if it is all or nothing.

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
    """Word a question; the names in it, not its threshold, are cut if there is no room.

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
    # A sum is told in full: what is cut off would count as much as what is not.
    if room is None or cells(text) <= room or question.test == Test.LINEAR:
        return text
    return _cut(question, room)


def _cut(question: Question, room: int) -> str:
    """Word a question whose names are cut so that both the column and the level get their part of the room."""
    name, levels = question.column.name, question.column.levels
    asked = levels[int(question.threshold)] if levels and question.test != Test.IS_MISSING else ""
    spare = room - (cells(question.text(yes=True)) - cells(name) - cells(asked))
    for_level = min(cells(asked), max(spare // 2, spare - cells(name)))
    short = tuple(shortened(level, max(for_level, 2)) for level in levels)
    column = replace(question.column, name=shortened(name, max(spare - for_level, 2)), levels=short)
    return shortened(replace(question, column=column).text(yes=True), room)
