"""Counting rows in sets of bits, and the best trees of depth two and three by these counts."""
