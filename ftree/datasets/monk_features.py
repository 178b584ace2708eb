"""The features of the MONK's robots, with their values in the order in which the archive's files number them from 1."""

from collections.abc import Mapping

_SHAPES = ("round", "square", "octagon")

MONK_FEATURES: Mapping[str, tuple[str, ...]] = {
    "head_shape": _SHAPES,
    "body_shape": _SHAPES,
    "is_smiling": ("yes", "no"),
    "holding": ("sword", "balloon", "flag"),
    "jacket_color": ("red", "yellow", "green", "blue"),
    "has_tie": ("yes", "no"),
}
