"""Which back end runs a program."""

from importlib.util import find_spec
from numbers import Integral

from exactree.errors import InputError, Unsupported
from exactree.mip.backends.cp_sat import CpSat
from exactree.mip.backends.gurobi import Gurobi
from exactree.mip.backends.highs import Highs
from exactree.mip.backends.scip import Scip
from exactree.mip.interface import Answer, Backend, Callback, Effort
from exactree.mip.program import Program
from exactree.names import canonical

BACKENDS: dict[str, Backend] = {backend.name: backend for backend in (Highs(), CpSat(), Scip(), Gurobi())}
LARGEST_SEED = 2**31 - 1  # back ends take 32 bits with a sign
AUTO = "auto"


def installed() -> list[str]:
    """Names of the back ends whose packages are there."""
    return [name for name, backend in BACKENDS.items() if find_spec(backend.package) is not None]


def check_backend(name: str) -> None:
    """Refuse a name that stands for no back end, or for one that is not installed."""
    if isinstance(name, str) and name == AUTO:
        return
    name = canonical(name, BACKENDS) if isinstance(name, str) else name
    if not isinstance(name, str) or name not in BACKENDS:
        raise InputError(f"Unknown backend {name!r}; choose one of {AUTO}, {', '.join(BACKENDS)}.")
    if name not in installed():
        wanted = BACKENDS[name]
        raise InputError(f"backend={name!r} needs the package {wanted.package}: pip install {wanted.install}.")


def check_seed(seed: object) -> None:
    """Refuse what is no seed for all back ends."""
    if isinstance(seed, bool) or not isinstance(seed, Integral) or not 0 <= int(seed) <= LARGEST_SEED:
        raise InputError(f"seed must be a whole number from 0 to {LARGEST_SEED}; got {seed!r}.")


def backend_for(program: Program, name: str = AUTO) -> Backend:
    """Return the back end of that name; ``"auto"`` is CP-SAT for all-integer programs if it is there, else HiGHS."""
    check_backend(name)
    name = canonical(name, BACKENDS)
    if name == AUTO:
        fits = "cp-sat" in installed() and BACKENDS["cp-sat"].refusal(program) is None and not program.is_linear
        return BACKENDS["cp-sat" if fits else "highs"]
    chosen = BACKENDS[name]
    if (reason := chosen.refusal(program)) is not None:
        raise Unsupported(f"backend={name!r} cannot take this program: {reason}. Use backend='highs'.")
    return chosen


def solve(
    program: Program, *, backend: str = AUTO, effort: Effort | None = None, callback: Callback | None = None
) -> Answer:
    """Solve a program with a back end given by name.

    Examples
    --------
    >>> from exactree.mip import Kind, Mip
    >>> mip = Mip()
    >>> take = mip.columns("take", 3, kind=Kind.INTEGER, high=1, cost=[-5, -4, -3])
    >>> _ = mip.family("fits", [([2, 3, 1], take[None, :])], at_most=4)
    >>> answer = solve(mip.program(), backend="highs")
    >>> answer.status.value, answer.objective, answer.values
    ('optimal', -8.0, array([1., 0., 1.]))
    """
    return backend_for(program, backend).solve(program, effort or Effort(), callback)
