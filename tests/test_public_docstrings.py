"""Every public name of these packages is documented in numpydoc form, with an example for doctest to run."""

import inspect
import re

import pytest

from exactree import explain, export, model, plot

PUBLIC = [(package, name) for package in (explain, export, model, plot) for name in package.__all__]


@pytest.mark.each(("package", "name"), PUBLIC)
def test_sections(package, name):
    public = getattr(package, name)
    text = inspect.getdoc(public)
    assert re.search(r"^Examples\n--------\n>>> ", text, re.M)
    parameters = list(inspect.signature(public).parameters)
    _, _, section = text.partition("Parameters\n----------\n")
    names = re.findall(r"^\w+(?:, \w+)*(?= : )", section, re.M)
    assert {part for group in names for part in group.split(", ")} >= set(parameters)
    if inspect.isfunction(public) and inspect.signature(public).return_annotation is not None:
        assert re.search(r"^(Returns|Yields)\n-------?\n", text, re.M)
