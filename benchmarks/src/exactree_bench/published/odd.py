"""Published in the ODD paper: Tables 1 (proofs and improvements) and 2 (accuracy of stable diagrams), and its sets.

Source: A. M. Florio, P. Martins, M. Schiffer, T. Serra and T. Vidal, Optimal decision diagrams for classification,
AAAI 2023. Gurobi 9.1, one thread, 600 s after 60 s of heuristic. Cells of Table 1 are numbers of runs: 54 sets, 5
seeds, univariate and multivariate splits make 540 (the paper's "out of 270" does not agree with its total of 13,500).
"Improved" are runs without a proof that are better than the heuristic; 58 % includes proofs.
"""

from dataclasses import dataclass, field

from exactree_bench.datasets.case import Case
from exactree_bench.datasets.preprocessing import Preprocessing

ALPHAS = (0.01, 0.1, 0.2, 0.5, 1.0)
SEEDS = (1, 2, 3, 4, 5)
TREE = "tree"  # on skeleton I
SKELETONS = ("I", "II", "III", "IV", TREE)
RUNS_PER_CELL = 540
PROVED_SHARE, PROVED_OR_IMPROVED_SHARE = 4356 / 13500, 7776 / 13500
TABLE_1 = """\
I     152 155 162 179 225   35  91 134 202 202
II    150 154 162 179 227   36  91 124 194 193
III   148 152 161 177 223   38  89 129 200 205
IV    149 156 163 178 226   62 124 150 226 221
tree  155 158 163 177 225   30  98 131 208 207
"""
LEAST_SHARES = (0.05, 0.1, 0.15, 0.2)
TABLE_2 = {  # mean test accuracy, by minimum share of rows at every node; 18 sets that the paper does not name
    "multivariate": dict(zip(LEAST_SHARES, (0.828, 0.827, 0.823, 0.823), strict=True)),
    "univariate": dict(zip(LEAST_SHARES, (0.840, 0.838, 0.837, 0.835), strict=True)),
}


@dataclass(frozen=True, slots=True)
class Cell:
    """Runs of one skeleton with one penalty, of 540."""

    proved: int
    improved: int  # without a proof


def read_table_1(text: str) -> dict[tuple[str, float], Cell]:
    """Read the table above.

    Examples
    --------
    >>> cells = read_table_1(TABLE_1)
    >>> cells["IV", 0.5], sum(cell.proved for cell in cells.values()), sum(cell.improved for cell in cells.values())
    (Cell(proved=178, improved=226), 4356, 3420)
    """
    cells = {}
    for line in text.splitlines():
        name, *figures = line.split()
        counts = list(map(int, figures))
        for at, alpha in enumerate(ALPHAS):
            cells[name, alpha] = Cell(counts[at], counts[at + len(ALPHAS)])
    return cells


CELLS_1 = read_table_1(TABLE_1)


@dataclass(frozen=True, slots=True)
class Table:
    """One of the 54 sets: its preprocessing, and the size of the result."""

    file: str
    rows: int
    columns: int
    classes: int
    preprocessing: Preprocessing = field(default_factory=Preprocessing)

    def case(self, name: str, seed: int) -> Case:
        """Return the set with a split: half training, a quarter validation, a quarter test rows."""
        return Case(
            f"{name}/{seed}",
            f"uci/{self.file}.csv.gz",
            split=seed,
            validation=0.25,
            preprocessing=self.preprocessing,
        )


def columns_at(*places: int) -> tuple[str, ...]:
    """Return the names of columns at these indices, counted from 0 as in the paper's files."""
    return tuple(f"V{place + 1}" for place in places)


SETS: dict[str, Table] = {
    "acute-nephritis": Table("acute-inflammations-nephritis", 120, 6, 2),
    "acute-urinary": Table("acute-inflammations-urinary", 120, 6, 2),
    "balance-scale": Table("balance-scale", 625, 4, 3),
    "banknote": Table("banknote-authentication", 1372, 4, 2),
    "blood-transfusion": Table("blood-transfusion-service", 748, 4, 2),
    "breast-diagnostic": Table("breast-cancer-diagnostic", 569, 30, 2),
    "breast-prognostic": Table("breast-cancer-prognostic", 194, 33, 2),
    "breast-wisconsin": Table("breast-cancer-wisconsin", 699, 9, 2),
    "car": Table("car-evaluation", 1728, 15, 4, Preprocessing(nominal=columns_at(*range(6)))),
    "chess": Table("chess-kr-vs-kp", 3196, 37, 2, Preprocessing(nominal=columns_at(14))),
    "climate": Table("climate-simulation-crashes", 540, 18, 2, Preprocessing(dropped=columns_at(0, 1))),
    "voting": Table("congressional-voting", 435, 16, 2),
    "sonar": Table("connectionist-mines-vs-rocks", 208, 60, 2),
    "vowel": Table("connectionist-vowel", 990, 10, 11),
    "contraceptive": Table("contraceptive-method-choice", 1473, 11, 3, Preprocessing(nominal=columns_at(6))),
    "credit-approval": Table("credit-approval", 653, 37, 2, Preprocessing(nominal=columns_at(3, 4, 5, 6, 12))),
    "cylinder-bands": Table(
        "cylinder-bands",
        277,
        484,
        2,
        Preprocessing(nominal=columns_at(1, 2, 3, 7, 8, 9, 10, 12, *range(14, 20)), dropped=columns_at(0)),
    ),
    "dermatology": Table("dermatology", 366, 34, 6),
    "echocardiogram": Table("echocardiogram", 61, 9, 2, Preprocessing(dropped=columns_at(9, 10, 11))),
    "fertility": Table("fertility-diagnosis", 100, 12, 2, Preprocessing(nominal=columns_at(0, 5))),
    "haberman": Table("habermans-survival", 306, 3, 2),
    "hayes-roth": Table("hayes-roth", 160, 4, 3),
    "heart-cleveland": Table(
        "heart-disease-cleveland",
        297,
        18,
        5,
        Preprocessing(nominal=columns_at(11, 12), complete="uci_original/heart-disease-cleveland.csv.gz"),
    ),
    "hepatitis": Table("hepatitis", 80, 19, 2, Preprocessing(complete="uci_original/hepatitis.csv.gz")),
    "image-segmentation": Table("image-segmentation", 2310, 18, 7),
    "indian-liver": Table("indian-liver-patient", 579, 10, 2, Preprocessing(filled=True)),
    "ionosphere": Table("ionosphere", 351, 33, 2),
    "iris": Table("iris", 150, 4, 3),
    "mammographic": Table("mammographic-mass", 830, 10, 2, Preprocessing(filled=True, nominal=columns_at(2, 3))),
    "monks1": Table("monks1", 556, 11, 2, Preprocessing(nominal=("a1", "a2", "a4", "a5"))),
    "monks2": Table("monks2", 601, 11, 2, Preprocessing(nominal=("a1", "a2", "a4", "a5"))),
    "monks3": Table("monks3", 554, 11, 2, Preprocessing(nominal=("a1", "a2", "a4", "a5"))),
    "optical": Table("optical-recognition", 5620, 64, 10),
    "ozone-eight": Table("ozone-eighthr", 1847, 72, 2, Preprocessing(filled=True)),
    "ozone-one": Table("ozone-onehr", 1848, 72, 2, Preprocessing(filled=True)),
    "parkinsons": Table("parkinsons", 195, 22, 2),
    "pima": Table("pima-indians-diabetes", 768, 8, 2),
    "planning-relax": Table("planning-relax", 182, 12, 2),
    "qsar": Table("qsar-biodegradation", 1055, 41, 2),
    "seeds": Table("seeds", 210, 7, 3),
    "seismic": Table("seismic-bumps", 2584, 20, 2, Preprocessing(nominal=("seismoacoustic", "ghazard"))),
    "soybean-small": Table("soybean-small", 47, 35, 4),
    "spambase": Table("spambase", 4601, 57, 2),
    "spect": Table("spect-heart", 267, 22, 2),
    "spectf": Table("spectf-heart", 267, 44, 2),
    "german-credit": Table(
        "statlog-german-credit", 1000, 48, 2, Preprocessing(nominal=columns_at(0, 2, 3, 5, 6, 8, 9, 11, 13, 14, 16))
    ),
    "landsat": Table("statlog-landsat-satellite", 6435, 36, 6),
    "teaching-assistant": Table("teaching-assistant-evaluation", 151, 52, 3, Preprocessing(nominal=columns_at(1, 2))),
    "thoracic": Table("thoracic-surgery", 470, 24, 2, Preprocessing(nominal=columns_at(0, 3, 9))),
    "thyroid-ann": Table("thyroid-ann", 3772, 21, 3),
    "thyroid-new": Table("thyroid-new", 215, 5, 3),
    "tic-tac-toe": Table("tic-tac-toe", 958, 18, 2, Preprocessing(nominal=columns_at(*range(9)))),
    "wall-robot": Table("wall-following-robot-2", 5456, 2, 4),
    "wine": Table("wine", 178, 13, 3),
}
