"""Starting, talking to, supervising and stopping a foreign solver."""
