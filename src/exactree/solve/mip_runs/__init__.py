"""What MIP formulations and column generation share: state of a run, warm starts, costs, constrained leaf labels."""
