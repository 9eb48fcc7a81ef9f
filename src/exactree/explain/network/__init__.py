"""Leaf models as MIPs."""
