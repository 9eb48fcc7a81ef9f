"""Published results and known optima, to test ours against."""
