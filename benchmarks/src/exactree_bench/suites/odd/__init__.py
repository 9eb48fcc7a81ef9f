"""Tables and figures of optimal decision diagrams (ODD)."""
