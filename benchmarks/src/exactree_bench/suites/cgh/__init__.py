"""Tables of the column generation heuristic (CGH)."""
