"""Users' texts as one line of a picture: unprintable characters, the width of a line, and shortening."""

import re
from unicodedata import combining, east_asian_width

# Controls, halves of surrogate pairs and two that are no characters: XML forbids most of them, terminals obey some. Characters
# that turn the direction of what follows would turn the rest of a line, such as its counts.
_FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_BLANKS = re.compile("[\t\n\x0b\x0c\r\x85\u2028\u2029]+")
# Widths in pixels of a sans-serif font of 12 pixels, on the wide side, since fonts differ.
_DEFAULT, _WIDE = 7.2, 13.0
_WIDTHS = {
    **dict.fromkeys("ABCDEFGHIJKLNOPQRSTUVXYZ", 8.4),
    **dict.fromkeys("mwMW@%<>=+#~≤…\ufffd", 12.0),
    **dict.fromkeys("abcdeghknopqsuvxyz_?0123456789", 7.4),
    **dict.fromkeys("frtsJ-()[]{}/\\ ", 5.0),
    **dict.fromkeys(" .,:;'!|ijlI", 3.8),
}


def printable(text: object) -> str:
    r"""The text on one line, without characters that XML forbids, control a terminal or turn directions: each becomes U+FFFD.

    Hebrew or Arabic letters, and the marks U+200E and U+200F, act on themselves and their neighbours only, and stay.

    >>> printable("two\nlines"), printable(True), printable("bell \a") == "bell \ufffd"
    ('two lines', 'True', True)
    """
    line = str(text)
    return line if line.isprintable() else _FORBIDDEN.sub("\ufffd", _BLANKS.sub(" ", line))


def text_width(text: str) -> float:
    """The approximate width of a line in pixels, in a sans-serif font of 12 pixels.

    >>> text_width("ill") < text_width("wow") < text_width("\u6728\u6728\u6728")
    True
    """
    return sum(map(_width, text))


def shortened(text: str, most: float) -> str:
    """The text, cut with an ellipsis if it is wider than `most` pixels.

    >>> shortened("temperature", 50), shortened("sky", 50)
    ('temper…', 'sky')
    """
    width = 0.0
    for place, character in enumerate(text):
        width += _width(character)
        if width > most:
            return text[:place].rstrip() + "…"
    return text


def _width(character: str) -> float:
    known = _WIDTHS.get(character)
    if known is not None:
        return known
    if combining(character):
        return 0.0
    return _WIDE if east_asian_width(character) in "WF" else _DEFAULT
