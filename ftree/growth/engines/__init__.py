"""Counting engines: the protocol, the numpy reference and the compiled engine."""
