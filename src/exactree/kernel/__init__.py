"""The compiled part. Nothing else in the library imports the extension directly."""

from exactree.kernel._native import (
    LEAF_COST_UNIT,
    Outcome,
    apply,
    dl85,
    grow,
    number_rows,
    rank_two_values,
    search,
    search_leaves,
    take_rows,
)

__all__ = [
    "LEAF_COST_UNIT",
    "Outcome",
    "apply",
    "dl85",
    "grow",
    "number_rows",
    "rank_two_values",
    "search",
    "search_leaves",
    "take_rows",
]
