"""Kernels of counting a part, on plain arrays; each has a plain twin in the room."""
