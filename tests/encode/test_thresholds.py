"""Threshold policies."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest

from exactree.encode import CartSampling, Sampled, Thresholds, encode, policy
from exactree.encode.thresholds import All, ClassChanges, Quantiles
from exactree.errors import InputError
from exactree.table import Table, read_table


def cuts(values, labels, thresholds, **options):
    encoded = encode(Table.of([[value] for value in values]), labels, thresholds=thresholds, **options)
    return [column.cuts.tolist() for column in encoded.columns]


@pytest.mark.each(
    ("spec", "expected"),
    [
        ("all", All()),
        ("class-changes", ClassChanges()),
        ("quantiles", Quantiles(10)),
        ("quantiles(3)", Quantiles(3)),
        (Quantiles(4), Quantiles(4)),
        ("sampled", Sampled()),
        ("sampled( 40 )", Sampled(CartSampling(trees=40))),
        (Sampled(CartSampling(share=0.5)), Sampled(CartSampling(share=0.5))),
    ],
)
def test_policies_by_name(spec, expected):
    assert policy(spec) == expected
    assert isinstance(policy(spec), Thresholds) != isinstance(expected, Sampled)


def test_names_lead_back_to_the_policy():
    for chosen in (All(), ClassChanges(), Quantiles(7), Sampled(), Sampled(CartSampling(trees=7))):
        assert policy(str(chosen)) == chosen


@pytest.mark.each("spec", ["some", "quantiles(x)", "quantiles()", "sampled(-1)", 3, None, Quantiles, Sampled])
def test_unknown_policies(spec):
    known = r"Expected one of 'all', 'class-changes', 'quantiles', 'sampled', 'quantiles\(k\)' or 'sampled\(k\)' with"
    with pytest.raises(InputError, match=known):
        policy(spec)


@pytest.mark.parametrize("k", [0, -1, 1.5, True])
def test_number_of_quantiles(k):
    with pytest.raises(InputError, match=r"integer number of cuts, at least 1; got"):
        Quantiles(k)
    with pytest.raises(InputError, match=r"at least 1; got 0"):
        policy("quantiles(0)")


def test_class_changes_keep_cuts_between_different_or_impure_values():
    values, labels = [1, 2, 3, 3, 4, 5, 6], list("aaabbbc")
    assert cuts(values, labels, "class-changes") == [[2.5, 3.5, 5.5]]
    encoded = encode(Table.of([[v] for v in values]), labels, thresholds="class-changes")
    assert encoded.columns[0].ranks.tolist() == [0, 1, 1, 2, 3]  # 1 and 2 are one point now, and so are 4 and 5
    assert encoded.point_counts.tolist() == [2, 1, 1, 2, 1]
    assert (encoded.thresholds, encoded.complete) == ("class-changes", False)


def test_nothing_dropped_is_complete():
    assert encode(Table.of([[1], [2]]), ["a", "b"], thresholds="class-changes").complete
    assert encode(Table.of([[1], [2]]), ["a", "b"], thresholds="quantiles").complete


def test_the_cut_next_to_missing_values_is_kept():
    assert cuts([1, 2, None], list("aab"), "class-changes") == [[-np.inf]]
    assert cuts([1, 2, None, 3], list("aabb"), "class-changes") == [[-np.inf, 2.5], [2.5, np.inf]]


def test_quantiles_part_the_rows_evenly():
    assert cuts(range(100), [0] * 100, Quantiles(3)) == [[24.5, 49.5, 74.5]]
    assert cuts(range(4), [0] * 4, Quantiles(3)) == [[0.5, 1.5, 2.5]]
    assert cuts([0] * 97 + [1, 2, 3], [0] * 100, Quantiles(2)) == [[0.5]]


def test_quantiles_weigh_rows():
    assert cuts(range(4), [0] * 4, Quantiles(1), sample_weight=[1, 1, 1, 9]) == [[2.5]]
    assert cuts(range(4), [0] * 4, Quantiles(1), sample_weight=[9, 1, 1, 1]) == [[0.5]]


def test_a_policy_of_the_callers_own():
    class First:
        def keep(self, ranking):
            kept = np.zeros(ranking.n_ranks - 1, dtype=bool)
            kept[:1] = True
            return kept

        def __str__(self):
            return "first"

    encoded = encode(Table.of([[1], [2], [3]]), [0, 1, 0], thresholds=First())
    assert (encoded.columns[0].cuts.tolist(), encoded.thresholds) == ([1.5], "first")


# Thresholds by BinOCT's rule, as counted for the benchmark sets

BLANK = 1  # an empty square of tic-tac-toe
# Counted with rational numbers, which no reader rounds, this set has three thresholds more than the manifest states
COUNTED_EXACTLY = {"continuous/bean.csv.gz": (10256, 116344)}


DATA = os.environ.get("EXACTREE_DATA")


def sets():
    with (Path(DATA) / "MANIFEST.csv").open(encoding="utf-8", newline="") as lines:
        return [row for row in csv.DictReader(lines) if row["t_encoding"]]


def one_hot(values, *, two_columns=False, left_out=None):
    """0/1 columns for the values, NaN where missing; two values need one column only."""
    missing = np.array([value is None or value != value for value in values])
    levels = sorted({value for value, gone in zip(values, missing, strict=True) if not gone})
    levels = [level for level in levels if level != left_out]
    if len(levels) == 2 and not two_columns and left_out is None:
        levels = levels[:1]
    return [np.where(missing, np.nan, [float(value == level) for value in values]) for level in levels]


def ordinal(values):
    levels = sorted(set(values))
    return [np.array([float(levels.index(value)) for value in values])]


def columns_of(frame, row):
    """The number columns that the manifest's encoding names."""
    encoding = row["t_encoding"]
    nominal = set(row["nominal_columns"].split(";"))
    for name in frame.names:
        values = frame.column(name)
        if encoding == "numbers as they are" or name not in nominal:
            yield np.array([np.nan if value is None else float(value) for value in values.tolist()])
        elif encoding in ("ordinal codes", "letters as ordinal codes"):
            yield from ordinal(values.tolist())
        elif encoding.startswith("one-hot, one value per square left out"):
            yield from one_hot(values.tolist(), left_out=BLANK)
        elif encoding == "one-hot, yes/no as two columns":
            yield from one_hot(values.tolist(), two_columns=True)
        else:
            assert encoding == "nominal one-hot (two-valued: one column), numbers as they are"
            yield from one_hot(values.tolist())


@pytest.mark.slow
@pytest.mark.skipif(not DATA, reason="EXACTREE_DATA does not name the folder of data sets")
@pytest.mark.each("row", sets() if DATA else [None])
def test_class_changes_count_what_the_manifest_states(row):
    y, frame = read_table(Path(DATA) / row["file"], missing=("",)).pop("class")
    counted = [cuts_of_one(values, y) for values in columns_of(frame, row)]
    stated = COUNTED_EXACTLY.get(row["file"], (int(row["t_max"]), int(row["t_all"])))
    assert (max(counted), sum(counted)) == stated


def cuts_of_one(values, y):
    encoded = encode(Table.of(values.reshape(-1, 1)), y, thresholds="class-changes")
    return int(np.isfinite(encoded.columns[0].cuts).sum()) if encoded.columns else 0
