"""How a solver writes a tree or diagram down in ranks, and how that becomes a ``Graph``."""
