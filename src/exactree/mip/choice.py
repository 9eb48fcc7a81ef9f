"""Choice of the back end that solves a MIP."""

from importlib.util import find_spec
from numbers import Integral

from exactree.errors import InputError, Unsupported
from exactree.mip.backends.cp_sat import CpSat
from exactree.mip.backends.gurobi import Gurobi
from exactree.mip.backends.highs import Highs
from exactree.mip.backends.scip import Scip
from exactree.mip.interface import Backend, Callback, MipOptions, MipResult
from exactree.mip.program import Program
from exactree.names import canonical

BACKENDS: dict[str, Backend] = {backend.name: backend for backend in (Highs(), CpSat(), Scip(), Gurobi())}
LARGEST_SEED = 2**31 - 1  # back ends take signed 32-bit integers
AUTO = "auto"


def installed() -> list[str]:
    """Names of the back ends whose packages are installed."""
    return [name for name, backend in BACKENDS.items() if find_spec(backend.package) is not None]


def check_backend(name: str) -> None:
    """Refuse an unknown name, or one of a back end that is not installed."""
    if isinstance(name, str) and name == AUTO:
        return
    name = canonical(name, BACKENDS) if isinstance(name, str) else name
    if not isinstance(name, str) or name not in BACKENDS:
        raise InputError(f"Unknown backend {name!r}; choose one of {AUTO}, {', '.join(BACKENDS)}.")
    if name not in installed():
        missing = BACKENDS[name]
        raise InputError(f"backend={name!r} needs the package {missing.package}: pip install {missing.install}.")


def check_seed(seed: object) -> None:
    """Refuse what is not a valid seed for all back ends."""
    if isinstance(seed, bool) or not isinstance(seed, Integral) or not 0 <= int(seed) <= LARGEST_SEED:
        raise InputError(f"seed must be an integer from 0 to {LARGEST_SEED}; got {seed!r}.")


def backend_for(program: Program, name: str = AUTO) -> Backend:
    """Return the named back end; ``"auto"`` is CP-SAT for all-integer MIPs if it is installed, else HiGHS."""
    check_backend(name)
    name = canonical(name, BACKENDS)
    if name == AUTO:
        fits = "cp-sat" in installed() and BACKENDS["cp-sat"].refusal(program) is None and not program.is_linear
        return BACKENDS["cp-sat" if fits else "highs"]
    chosen = BACKENDS[name]
    if (reason := chosen.refusal(program)) is not None:
        raise Unsupported(f"backend={name!r} cannot take this MIP: {reason}. Use backend='highs'.")
    return chosen


def solve(
    program: Program, *, backend: str = AUTO, options: MipOptions | None = None, callback: Callback | None = None
) -> MipResult:
    """Solve a MIP with a back end given by name.

    Examples
    --------
    >>> from exactree.mip import Kind, Mip
    >>> mip = Mip()
    >>> take = mip.columns("take", 3, kind=Kind.INTEGER, high=1, cost=[-5, -4, -3])
    >>> _ = mip.family("fits", [([2, 3, 1], take[None, :])], at_most=4)
    >>> result = solve(mip.program(), backend="highs")
    >>> result.status.value, result.objective, result.values
    ('optimal', -8.0, array([1., 0., 1.]))
    """
    return backend_for(program, backend).solve(program, options or MipOptions(), callback)
