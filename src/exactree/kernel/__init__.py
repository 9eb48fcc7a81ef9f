"""The compiled kernel. Import its names from here, not from the extension module ``_native``.

Arrays cross the boundary as views of fixed types, without conversion; values out of range raise ``ValueError``.
"""

from exactree.kernel._native import (
    FEW_RANKS,
    INFINITE_COST,
    LEAF_COST_UNIT,
    ChosenTree,
    ConstructedDiagrams,
    FrontOutcome,
    FrontPoint,
    Outcome,
    PathRows,
    PricedPaths,
    apply,
    construct_diagrams,
    dl85,
    grow,
    number_rows,
    rank_two_values,
    search,
    search_diagram,
    search_front,
    search_leaves,
    search_limited,
    take_rows,
)

__all__ = [
    "FEW_RANKS",
    "INFINITE_COST",
    "LEAF_COST_UNIT",
    "ChosenTree",
    "ConstructedDiagrams",
    "FrontOutcome",
    "FrontPoint",
    "Outcome",
    "PathRows",
    "PricedPaths",
    "apply",
    "construct_diagrams",
    "dl85",
    "grow",
    "number_rows",
    "rank_two_values",
    "search",
    "search_diagram",
    "search_front",
    "search_leaves",
    "search_limited",
    "take_rows",
]
