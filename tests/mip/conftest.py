"""Small MIPs with known answers; every back end that is installed must find them."""

import numpy as np
import pytest

from exactree.errors import Unsupported
from exactree.mip import Kind, Mip, installed, solve


@pytest.fixture(scope="session", params=installed())
def backend(request):
    mip, _ = knapsack(3, 1)
    try:
        solve(mip.program(), backend=request.param)  # loads the package, or starts its process, before any clock runs
    except Unsupported as refused:
        pytest.skip(f"no licence: {refused}")
    return request.param


def knapsack(n_things, n_sides, seed=0):
    """As many sides to fit as asked: with many of them no proof comes within any test's patience."""
    rng = np.random.default_rng(seed)
    mip = Mip()
    worth, size = rng.integers(10, 100, n_things), rng.integers(10, 100, (n_sides, n_things))
    take = mip.columns("take", n_things, kind=Kind.INTEGER, high=1, cost=-worth)
    mip.family("fits", [(size, np.broadcast_to(take, size.shape))], at_most=size.sum(axis=1) // 2)
    return mip, take


@pytest.fixture
def long_program():
    """Hours of work, with a solution to be had at once."""
    mip, take = knapsack(200, 30)
    mip.set_start(take, 0)
    return mip.program()
