"""Pages that are computed: the API reference from ``__all__``, the command line's help, and what lives elsewhere.

They are written before each build, so that a new public name, command or design note needs no edit here.
"""

import importlib
import inspect
import os
import re
from collections.abc import Iterable
from pathlib import Path

DOCS = Path(__file__).parent
ROOT = DOCS.parent
SCRATCH = ROOT / "build" / "gallery"  # where examples write their files

API = {
    "exactree": "The names most people need",
    "exactree.estimators": "Estimators for scikit-learn",
    "exactree.explain": "Explanations and counterfactuals",
    "exactree.export": "Exports",
    "exactree.plot": "Pictures",
    "exactree.model": "Trees and diagrams as graphs",
    "exactree.problem": "Objectives, limits, constraints",
    "exactree.solve": "Solvers",
    "exactree.encode": "Threshold policies and encoding",
    "exactree.table": "Tables",
    "exactree.mip": "Mixed-integer programs and back ends",
    "exactree.datasets": "Data sets",
    "exactree.testing": "Conformance suite for solvers",
    "exactree.errors": "Errors",
}
# Files of the project that are pages of the site as they are.
PAGES = {
    "ARCHITECTURE.md": "architecture",
    "CONTRIBUTING.md": "contributing",
    "RELEASING.md": "releasing",
    "CHANGELOG.md": "changelog",
    "benchmarks/README.md": "benchmarks",
}
FRONT_PAGE_ENDS = "<!-- site: end of the front page -->"
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
NAVIGATION = """
```{toctree}
:hidden:
:maxdepth: 1

guide
gallery/index
api/index
command-line
internals
```
"""


def gallery_argv(gallery: object, script: object) -> list[str]:
    """Return the arguments of an example: where to write its files."""
    return [str(SCRATCH)]


def public_names(module: str) -> list[str]:
    """Return the public classes and functions of a module."""
    loaded = importlib.import_module(module)
    own = [name for name, value in vars(loaded).items() if getattr(value, "__module__", None) == module]
    found = {name: getattr(loaded, name) for name in getattr(loaded, "__all__", own)}
    return sorted(
        (n for n, value in found.items() if inspect.isclass(value) or inspect.isfunction(value)), key=str.lower
    )


def commands() -> list[str]:
    """Return the commands of the command line."""
    files = (ROOT / "src" / "exactree" / "cli").glob("*.py")
    found = [path.stem for path in files if re.search(r"^def run\(", path.read_text(encoding="utf-8"), re.MULTILINE)]
    return sorted(name for name in found if name != "bench")  # its help is that of exactree-bench


def design_notes() -> list[Path]:
    """Return the design notes that live with the parts."""
    return sorted([*(ROOT / "native").rglob("README.md"), *(ROOT / "src").rglob("README.md")])


def write_pages() -> None:
    """Write all computed pages; files that are the same are left alone, so that a second build is quick."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    front = (ROOT / "README.md").read_text(encoding="utf-8").split(FRONT_PAGE_ENDS)[0]
    _write("index.md", _for_site(front, ROOT / "README.md", "index") + NAVIGATION)
    _write("api/index.md", _index("API reference", "Every public name. The test suite runs the examples.", API))
    for module in API:
        _write(f"api/{module}.md", _module_page(module))
    slugs = {_slug(path): path for path in design_notes()}
    about = "How each part works inside; [the overview](../architecture.md) comes first."
    _write("design/index.md", _index("Design notes", about, slugs))
    pages = {page: ROOT / name for name, page in PAGES.items()} | {f"design/{s}": path for s, path in slugs.items()}
    for page, path in pages.items():
        _write(f"{page}.md", _for_site(path.read_text(encoding="utf-8"), path, page))
    _write("command-line.md", _command_line())


def for_site(text: str, page: str) -> str:
    """Rewrite the links of a page of this folder so that they lead to pages of the site."""
    return _for_site(text, DOCS / f"{page}.md", page)


def _for_site(text: str, source: Path, page: str) -> str:
    """Rewrite the links of a Markdown file; a link to a file that is no page becomes its text."""

    def rewritten(match: re.Match[str]) -> str:
        picture, shown, link = match.groups()
        if re.match(r"[a-z]+:|#", link):
            return match[0]
        target, _, anchor = link.partition("#")
        found = _page_of((source.parent / target).resolve())
        if found is None:
            return shown
        to = os.path.relpath(DOCS / found, (DOCS / page).parent)
        return f"{picture}[{shown}]({to}{'#' if anchor else ''}{anchor})"

    return LINK.sub(rewritten, text)


def _page_of(path: Path) -> str | None:
    if not path.is_relative_to(ROOT):
        return None
    name = path.relative_to(ROOT).as_posix()
    if name in PAGES:
        return f"{PAGES[name]}.md"
    if name == "README.md":
        return "index.md"
    if path in design_notes():
        return f"design/{_slug(path)}.md"
    return path.relative_to(DOCS).as_posix() if path.is_relative_to(DOCS) and path.is_file() else None


def _write(name: str, text: str) -> None:
    path = DOCS / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def _slug(path: Path) -> str:
    return "-".join(path.parent.relative_to(ROOT).parts).removeprefix("src-exactree-")


def _index(title: str, about: str, pages: Iterable[str]) -> str:
    entries = "\n".join(pages)
    return f"# {title}\n\n{about}\n\n```{{toctree}}\n:maxdepth: 1\n\n{entries}\n```\n"


def _module_page(module: str) -> str:
    """List a module's names; those that are on the first page already are linked there."""
    first, names = public_names("exactree"), public_names(module)
    here = names if module == "exactree" else [name for name in names if name not in first]
    elsewhere = [f"{{py:obj}}`~exactree.{name}`" for name in names if name not in here]
    about = (inspect.getdoc(importlib.import_module(module)) or "").split("\n")[0]
    page = f"# {module}\n\n{API[module]}. {about}\n\n"
    if elsewhere:
        page += f"Also importable from `exactree`: {', '.join(elsewhere)}.\n\n"
    rows = "\n".join(f"   {name}" for name in here)
    listed = f".. autosummary::\n   :toctree: generated/\n   :nosignatures:\n\n{rows}\n" if here else ""
    return f"{page}```{{eval-rst}}\n.. currentmodule:: {module}\n\n{listed}```\n"


def _command_line() -> str:
    blocks = ["# Command line\n\nWhat `--help` prints.\n\n```{command-output} exactree --help\n```\n"]
    blocks += [f"## exactree {name}\n\n```{{command-output}} exactree {name} --help\n```\n" for name in commands()]
    return "\n".join(blocks)
