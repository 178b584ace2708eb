"""XML as nested elements, without entities of any kind: a text that declares entities is refused."""

from typing import Any
from xml.parsers import expat  # reads markup only, since the handler below refuses declarations

from attrs import Factory, frozen

from ftree._lib.messages import type_of


@frozen
class Element:
    """An element: its name without its namespace, its attributes, the elements in it, and the text in it."""

    name: str
    attributes: dict[str, str]
    children: "list[Element]" = Factory(list)
    pieces: list[str] = Factory(list)

    @property
    def text(self) -> str:
        """The text directly in it."""
        return "".join(self.pieces)

    def all(self, *names: str) -> "list[Element]":
        """The elements directly in it that have one of these names."""
        return [each for each in self.children if each.name in names]


def parsed(text: str | bytes) -> Element:
    """The outermost element. Raises a ValueError for text that is not XML, or has a document type.

    >>> parsed("<a x='1'><b/></a>").children
    [Element(name='b', attributes={}, children=[], pieces=[])]
    """
    if not isinstance(text, (str, bytes)):
        message = f"text must be a str or bytes, got {type_of(text)}."
        raise TypeError(message)
    top = Element("", {})
    open_elements = [top]
    parser: Any = expat.ParserCreate(namespace_separator=" ")
    parser.StartDoctypeDeclHandler = _refuse

    def start(name: str, attributes: dict[str, str]) -> None:
        element = Element(name.rpartition(" ")[2], attributes)
        open_elements[-1].children.append(element)
        open_elements.append(element)

    parser.CharacterDataHandler = lambda text: open_elements[-1].pieces.append(text)  # noqa: PLW0108  # the element changes
    parser.StartElementHandler, parser.EndElementHandler = start, lambda _: open_elements.pop()
    try:
        parser.Parse(text, True)  # noqa: FBT003  # expat takes it by position
    except (expat.ExpatError, UnicodeEncodeError, LookupError) as error:  # also for an unknown encoding
        message = f"text must be XML, got another text: {error}."
        raise ValueError(message) from None
    return top.children[0]


def _refuse(*_: Any) -> None:
    message = "text must be XML without a document type, got one. Entities could name files, or grow without bound."
    raise ValueError(message)
