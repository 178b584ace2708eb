"""Compiled loops over plain arrays: rows sent down a tree that is being pruned, and subtree raising."""
