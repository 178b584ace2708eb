"""Compiled code that calls a user's function."""
