"""Published in the DL8.5 paper: objectives and seconds of Tables 2 and 3.

Source: G. Aglin, S. Nijssen and P. Schaus, Learning optimal decision trees using caching branch-and-bound search,
AAAI 2020. A star marks an objective that was proved optimal, TO that 10 minutes were not enough, a dash that no tree
was found. Times are of an Intel Xeon E5-2640.
"""

from dataclasses import dataclass

# set, items, rows, then objective and seconds of each system
SYSTEMS_2 = ("BinOCT", "DL8", "CP-based", "DL8.5 d.o.", "DL8.5 asc", "DL8.5 desc", "DL8.5 n.p.s.")
TABLE_2 = """\
anneal            186   812 115   TO    -    TO  91* 450.69  91* 129.24  91* 127.45  91* 121.87  91* 250.64
audiology         296   216   2   TO    -    TO    1     TO   1* 180.84   1* 204.19   1* 195.73    1     TO
australian-credit 250   653  82   TO    -    TO   66     TO  56* 566.71  56* 586.39  56* 593.38   57     TO
breast-wisconsin  240   683  12   TO    -    TO    8     TO   7*  305.3   7*  325.7   7* 330.71    7     TO
diabetes          224   768 170   TO    -    TO  140     TO 137* 553.49 137* 562.83 137*  565.5  137     TO
german-credit     224  1000 223   TO    -    TO  204     TO 204* 558.73  206     TO 204* 599.87  204     TO
heart-cleveland   190   296  39   TO    -    TO   25     TO  25*  124.1  25*  130.3  25* 132.23  25* 214.76
hepatitis         136   137   7   TO   3* 66.62   3* 109.36   3*  13.46   3*  14.06   3*  14.88   3*  27.28
hypothyroid       176  3247  55   TO    -    TO   53     TO  53* 392.22  53* 368.95  53* 427.34   53     TO
ionosphere        890   351  27   TO    -    TO   20     TO   17     TO   11     TO   13     TO   17     TO
kr-vs-kp          146  3196 193   TO    -    TO 144* 483.15 144* 216.11 144* 206.18 144* 223.85 144* 528.72
letter            448 20000 813   TO    -    TO  574     TO  550     TO  586     TO  802     TO  550     TO
lymph             136   148   6   TO   3* 56.29   3* 112.48   3*    8.7   3*  11.03   3*   8.47   3*  25.04
mushroom          238  8124 278   TO    -    TO   0* 352.18   0* 331.39    4     TO   0*   0.11    4     TO
pendigits         432  7494 780   TO    -    TO   38     TO   32     TO   26     TO   14     TO   32     TO
primary-tumor      62   336  37   TO  34*  2.79  34*   8.96  34*   1.48  34*   1.51  34*   1.38  34*   2.43
segment           470  2310  13   TO    -    TO   0* 128.25   0*   3.54   0*   6.99   0*   7.05   0*   3.54
soybean           100   630  15   TO  14* 41.59  14*  40.13  14*    5.7  14*   6.34  14*   5.75  14*  18.41
splice-1          574   319 574   TO    -    TO    -     TO  224     TO  224     TO  141     TO  224     TO
tic-tac-toe        54   958 180   TO 137*  3.76 137*   9.17 137*   1.43 137*   1.54 137*   1.55 137*   2.12
vehicle           504   846  61   TO    -    TO   22     TO   16     TO   18     TO   13     TO   16     TO
vote               96   435   6   TO   5* 29.84   5*  44.47   5*   5.48   5*   5.33   5*   5.58   5*  12.82
yeast             178  1484 395   TO    -    TO  366     TO 366* 318.87 366*  326.2 366* 334.15 366* 470.88
zoo-1              72   101  0* 0.52   0*  1.11   0*    0.2   0*   0.01   0*   0.01   0*   0.01   0*   0.01
"""

# set, rows, features, items, then objective and seconds of each system
SYSTEMS_3 = ("BinOCT", "DL8", "CP-based", "DL8.5 d.o.", "DL8.5 asc", "DL8.5 desc")
TABLE_3 = """\
balance-scale     625  4    32 149*  1.2 149*    0.5 149*   0.01 149*   0.01 149*   0.01 149*   0.01
banknote         1372  4  3710  101   TO 100* 363.01    -     TO 100*  52.81 100*  63.41 100*  58.07
bank             4521 51  3380  449   TO  448     TO    -     TO 446* 253.87 446* 223.42 446* 222.66
biodeg           1055 41  8356  212   TO  212     TO    -     TO 202* 341.57 202* 365.83 202* 370.26
car              1728  6    28 250* 4.09 250*   0.32 250*   0.02 250*   0.01 250*   0.01 250*   0.01
IndiansDiabetes   768  8  1714  171   TO 171*  36.75    -     TO 171*   7.43 171*   8.46 171*   8.72
Ionosphere        351 34  4624   29   TO  29* 423.52    -     TO  29*  25.68  29*  33.76  29*  33.04
iris              150  4    52   0* 0.02   0*   0.05   0*   0.01   0*   0.01   0*   0.01   0*   0.01
letter          20000 16   352  625   TO 591*   5.97 591* 392.09 591*   8.61 591*   8.26 591*   8.83
messidor         1151 19  9460  383   TO  383     TO    -     TO 383* 533.27 383* 563.83 383* 534.32
monk1             124  6    22  22* 0.33  22*   0.28  22*   0.01  22*   0.01  22*   0.01  22*   0.01
monk2             169  6    22  57* 0.79  57*   0.28  57*   0.01  57*   0.01  57*   0.01  57*   0.01
monk3             122  6    22   8* 0.31   8*   0.28   8*   0.01   8*   0.01   8*   0.01   8*   0.01
seismic          2584 18  2240  166   TO 164* 117.34    -     TO 164*   44.3 164*  47.36 164*  47.17
spambase         4601 57 16012  660   TO  900     TO    -     TO  741     TO  845     TO  586     TO
Statlog          4435 36  3274  460   TO  443     TO    -     TO 443* 205.14 443* 193.87 443*  188.9
tic-tac-toe       958 18    36 282* 7.52 282*   0.33 282*   0.01 282*   0.01 282*   0.01 282*   0.01
wine              178 13  1198   6* 73.1   6*    7.0   6*  74.72   6*   1.17   6*   1.45   6*   1.09
"""


@dataclass(frozen=True, slots=True)
class Published:
    """One cell of a table; ``None`` if there is no tree, or if time ran out."""

    objective: int | None
    proved: bool
    seconds: float | None

    def __str__(self) -> str:
        objective = "∞" if self.objective is None else f"{self.objective}{'*' if self.proved else ''}"
        return f"{objective} {'TO' if self.seconds is None else f'{self.seconds:g}'}"


Row = dict[str, Published]  # by system


def read_table(text: str, systems: tuple[str, ...]) -> dict[str, Row]:
    """Read one of the tables above, by name of the set.

    Examples
    --------
    >>> row = read_table("vote 96 435 6 TO 5* 29.84", ("BinOCT", "DL8"))["vote"]
    >>> str(row["BinOCT"]), str(row["DL8"])
    ('6 TO', '5* 29.84')
    """
    table: dict[str, Row] = {}
    for line in text.splitlines():
        name, *cells = line.split()
        figures = cells[len(cells) - 2 * len(systems) :]
        pairs = zip(figures[::2], figures[1::2], strict=True)
        table[name] = {system: _cell(*pair) for system, pair in zip(systems, pairs, strict=True)}
    return table


def best(row: Row) -> tuple[int, bool]:
    """Return the fewest errors that any system of the paper found, and whether one proved them optimal.

    Examples
    --------
    >>> best(TABLE_2_ROWS["anneal"]), best(TABLE_2_ROWS["ionosphere"])
    ((91, True), (11, False))
    """
    found = [(cell.objective, cell.proved) for cell in row.values() if cell.objective is not None]
    fewest = min(objective for objective, _ in found)
    return fewest, any(proved for objective, proved in found if objective == fewest)


def _cell(objective: str, seconds: str) -> Published:
    errors = None if objective == "-" else int(objective.removesuffix("*"))
    return Published(errors, objective.endswith("*"), None if seconds == "TO" else float(seconds))


TABLE_2_ROWS = read_table(TABLE_2, SYSTEMS_2)
TABLE_3_ROWS = read_table(TABLE_3, SYSTEMS_3)
