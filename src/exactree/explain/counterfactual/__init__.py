"""The nearest rows with another predicted label."""
