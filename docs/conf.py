"""Settings of the documentation site; `make docs` builds it into build/site."""

import sys
from pathlib import Path
from typing import Any

import exactree

sys.path.insert(0, str(Path(__file__).parent))
import generated

generated.write_pages()

project = "exactree"
author = "The exactree developers"
project_copyright = "2026, the exactree developers"
version = release = exactree.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "sphinxcontrib.programoutput",
]
exclude_patterns = ["_templates", "sg_execution_times.rst", "gallery/sg_execution_times.rst"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}

myst_enable_extensions = ["colon_fence", "dollarmath", "attrs_inline"]
myst_heading_anchors = 3

autosummary_generate = True
# What every scikit-learn estimator has is documented there; what every integer and tuple has, in Python.
HIDDEN = ("score", "get_params", "set_params", "get_metadata_routing", "set_fit_request", "set_score_request")
autosummary_context = {"hidden_members": {*HIDDEN, *dir(int), *dir(tuple), *dir(Exception)}}
templates_path = ["_templates"]
autodoc_typehints = "none"  # numpydoc's sections have the types
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"__init__\.py",
    "download_all_examples": False,
    "show_memory": False,
    "min_reported_time": 1e9,
    "plot_gallery": True,
    "abort_on_example_error": True,
    "capture_repr": ("_repr_html_", "__repr__"),
    "image_scrapers": (),
    "reset_argv": "generated.gallery_argv",
}

html_theme = "pydata_sphinx_theme"
html_title = f"exactree {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "exactree"},
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def setup(app: Any) -> None:
    """Let links of the pages lead to pages of the site; on a code host the same links lead to files."""

    def rewrite(app: Any, docname: str, source: list[str]) -> None:
        if "/" not in docname and docname not in {"index", *generated.PAGES.values()}:
            source[0] = generated.for_site(source[0], docname)

    app.connect("source-read", rewrite)
