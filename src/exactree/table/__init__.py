"""Stage 1. What the user hands in: named, typed columns, and questions one can ask a row."""

from exactree.table.column import CATEGORICAL_KINDS, MISSING_CODE, UNKNOWN_CODE, Column, Kind
from exactree.table.frame import Frame
from exactree.table.question import Question, Test
from exactree.table.read import read_table
from exactree.table.schema import ColumnType, Schema
from exactree.table.spread import Spread, spread_of
from exactree.table.table import Table

__all__ = [
    "CATEGORICAL_KINDS",
    "MISSING_CODE",
    "UNKNOWN_CODE",
    "Column",
    "ColumnType",
    "Frame",
    "Kind",
    "Question",
    "Schema",
    "Spread",
    "Table",
    "Test",
    "read_table",
    "spread_of",
]
