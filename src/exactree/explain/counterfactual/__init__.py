"""The nearest rows that a model answers differently."""
