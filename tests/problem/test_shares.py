"""Which fractions there are, and which float stands for which."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from exactree.problem.shares import meant_share, next_share, share_before, share_from, whole_units


@pytest.mark.each("most", range(1, 14))
def test_neighbours_are_those_of_the_whole_list(most):
    every = sorted({Fraction(a, b) for b in range(1, most + 1) for a in range(b + 1)})
    for before, after in pairwise(every):
        assert next_share(before, most) == after
        assert share_before(after, most) == before
        middle = (before + after) / 2
        assert share_from(middle, most) == after
        assert share_from(after, most) == after


@pytest.mark.parametrize("most", [97, 1000, 4099])
def test_every_fraction_is_known_again_from_its_float(most):
    rng = np.random.default_rng(most)
    for _ in range(300):
        b = int(rng.integers(1, most + 1))
        share = Fraction(int(rng.integers(0, b + 1)), b)
        assert meant_share(float(share)) == share
        assert meant_share(1 - float(1 - share)) == share


def test_a_number_that_is_no_simple_fraction_stays_as_it_is():
    number = 0.123456789012345
    assert meant_share(number) == Fraction(number)
    assert meant_share(np.float32(0.5)) == Fraction(1, 2)
    assert meant_share(Fraction(1, 3)) == Fraction(1, 3)


@pytest.mark.parametrize(
    ("amounts", "units"),
    [([1, 2, 3], [1, 2, 3]), ([0.1, 0.3, 0.1], [1, 3, 1]), ([0.2, 0.3], [2, 3]), ([2.5, 5.0], [1, 2])],
)
def test_whole_units(amounts, units):
    assert whole_units(np.array(amounts, dtype=float))[0].tolist() == units


def test_a_single_amount_may_have_another_unit_than_the_rest():
    amounts = np.arange(1, 200, dtype=float)
    assert whole_units(amounts)[1] == 1.0
    amounts[101] += 0.5
    assert whole_units(amounts)[1] == 0.5


def test_amounts_without_a_unit():
    assert whole_units(np.random.default_rng(0).random(9)) is None
