"""Ensembles of decision trees in leaves, such as boosting: exact search over their thresholds."""
