"""Options that several commands share: constraints on the answers, and options of solvers."""
