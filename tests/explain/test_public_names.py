"""Names of exactree.explain, and of what was once found there."""

import pytest

import exactree
from exactree import explain


@pytest.mark.parametrize("name", ["blocking_rows", "pareto_front"])
def test_what_fits_trees_is_found_in_the_package(name):
    with pytest.raises(AttributeError, match=rf"it fits trees of its own.*use exactree\.{name}\."):
        getattr(explain, name)
    assert callable(getattr(exactree, name))


def test_other_names_are_unknown():
    with pytest.raises(AttributeError, match=r"^module 'exactree.explain' has no attribute 'blocking'$"):
        explain.__getattr__("blocking")
