"""Axes to draw on, made by matplotlib where none are given."""

from typing import Any

from ftree._lib.messages import type_of


def axes_or_new(axes: Any, *, name: str, **options: Any) -> Any:
    """The axes given, or those of a new figure with the given options; `name` is the function that draws.

    Raises an ImportError without matplotlib, a TypeError for anything that is not an Axes, such as a figure.
    """
    if axes is not None:
        if not hasattr(axes, "add_collection"):
            message = f"ax must be one Axes of matplotlib, got {type_of(axes)}. Make one by plt.subplots()[1]."
            raise TypeError(message)
        return axes
    try:
        import matplotlib.pyplot as plt  # noqa: PLC0415  # loaded when a picture is drawn, not by `import ftree`
    except ImportError as error:
        message = f"matplotlib must be installed for {name}: pip install 'ftrees[plot]'"
        raise ImportError(message) from error
    return plt.subplots(**options)[1]
