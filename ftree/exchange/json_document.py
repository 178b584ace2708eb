"""Trees, policies, passes and decisions as JSON text, and back: `docs/exchange.md` describes the form.

A text is read strictly, by the closed lists of `json_parts` and of split types. Nothing that it names is imported or run.
"""

import json
import sys
from collections.abc import Iterable
from typing import Any

from ftree._lib.gc_pause import gc_paused
from ftree._lib.messages import short_repr, type_of
from ftree.exchange.json_checks import members
from ftree.exchange.json_decisions import decisions_of_plain, decisions_to_plain
from ftree.exchange.json_nodes import nodes_of_plain, nodes_to_plain
from ftree.exchange.json_parts import is_part, part_of_plain, part_to_plain
from ftree.exchange.json_schema import schema_of_plain, schema_to_plain
from ftree.exchange.split_types import known_types
from ftree.prune.decisions import Decision
from ftree.tree.nodes import Tree

VERSION = 1
_DIGITS = f"of whole numbers with at most {sys.int_info.default_max_str_digits} digits"
_LIMIT = "integer string conversion"  # a part of Python's message
_DEEP = "JSON with less nesting (the library's own nests at most a few hundred levels, since nodes are columns)"


def to_json(value: Any) -> str:
    """A tree, a policy or another part of the library, or a sequence of a pass's decisions as JSON text.

    The text has everything that makes the value: schema, labels with their types, exact counts, the rule for missing values.
    A tree of any depth can be written.

    Raises a TypeError for any other value, for users' functions and objects, and for values or classes of a type that
    JSON cannot represent; a ValueError for NaN, and for text that is not Unicode.

    >>> from ftree import Leaf, Schema
    >>> to_json(Tree(Schema((), "ride", ("no", "yes")), Leaf((3, 1))))[:34]
    '{"format":"ftree","version":1,"tre'
    """
    try:
        plain = {"format": "ftree", "version": VERSION, **_to_plain(value)}
        return json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except RecursionError:
        message = f"value must be nested a few hundred deep at most, besides its nodes, got {type_of(value)}."
        raise ValueError(message) from None
    except ValueError as error:
        if _LIMIT not in str(error):
            raise
        message = f"value must be {_DIGITS}, got a longer one."
        raise ValueError(message) from None


@gc_paused()
def from_json(text: str | bytes, *, splits: Iterable[type] = ()) -> Any:
    """The tree, the part or the tuple of decisions that `to_json` wrote.

    `splits` are users' split types that the tree may have, as in `splits=(Compare,)`. No name is imported,
    and nothing in the text is run.

    Raises a ValueError that names the fault for any text that `to_json` does not write; a TypeError for anything but text.

    >>> from ftree.stop import max_depth, pure
    >>> from_json(to_json(max_depth(3) | pure()))
    max_depth(3) | pure()
    """
    types = known_types(splits)
    try:
        header = _parsed(text)
        members(header, "The text", ["format", "version"], ["tree", "part", "decisions"])
        return _of_plain(header, types)
    except RecursionError:
        message = f"text must be {_DEEP}, got a deeper one."
        raise ValueError(message) from None


def _to_plain(value: Any) -> dict[str, Any]:
    if isinstance(value, Tree):
        missing = part_to_plain(value.missing)
        return {"tree": {"schema": schema_to_plain(value.schema), "missing": missing, "nodes": nodes_to_plain(value.root)}}
    if is_part(value):
        return {"part": part_to_plain(value)}
    if isinstance(value, (tuple, list)) and all(isinstance(each, Decision) for each in value):
        return {"decisions": decisions_to_plain(value)}
    wanted = "a Tree, a policy, a pass or another part of the library, or a sequence of decisions"
    message = f"value must be {wanted}, got {short_repr(value)}."
    raise TypeError(message)


def _of_plain(header: dict[str, Any], types: tuple[type, ...]) -> Any:
    form, version, *kinds = (header[name] for name in header if name)
    if header["format"] != "ftree" or type(header["version"]) is not int or len(kinds) != 1:
        wanted = "an object with the format 'ftree', its version, and one of tree, part and decisions"
        message = f"The text must be {wanted}, got {short_repr({'format': form, 'version': version})} and {len(kinds)} of these."
        raise ValueError(message)
    if header["version"] != VERSION:
        message = f"version must be {VERSION}, got {short_repr(header['version'])}. A later release of ftree may read the text."
        raise ValueError(message)
    if "tree" in header:
        return _tree(header["tree"], types)
    if "decisions" in header:
        return decisions_of_plain(header["decisions"], types)
    part = part_of_plain(header["part"])
    if not is_part(part):
        message = f"part must be a part of the library, got {short_repr(header['part'])}."
        raise ValueError(message)
    return part


def _tree(plain: Any, types: tuple[type, ...]) -> Tree:
    schema, missing, nodes = members(plain, "tree", ["schema", "missing", "nodes"])
    described = schema_of_plain(schema)
    root = nodes_of_plain(nodes, len(described.classes), types)
    try:
        return Tree(described, root, missing=part_of_plain(missing))
    except TypeError as error:
        raise ValueError(str(error)) from error  # the error is in the text, not in the argument's type


def _parsed(text: str | bytes) -> Any:
    """JSON as plain values, strictly: no NaN, no number beyond the range of floats, no repeated key."""
    if not isinstance(text, (str, bytes)):
        message = f"text must be a str or bytes, got {type_of(text)}. load(path) reads a file."
        raise TypeError(message)
    try:
        decoded = text.decode("utf-8-sig") if isinstance(text, bytes) else text
        return json.loads(decoded, object_pairs_hook=_object, parse_constant=_no_number, parse_float=_finite)
    except UnicodeDecodeError as error:
        message = f"text must be UTF-8, got {short_repr(error.object[error.start : error.end])} at byte {error.start}."
        raise ValueError(message) from None
    except json.JSONDecodeError as error:
        message = f"text must be JSON, got {short_repr(error.doc[error.pos : error.pos + 20])} at {error.pos}: {error.msg}."
        raise ValueError(message) from None
    except ValueError as error:
        if _LIMIT not in str(error):
            raise
        message = f"text must be JSON {_DIGITS}, got a longer one."
        raise ValueError(message) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        message = f"An object must have each key once, got {short_repr(twice)} twice."
        raise ValueError(message)
    return made


def _no_number(text: str) -> Any:
    message = f"A number must be finite, got {text}."
    raise ValueError(message)


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        _no_number(short_repr(text))
    return number
