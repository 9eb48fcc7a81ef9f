"""exactree and other packages side by side."""
