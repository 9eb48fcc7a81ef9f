"""Ten tables with a sensitive column. Two groups, two classes; class 1 is the one whose rates are compared."""

from exactree_bench.datasets.case import Case
from exactree_bench.datasets.sensitive import Sensitive

TRAIN, SEED = 2 / 3, 0


def _table(name: str, file: str, positive: str, sensitive: Sensitive) -> Case:
    return Case(name, f"{file}.csv.gz", positive, split=SEED, train=TRAIN, test=1.0, sensitive=sensitive)


CASES = (
    _table("adult", "large/adult", ">50K", Sensitive("sex", "Female")),
    _table("default-credit", "large/default-credit", "0", Sensitive("SEX", 2, ("EDUCATION", "MARRIAGE"))),
    _table("german-credit", "uci_original/statlog-german-credit", "good", Sensitive("personal_status", "female")),
    _table("bank-marketing", "uci/bank-marketing-10pct", "yes", Sensitive("marital", "married")),
    _table("indian-liver-patient", "uci/indian-liver-patient", "1", Sensitive("V2", "Female")),
    _table("heart-cleveland", "uci/heart-disease-cleveland", "1", Sensitive("V2", 1, ("V3", "V7", "V13"))),
    _table("mammographic-mass", "uci/mammographic-mass", "2", Sensitive("V2", 60)),
    _table("contraceptive", "uci/contraceptive-method-choice", "1", Sensitive("V5", 2, ("V7",))),
    _table("thoracic-surgery", "uci/thoracic-surgery", "2", Sensitive("V16", 65, ("V1",))),
    _table("pima-diabetes", "uci/pima-indians-diabetes", "2", Sensitive("V8", 30)),
)
GROUPS = (
    "Sensitive columns: sex in adult, default-credit, german-credit (in personal_status), indian-liver-patient and "
    "heart-cleveland; married or not in bank-marketing; religion (V5) in contraceptive; age in mammographic-mass (60 "
    "or more), thoracic-surgery (65) and pima-diabetes (30). They are left out of the questions."
)
SMALL = ("heart-cleveland",)  # those that MIPs can do something about in a minute
