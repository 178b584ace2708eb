"""Kernels of depth two and three equal their NumPy form, on counts of real and random tables."""
