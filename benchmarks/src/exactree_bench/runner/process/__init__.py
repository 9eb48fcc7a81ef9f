"""One fit in a process of its own: the worker, its parent's side, and what is measured."""
