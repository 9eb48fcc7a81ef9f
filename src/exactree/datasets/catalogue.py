"""What there is to load by name: one line per table, so that listing them loads none of them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a table is made and what to expect of it; a test compares each with the table itself."""

    name: str
    maker: str  # module in exactree.datasets and function in it, which takes nothing and returns the Dataset
    n_rows: int
    n_columns: int  # without the target
    n_classes: int
    description: str


CATALOGUE: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry("monks-1", "monks:monks_1", 432, 6, 2, "Class 1 if a1 = a2 or a5 = 1."),
        Entry("monks-2", "monks:monks_2", 432, 6, 2, "Class 1 if exactly two attributes have the value 1."),
        Entry("monks-3", "monks:monks_3", 432, 6, 2, "Class 1 if a5 = 3 and a4 = 1, or a5 < 4 and a2 < 3."),
        Entry("balance-scale", "balance_scale:balance_scale", 625, 4, 3, "Does a scale tip left, right or not at all?"),
        Entry("tic-tac-toe", "tic_tac_toe:tic_tac_toe", 958, 9, 2, "Has x won? Every final board, x moving first."),
        Entry("iris", "bundled:iris", 150, 4, 3, "Three kinds of iris by the size of petals and sepals."),
        Entry("wine", "bundled:wine", 178, 13, 3, "Three cultivars of wine by chemical analysis."),
        Entry("breast-cancer", "bundled:breast_cancer", 569, 30, 2, "Benign or malignant, by measured cell nuclei."),
        Entry("digits", "bundled:digits", 1797, 64, 10, "Handwritten digits as 8 by 8 grey values from 0 to 16."),
    )
}
