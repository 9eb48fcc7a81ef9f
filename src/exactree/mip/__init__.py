"""Linear and mixed-integer programs as arrays, and the foreign solvers that take them. Knows nothing of trees."""

from exactree.mip.choice import AUTO, BACKENDS, backend_for, check_backend, check_seed, installed, solve
from exactree.mip.interface import Answer, Backend, Callback, Effort, MipStatus, Seen
from exactree.mip.linear import LinearProgram, Vertex
from exactree.mip.mip import NO_COLUMN, Mip, Term
from exactree.mip.program import Kind, Program

__all__ = [
    "AUTO",
    "BACKENDS",
    "NO_COLUMN",
    "Answer",
    "Backend",
    "Callback",
    "Effort",
    "Kind",
    "LinearProgram",
    "Mip",
    "MipStatus",
    "Program",
    "Seen",
    "Term",
    "Vertex",
    "backend_for",
    "check_backend",
    "check_seed",
    "installed",
    "solve",
]
