"""Compiled loops over plain arrays: the counts of candidate splits."""
