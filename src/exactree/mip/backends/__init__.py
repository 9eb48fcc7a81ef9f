"""The foreign solvers that take a MIP, one file each, and the workers that run some of them in their own process."""
