"""What the MIP formulations share: run, polishing, leaf constraints, oblique splits."""
