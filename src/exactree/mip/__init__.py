"""LPs and MIPs as arrays, and the foreign solvers that solve them. Knows nothing of trees."""

from exactree.mip.choice import AUTO, BACKENDS, backend_for, check_backend, check_seed, installed, solve
from exactree.mip.interface import Backend, Callback, MipOptions, MipProgress, MipResult, MipStatus
from exactree.mip.linear import LinearProgram, LpSolution
from exactree.mip.mip import NO_COLUMN, Mip, MipSize, Term
from exactree.mip.program import Kind, Program

__all__ = [
    "AUTO",
    "BACKENDS",
    "NO_COLUMN",
    "Backend",
    "Callback",
    "Kind",
    "LinearProgram",
    "LpSolution",
    "Mip",
    "MipOptions",
    "MipProgress",
    "MipResult",
    "MipSize",
    "MipStatus",
    "Program",
    "Term",
    "backend_for",
    "check_backend",
    "check_seed",
    "installed",
    "solve",
]
