"""Trees of any depth with a price of leaves, beside other solvers that prove them."""
