"""What is drawn on matplotlib's axes as text, and the texts recorded in `tests/pictures`, one for each picture.

A picture changes only on purpose: after a deliberate change, look at it, run its test with FTREE_WRITE_TEXTS=1, and commit it.
"""

from pathlib import Path

import numpy as np
from whole_texts import stored_difference

RECORDED = Path(__file__).with_name("pictures")


def check_picture(ax, name):
    """The axes must show what `tests/pictures/NAME.txt` records."""
    assert stored_difference(RECORDED / f"{name}.txt", described(ax)) is None


def described(ax):
    """The limits, labels and ticks of axes, and their artists in order, one a line; numbers with three digits."""
    limits = [f"{name} {numbers(getattr(ax, f'get_{name}')())}" for name in ("xlim", "ylim")]
    words = [f"{name} {getattr(ax, f'get_{name}')()!r}" for name in ("xlabel", "ylabel", "title", "xscale", "yscale", "aspect")]
    ticks = [ticks_of(axis) for axis in (ax.xaxis, ax.yaxis)]
    sides = [name for name, spine in ax.spines.items() if spine.get_visible()]
    artists = [line for artist in ax.get_children() if (line := artist_text(artist, ax))]
    others = [f"beside it {each.get_ylabel()!r} {each._colorbar_info['shrink']}" for each in ax.figure.axes if each is not ax]
    return "\n".join([*limits, *words, *ticks, f"axis {ax.axison}, sides {sides}", *artists, *others]) + "\n"


def artist_text(artist, ax):
    """One artist in a line: its kind, what it shows, and how."""
    kind = type(artist).__name__
    look = f"zorder {artist.get_zorder()} alpha {artist.get_alpha()} label {visible(artist.get_label())!r}"
    match kind:
        case "Line2D":
            ends = artist.get_solid_capstyle()
            marker = f"marker {artist.get_marker()} {artist.get_markersize()}"
            style = f"{artist.get_linestyle()} {artist.get_linewidth()} {ends} {marker}"
            return f"line {numbers(artist.get_xydata())} {colour(artist.get_color())} {style} {look}"
        case "Text" | "Annotation" if artist.get_text() and artist not in {ax.title, ax._left_title, ax._right_title}:
            how = f"{artist.get_ha()} {artist.get_va()} {numbers(artist.get_fontsize())} {artist.get_rotation()}"
            how += f" beside {numbers(artist.xy)}" if kind == "Annotation" else ""
            return f"text {artist.get_text()!r} at {numbers(artist.get_position())} {colour(artist.get_color())} {how}"
        case "AxesImage":
            shown = f"{numbers(artist.get_array())} in {numbers(artist.get_extent())} from {numbers(artist.get_clim())}"
            return f"image {shown} {artist.get_cmap().name} {artist.get_interpolation()} {artist.origin} {look}"
        case "Rectangle" if artist is not ax.patch:
            box = (*artist.get_xy(), artist.get_width(), artist.get_height())
            return f"box {numbers(box)} {colour(artist.get_facecolor())} {colour(artist.get_edgecolor())} {look}"
        case "Legend":
            texts = artist.get_title().get_text(), *(text.get_text() for text in artist.get_texts())
            return f"legend {texts} {artist._loc} {artist._ncols} {artist.get_frame_on()} {numbers(artist._fontsize)}"
    return collection_text(artist, kind, look) if hasattr(artist, "get_paths") else ""


def collection_text(artist, kind, look):
    """Places of a scatter, corners of areas, or how far the lines of a contour reach."""
    if kind == "PathCollection":
        corners = [len(path.vertices) for path in artist.get_paths()]
        shape = f"{numbers(artist.get_offsets())} sizes {numbers(artist.get_sizes())} markers of {corners} corners"
    elif kind == "QuadMesh":
        ends, shades = (artist.get_coordinates()[0, 0], artist.get_coordinates()[-1, -1]), artist.get_cmap().colors
        return f"cells {numbers(artist.get_array())} in {numbers(ends)} from {numbers(artist.get_clim())} {shades} {look}"
    else:
        ends = [(path.vertices.min(axis=0), path.vertices.max(axis=0)) for path in artist.get_paths() if len(path.vertices)]
        shape = f"{numbers(ends)}"
    colours = [[colour(each) for each in every] for every in (artist.get_facecolor(), artist.get_edgecolor())]
    levels = f" levels {numbers(artist.levels)}" if hasattr(artist, "levels") else ""
    levels += " dashed" if levels and artist.get_linestyle()[0][1] else ""
    return f"{kind.removeprefix('FillBetween')} {shape}{levels} {colours} width {numbers(artist.get_linewidth())} {look}"


def ticks_of(axis):
    """Places and texts of ticks that are fixed; those that matplotlib chooses are left out."""
    fixed = type(axis.get_major_locator()).__name__ in {"FixedLocator", "NullLocator"}
    texts = [(text.get_text(), text.get_rotation(), text.get_ha()) for text in axis.get_ticklabels()]
    return f"ticks {numbers(axis.get_ticklocs())} {texts}" if fixed else "ticks chosen"


def visible(label):
    """A label as the legend shows it; those that matplotlib makes start with a line below."""
    return "" if str(label).startswith("_") else str(label)


def colour(given):
    """A colour as text."""
    from matplotlib.colors import to_hex  # noqa: PLC0415  # tests without pictures import this module too

    return given if isinstance(given, str) and given == "none" else to_hex(given, keep_alpha=True)


def numbers(values):
    """Numbers with three digits, as nested lists."""
    array = np.ma.filled(np.ma.asarray(values, dtype=float), np.nan)
    return str(np.vectorize(lambda number: float(f"{number:.3g}"), otypes=[float])(array).tolist() if array.size else [])
