"""Compiled kernels of routing, on plain arrays."""
