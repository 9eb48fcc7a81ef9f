"""Trees and diagrams in ranks, as solvers have them, and their translation into a ``Graph``."""
