"""Which classes the pickle of a hybrid tree may name: those of packages that its own models come from.

A pickle names what is called when it is read. Here that is a class of a few packages, or a function that rebuilds or
checks an array; so a file cannot call what it likes. Whether these classes can be misused, nobody has proved.
"""

import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np

from exactree.errors import FormatError

PLAIN = (
    *("bool", "bytearray", "bytes", "complex", "dict", "float", "frozenset", "int", "list", "object", "range", "set"),
    *("slice", "str", "tuple"),
)
STAGES = tuple(f"exactree.{stage}." for stage in ("encode", "estimators", "model", "problem", "solve", "table"))
FOREIGN = ("numpy.random.", "scipy.sparse.", "sklearn.", "xgboost.")
NEVER = ("sklearn.datasets.", "sklearn.externals.", "sklearn.utils._testing.")
COLLECTIONS = ("OrderedDict", "defaultdict")
BUILDERS = {  # functions that rebuild arrays, generators and objects
    ("copyreg", "_reconstructor"),
    # Boosting with categories keeps check_array with its arguments. Such a call with arguments calls nothing by itself.
    ("functools", "partial"),
    ("sklearn.utils.validation", "check_array"),
    ("numpy.ma.core", "_mareconstruct"),
    *((f"numpy.{core}.multiarray", name) for core in ("_core", "core") for name in ("_reconstruct", "scalar")),
    *((f"numpy.{core}.numeric", "_frombuffer") for core in ("_core", "core")),
    *(("numpy.random._pickle", f"__{kind}_ctor") for kind in ("bit_generator", "generator", "randomstate")),
}


class KnownClasses(pickle.Unpickler):
    """Reads a pickle that names nothing but known classes."""

    def __init__(self, path: Path, pickled: bytes) -> None:
        super().__init__(io.BytesIO(pickled))
        self._path = path

    def find_class(self, module: str, name: str) -> Any:
        """Return what a pickle names, if it is known; other modules are not even imported."""
        if _may_be_known(module, name):
            found = super().find_class(module, name)
            if _is_known(module, name, found):
                return found
        raise FormatError(
            f"{self._path} names {module}.{name}, which is no class of exactree, scikit-learn, XGBoost or NumPy that "
            f"is loaded unasked: reading it may run code of the file's choice. If you trust whoever wrote it, use "
            f"load_hybrid(path, trusted=True), or --trust on the command line."
        )


def _may_be_known(module: str, name: str) -> bool:
    if (module, name) in BUILDERS:
        return True
    inside = f"{module}."
    known = inside.startswith((*STAGES, *FOREIGN, "numpy.", "builtins.", "collections.", "copyreg."))
    return known and "." not in name and not inside.startswith(NEVER)  # a dot leads on, to what a module imported


def _is_known(module: str, name: str, found: Any) -> bool:
    if (module, name) in BUILDERS:
        return True
    if not isinstance(found, type):  # Cython rebuilds its classes by functions
        return module.startswith(("numpy.random.", "sklearn.")) and name.startswith(("__pyx_unpickle_", "newObj"))
    home = f"{found.__module__}."
    if home == "builtins.":
        return name in PLAIN
    if home == "collections.":
        return name in COLLECTIONS
    if issubclass(found, np.generic | np.dtype) or found in (np.ndarray, np.ma.MaskedArray):
        return True
    return home.startswith((*STAGES, *FOREIGN)) and not home.startswith(NEVER)
