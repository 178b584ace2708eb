"""What the drawing examples share: how a picture gets into a folder, and one legend for several panels."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

Place: TypeAlias = str | Path | None


def picture(name: str, folder: Place, draw: Callable[..., object], *args: Any, size: tuple[float, float]) -> None:
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


def one_legend(figure: Any, **options: Any) -> None:
    """Put the legend that all panels have below them, once; labels that only one panel has are in it, too."""
    handles = {}
    for axes in figure.axes:
        handles |= {label: handle for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
        if axes.get_legend():
            axes.get_legend().remove()
    figure.legend(handles.values(), handles, loc="outside lower center", **{"ncols": len(handles)} | options)
