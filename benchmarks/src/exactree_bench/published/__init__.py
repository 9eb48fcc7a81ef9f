"""Figures printed in papers, and optima that are known, to hold our own against."""
