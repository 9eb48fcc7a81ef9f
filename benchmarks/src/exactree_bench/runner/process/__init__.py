"""One fit in its own process: the worker, its parent's side, and measurements."""
