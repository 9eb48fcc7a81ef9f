"""Continuous datasets: those of the ConTree paper, and those of the BinOCT paper with many thresholds."""

from dataclasses import replace

from exactree_bench.datasets.case import Case, Encoding

CONTREE = tuple(
    Case(name, f"continuous/{name}.csv.gz")
    for name in (
        "bank",
        "raisin",
        "wilt",
        "rice",
        "segment",
        "room",
        "page",
        "bidding",
        "occupancy",
        "fault",
        "avila",
        "bean",
        "eeg",
        "htru",
        "magic",
        "skin",
    )
)
BINOCT = (
    Case("pima", "uci/pima-indians-diabetes.csv.gz"),
    Case("ionosphere", "uci/ionosphere.csv.gz"),
    Case("qsar", "uci/qsar-biodegradation.csv.gz"),
    Case("seismic", "uci/seismic-bumps.csv.gz", encoding=Encoding.ONE_HOT),
    Case("spambase", "uci/spambase.csv.gz"),
    Case("statlog", "uci/statlog-landsat-satellite.csv.gz"),
)
CASES = CONTREE + BINOCT
# For suites that have the CP4IM sets too: one of these is named segment, and is another table.
APART = tuple(replace(case, name="segment-numbers") if case.name == "segment" else case for case in CASES)

# Errors of optimal trees, proved by ConTree, by exactree or by both.
KNOWN = {
    3: {
        "bank": 23,
        "raisin": 94,
        "wilt": 88,
        "rice": 243,
        "segment": 278,
        "room": 80,
        "page": 168,
        "bidding": 50,
        "occupancy": 185,
        "fault": 627,
        "avila": 8664,
        "pima": 151,
        "ionosphere": 19,
        "qsar": 148,
        "seismic": 153,
        "spambase": 417,
        "statlog": 1062,
    },
}
