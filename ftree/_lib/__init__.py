"""Tools that know nothing of trees: fields, recursion, threads, progress, compilation, arrays."""
