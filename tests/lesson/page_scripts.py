"""What the scripts of the builder's page need of each other, read from their text."""

import re

from ftree.lesson.tree_builder import COMPUTES, DRAWS, joined_scripts

CHAPTERS = [*COMPUTES, *DRAWS]
# A comment, a text, or a template, whose values are code.
_PIECE = re.compile(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"|`')
# A name, but not a property, the key of an object, or a part of a number.
_NAME = re.compile(r"(?<![\w.$])[A-Za-z_]\w*\b(?!\s*:)|(?<=\.\.\.)[A-Za-z_]\w*|(?<=\? )\w+(?= :)")

# The name of a method where it is defined.
_METHOD = re.compile(r"^\s+(?!if\b|for\b|while\b)\w+(?=\([^()]*\) \{$)", re.MULTILINE)


def code_of(text, start=0):
    """The code from a place on, without comments and texts, and where it ends: before a brace that closes no other, if any."""
    code, depth, place = [], 0, start
    while place < len(text):
        piece = _PIECE.match(text, place)
        if piece and piece[0] == "`":
            values, place = values_of(text, place + 1)
            code += [" ", *values, " "]
        elif piece:
            code.append('""' if piece[0].startswith('"') else "")
            place = piece.end()
        else:
            depth += {"{": 1, "}": -1}.get(text[place], 0)
            if depth < 0:
                break
            code.append(text[place])
            place += 1
    return _METHOD.sub("", "".join(code)), place


def values_of(text, place):
    """The code of the values in a template, and the place after it."""
    values = []
    while text[place] != "`":
        if text.startswith("${", place):
            code, place = code_of(text, place + 2)
            values += [f" ({code}) "]
        place += 1
    return values, place + 1


def defined(code):
    """The names that a script defines for others, in order."""
    for line in code.splitlines():
        if several := re.match(r"const [\[{](.*?)[\]}] =", line):
            yield from re.findall(r"(\w+)\s*(?:,|$)", several[1])
        elif one := re.match(r"(?:const|let|function) (\w+)", line):
            yield one[1]


def needs():
    """By script, the names that it reads of each other one."""
    codes = {chapter: code_of(joined_scripts(chapter))[0] for chapter in CHAPTERS}
    owners = {name: chapter for chapter, code in codes.items() for name in defined(code)}
    found = {}
    for chapter, code in codes.items():
        names = {name for name in _NAME.findall(code) if owners.get(name, chapter) != chapter}
        found[chapter] = {other: {name for name in names if owners[name] == other} for other in map(owners.get, names)}
    return found
