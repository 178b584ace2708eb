"""The elements of a drawing: groups of nodes and branches, and the texts and boxes in them."""

from xml.etree import ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"


def read(drawing):
    return ET.fromstring(drawing.text.encode())  # noqa: S314  # our own text


def groups(drawing, *kinds):
    return [group for group in read(drawing).iter(f"{SVG}g") if group.get("class") in kinds]


def tooltip(group):
    return group.findtext(f"{SVG}title").split("\n")


def lines(group):
    return [text.text or "" for text in group.iter(f"{SVG}text")]


def frame(group):
    """Left, top, right and lower side of a node's box, which is its first rectangle."""
    return sides(group.find(f"{SVG}rect"))


def sides(box):
    x, y, width, height = (float(box.get(name)) for name in ("x", "y", "width", "height"))
    return x, y, x + width, y + height
