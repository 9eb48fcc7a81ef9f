"""Leaf models as MIPs, and counterfactuals of hybrid trees."""
