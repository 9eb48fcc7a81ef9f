"""Side constraints by exact search: Lagrangian relaxation, then listing of the trees between bound and incumbent."""

from exactree.solve.search.constrained.solver import search_constrained

__all__ = ["search_constrained"]
