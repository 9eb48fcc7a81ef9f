"""Models in leaves as MIPs, and counterfactuals through them."""
