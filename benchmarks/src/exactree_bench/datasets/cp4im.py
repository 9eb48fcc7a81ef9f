"""The 24 binary CP4IM sets (Guns, Nijssen and De Raedt), in the order of DL8.5's Table 2."""

from exactree_bench.datasets.case import Case
from exactree_bench.published.dl85 import TABLE_2_ROWS

CASES = tuple(Case(name, f"cp4im/{name}.csv.gz") for name in TABLE_2_ROWS)
