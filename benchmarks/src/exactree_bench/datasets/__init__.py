"""Tables of the benchmarks: which file, which classes, which encoding, and synthetic ones."""
