"""Tools that know nothing of trees: fields, messages, recursion, threads, progress, compilation, arrays, ties."""
