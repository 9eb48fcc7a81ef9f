"""Tables of DL8.5."""
