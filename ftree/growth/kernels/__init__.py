"""Compiled kernels of growth, on plain arrays."""
