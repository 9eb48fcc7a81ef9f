"""What the project says of systems agrees, and nothing in the package exists on one of them only."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
OPENS = re.compile(r"(?<!os\.)(?<!gzip\.)\b(open|(read|write)_text)$")
FILES = sorted((ROOT / "src").rglob("*.py"))
CLASSIFIERS = {"POSIX :: Linux": "Linux", "MacOS": "macOS", "Microsoft :: Windows": "Windows"}
# Modules, functions and files that Windows or macOS do not have. What has an alternative is not here: SIGINT, for one.
POSIX_ONLY = re.compile(
    r"/proc\b|/dev/|\bsysconf\b|\bimport (fcntl|grp|pwd|resource|select|termios)\b|\bos\.(fork|forkpty|killpg|setsid|"
    r"setpgrp|getuid|geteuid|uname|wait|waitpid|mkfifo|sched_getaffinity)\b|\bpreexec_fn\b|\bSIG(ALRM|KILL|STOP|USR[12])\b|"
    r"\bset_blocking\b|\bsetitimer\b"
)


@pytest.fixture(scope="module")
def claimed():
    """Systems that the classifiers name."""
    prefix = "Operating System :: "
    named = [name.removeprefix(prefix) for name in PROJECT["project"]["classifiers"] if name.startswith(prefix)]
    return {CLASSIFIERS[name] for name in named}


def test_a_wheel_is_built_for_every_system(claimed):
    settings = PROJECT["tool"]["cibuildwheel"]
    assert {system for system in claimed if settings[system.lower()]["archs"]} == claimed == set(CLASSIFIERS.values())


def test_documents_name_every_system(claimed):
    for file in ("README.md", "docs/portability.md"):
        words = (ROOT / file).read_text(encoding="utf-8")
        assert {system for system in CLASSIFIERS.values() if re.search(rf"\b{system}\b", words)} == claimed, file


def test_native_code_is_compiled_for_every_system(claimed):
    script = (ROOT / "cmake" / "portable.py").read_text(encoding="utf-8")
    targets = {system for system in claimed if re.search(rf'Target\("\w+-{system.lower()}', script)}
    assert targets == claimed


def test_nothing_in_the_package_exists_on_one_system_only():
    assert len(FILES) > 100
    hits = [(file, hit[0]) for file in FILES for hit in POSIX_ONLY.finditer(file.read_text(encoding="utf-8"))]
    assert [f"{file.relative_to(ROOT)}: {hit}" for file, hit in hits] == []


@pytest.mark.parametrize("line", ['open("/proc/self/statm")', "import resource", "os.fork()", "signal.SIGKILL"])
def test_what_exists_on_one_system_only_is_found(line):
    assert POSIX_ONLY.search(line)


def without_encoding(code):
    """Calls that open a text file in the encoding of the system, which on Windows is seldom UTF-8."""
    for call in ast.walk(ast.parse(code)):
        if isinstance(call, ast.Call) and OPENS.search(ast.unparse(call.func)):
            modes = [one.value for one in call.args if isinstance(one, ast.Constant)]
            if "encoding" not in {one.arg for one in call.keywords} and not {"rb", "wb", "ab"} & set(modes):
                yield ast.unparse(call)


def test_text_files_are_opened_with_an_encoding():
    hits = [(file, hit) for file in FILES for hit in without_encoding(file.read_text(encoding="utf-8"))]
    assert [f"{file.relative_to(ROOT)}: {hit}" for file, hit in hits] == []


def test_text_files_without_an_encoding_are_found():
    code = 'open(a)\nb.read_text()\nopen(c, "rb")\nd.write_text(e, encoding="utf-8")\nos.open(f)'
    assert list(without_encoding(code)) == ["open(a)", "b.read_text()"]
