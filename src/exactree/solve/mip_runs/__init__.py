"""What MIP formulations and column generation share: warm starts, scaled costs, constrained leaf labels, outcomes."""
