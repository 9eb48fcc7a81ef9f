"""How much columns vary, read off while they are ranked."""

import numpy as np
import pandas as pd
import pytest

from exactree.encode import encode
from exactree.table import Spread, Table, spread_of

BIG = 2**60


def random_table(rng, n_rows):
    def gaps(values):
        return pd.Series(values).where(rng.random(n_rows) < 0.8)

    frame = {
        "fraction": np.round(rng.normal(size=n_rows), int(rng.integers(0, 4))),
        "count": rng.integers(0, 9, n_rows),
        "two": np.where(rng.random(n_rows) < rng.choice([0.1, 0.5]), 0.1, 0.4),
        "halves": np.where(np.arange(n_rows) < n_rows // 2, 0.1, 0.7),
        "rare": np.where(rng.random(n_rows) < 0.2, rng.normal(size=n_rows), 0.0),
        "flag": rng.random(n_rows) < 0.5,
        "same": np.zeros(n_rows),
        "gaps": gaps(rng.normal(size=n_rows)),
        "city": gaps(rng.choice(["x", "y", "z"], n_rows)),
        "size": pd.Categorical(rng.choice(["s", "m", "l"], n_rows, p=[0.7, 0.1, 0.2]), ["s", "m", "l"], ordered=True),
        "id": BIG + rng.integers(0, 9, n_rows),
    }
    return Table.of(pd.DataFrame(frame))


@pytest.mark.parametrize("thresholds", ["all", "quantiles(3)"])
@pytest.mark.each("seed", range(20))
def test_ranks_distinguish_exactly_what_the_values_do(seed, thresholds):
    """Rows are merged on the way; those of weight zero were not there."""
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(20, 60))
    table, weight = random_table(rng, n_rows), rng.integers(0, 3, n_rows)
    data = encode(table, rng.integers(0, 2, n_rows), sample_weight=weight, thresholds=thresholds)
    assert data.table.spreads == tuple(spread_of(column) for column in table.take(weight > 0).columns)


def test_equal_rows_count_each():
    data = encode(Table.of([[0.0]] * 6 + [[1.0]] * 3 + [[5.0]] * 2), [0] * 6 + [1] * 5)
    assert data.n_points == 3
    assert (
        data.table.spreads
        == (spread_of(data.table.columns[0]),)
        != (spread_of(Table.of([[0.0], [1.0], [5.0]]).columns[0]),)
    )


def test_some_rows_of_a_table_are_not_measured():
    data = encode(Table.of([[0.5], [1.0]]), [0, 1])
    assert data.table.schema.columns[0].spread == Spread(2, 0, 0.25)
    assert data.table.take([0]).schema.columns[0].spread is None
    assert data.table.conform(data.table.schema).schema.columns[0].spread is None
