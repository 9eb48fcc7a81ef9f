"""Trees and diagrams as mixed-integer programs, one folder per paper."""
