"""What the drawing examples share: colours that colour-blind readers tell apart, and how a picture gets into a folder."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

Place: TypeAlias = str | Path | None

# Okabe & Ito 2008, "Color Universal Design".
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")


def picture(name: str, folder: Place, draw: Callable[..., None], *args: Any, size: tuple[float, float]) -> None:
    """Let `draw(figure, *args)` fill NAME.png in a folder, made if absent; without a folder, say how to get the picture."""
    if folder is None:
        print(f"\nFor the picture, name a folder: python examples/{name}.py build/pictures")
        return
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415  # only those who want pictures need it
    except ImportError as error:
        message = "Pictures need matplotlib: pip install 'ftrees[plot]'"
        raise SystemExit(message) from error
    figure = Figure(figsize=size, dpi=120, layout="constrained")  # drawn by Agg, which needs no screen
    draw(figure, *args)
    path = Path(folder) / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    print(f"\nPicture: {path}")


def bare(axes: Any) -> None:
    """Take off the frame's upper and right side, which show nothing."""
    axes.spines[["top", "right"]].set_visible(False)
