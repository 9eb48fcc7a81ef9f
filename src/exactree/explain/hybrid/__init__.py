"""Counterfactuals of hybrid trees, whatever sits in their leaves."""
