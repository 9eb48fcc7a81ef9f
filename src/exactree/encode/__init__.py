"""Stage 2. Table -> Encoded: columns of ranks, thresholds between them, labels and weights, equal rows merged."""

from exactree.encode.encode import encode
from exactree.encode.encoded import Encoded, MissingRank, RankedColumn
from exactree.encode.policy import Policy, policy
from exactree.encode.sampled import Sampled
from exactree.encode.sampling import CartSampling, Splits, sampled_splits
from exactree.encode.subset import subset_of
from exactree.encode.thresholds import Growth, TableThresholds, Thresholds

__all__ = [
    "CartSampling",
    "Encoded",
    "Growth",
    "MissingRank",
    "Policy",
    "RankedColumn",
    "Sampled",
    "Splits",
    "TableThresholds",
    "Thresholds",
    "encode",
    "policy",
    "sampled_splits",
    "subset_of",
]
