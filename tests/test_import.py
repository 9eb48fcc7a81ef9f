"""`import exactree` is quick: it loads nothing that fitting a first tree does not need."""

import subprocess
import sys

import pytest

HEAVY = ("highspy", "matplotlib", "narwhals", "numpy", "pandas", "polars", "rich", "scipy", "sklearn")


def loaded_by(code):
    """Which of the heavy packages a fresh interpreter has loaded after some code."""
    tell = f"{code}\nimport sys\nprint(*(name for name in {HEAVY!r} if name in sys.modules))"
    run = subprocess.run([sys.executable, "-c", tell], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_import_loads_nothing_heavy():
    assert loaded_by("import exactree") == set()


def test_listing_names_loads_nothing_heavy():
    assert loaded_by("import exactree; dir(exactree); exactree.__version__; exactree.__all__") == set()


def test_fitting_loads_no_plotting_and_no_mip_solver():
    code = "from exactree import OptimalTreeClassifier as T; print(T().fit([[1.0], [2.0]], [0, 1]), end='')"
    assert loaded_by(code) & {"highspy", "matplotlib"} == set()  # rich comes with scikit-learn's own callbacks


def test_every_public_name_can_be_had():
    import exactree  # noqa: PLC0415

    for name in exactree.__all__:
        assert getattr(exactree, name).__doc__
        assert name in dir(exactree)


def test_an_unknown_name_is_an_attribute_error():
    import exactree  # noqa: PLC0415

    with pytest.raises(AttributeError, match="module 'exactree' has no attribute 'OptimalForest'"):
        exactree.OptimalForest  # noqa: B018
