"""Trees, policies, passes and decisions as JSON text or files, and back: `docs/exchange.md` describes the form.

A text is read strictly: it names public parts of the library, split types, and those that the caller gives. Nothing else that it
names is imported, and nothing is run.
"""

import gzip
import json
import sys
import zlib
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from ftree._lib.fields import repeated, require_path
from ftree._lib.machine import complete_or_nothing
from ftree._lib.messages import short_repr, type_of
from ftree._lib.objects import gc_paused
from ftree.saving.json_decisions import decisions_of_plain, decisions_to_plain
from ftree.saving.json_parts import is_part, own_by_name, part_of_plain, part_to_plain
from ftree.saving.json_trees import nodes_of_plain, nodes_to_plain, own_types, schema_of_plain, schema_to_plain
from ftree.saving.json_values import members
from ftree.tree.nodes import Tree

VERSION = 1
_DIGITS = f"of whole numbers with at most {sys.int_info.default_max_str_digits} digits"
_LIMIT = "integer string conversion"  # a part of Python's message
_DEEP = "JSON with less nesting (the library's own nests at most a few hundred levels, since nodes are columns)"


def to_json(value: Any) -> str:
    """A tree, a policy or another part of the library, or a sequence of a pass's decisions as JSON text.

    The text has everything that makes the value: schema, labels with their types, exact counts, the rule for missing values.
    A tree of any depth can be written.

    Parts of one's own are written by their names: functions of a module, and objects of attrs classes with their fields.

    Raises a TypeError for any other value, such as a lambda, and for values or classes of a type that JSON cannot represent; a
    ValueError for NaN, and for text that is not Unicode.

    >>> from ftree import Leaf, Schema
    >>> to_json(Tree(Schema((), "ride", ("no", "yes")), Leaf((3, 1))))[:34]
    '{"format":"ftree","version":1,"tre'
    """
    try:
        plain = {"format": "ftree", "version": VERSION, **_to_plain(value)}
        return json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except RecursionError:  # pragma: no cover  # tested, but a tracer is lost where the stack ends
        raise ValueError(f"value must be nested a few hundred deep at most, besides its nodes, got {type_of(value)}.") from None
    except ValueError as error:
        if _LIMIT not in str(error):
            raise
        raise ValueError(f"value must be {_DIGITS}, got a longer one.") from None


@gc_paused()
def from_json(text: str | bytes, *, splits: Iterable[type] = (), parts: Iterable[Any] = ()) -> Any:
    """The tree, the part or the tuple of decisions that `to_json` wrote.

    `splits` are users' split types that the tree may have, as in `splits=(Compare,)`, and `parts` users' classes and functions
    that a policy, a pass, the tree's rule or its response may have, as in `parts=(by_price,)`. No name is imported, and nothing
    in the text is run. A part whose text lacks an option has the default: a text of an earlier release may not know the option.

    Raises a ValueError that names the fault for any text that `to_json` of this or an earlier release does not write, and for two
    `parts` of one name; a TypeError for anything but text.

    >>> from ftree.stop import max_depth, pure
    >>> from_json(to_json(max_depth(3) | pure()))
    max_depth(3) | pure()
    """
    types, own = own_types(splits), own_by_name(parts)
    try:
        header = _parsed(text)
        members(header, "The text", ["format", "version"], ["tree", "part", "decisions"])
        return _of_plain(header, types, own)
    except RecursionError:
        raise ValueError(f"text must be {_DEEP}, got a deeper one.") from None


def _to_plain(value: Any) -> dict[str, Any]:
    if isinstance(value, Tree):
        missing = None if value.missing is None else part_to_plain(value.missing)
        return {"tree": {"schema": schema_to_plain(value.schema), "missing": missing, "nodes": nodes_to_plain(value.root)}}
    return {"part": part_to_plain(value)} if is_part(value) else {"decisions": decisions_to_plain(value)}


def _of_plain(header: dict[str, Any], types: tuple[type, ...], own: dict[str, Any]) -> Any:
    form, version, *kinds = (header[name] for name in header if name)
    if header["format"] != "ftree" or type(header["version"]) is not int or len(kinds) != 1:
        wanted = "an object with the format 'ftree', its version, and one of tree, part and decisions"
        message = f"The text must be {wanted}, got {short_repr({'format': form, 'version': version})} and {len(kinds)} of these."
        raise ValueError(message)
    if header["version"] != VERSION:
        message = f"version must be {VERSION}, got {short_repr(header['version'])}. A later release of ftree may read the text."
        raise ValueError(message)
    if "tree" in header:
        return _tree(header["tree"], types, own)
    if "decisions" in header:
        return decisions_of_plain(header["decisions"], types)
    part = part_of_plain(header["part"], own)
    if not is_part(part):
        raise ValueError(f"part must be a part of the library, got {short_repr(header['part'])}.")
    return part


def _tree(plain: Any, types: tuple[type, ...], own: dict[str, Any]) -> Tree:
    schema, missing, nodes = members(plain, "tree", ["schema", "missing", "nodes"])
    described = schema_of_plain(schema, own)
    root = nodes_of_plain(nodes, len(described.response.channels), types)
    try:
        return Tree(described, root, missing=None if missing is None else part_of_plain(missing, own))
    except TypeError as error:
        raise ValueError(str(error)) from error  # the error is in the text, not in the argument's type


def _parsed(text: str | bytes) -> Any:
    """JSON as plain values, strictly: no NaN, no number beyond the range of floats, no repeated key."""
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"text must be a str or bytes, got {type_of(text)}. load(path) reads a file.")
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
        raise ValueError(f"text must be JSON {_DIGITS}, got a longer one.") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    for twice in repeated(key for key, _ in pairs):
        raise ValueError(f"An object must have each key once, got {short_repr(twice)} twice.")
    return dict(pairs)


def _no_number(text: str) -> Any:
    raise ValueError(f"A number must be finite, got {text}.")


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        _no_number(short_repr(text))
    return number


# A compressed file of a few kilobytes may contain gigabytes of blanks; the text may be at most this many times longer.
_MOST_TIMES = 100


def save(value: Any, path: str | PathLike[str]) -> None:
    """Write a tree, a part of the library or decisions as JSON, in UTF-8; compressed if the path ends in .gz.

    The same value makes the same file. An existing file is replaced once the new one is whole. Raises the errors of `to_json`.

    >>> from tempfile import TemporaryDirectory
    >>> from ftree.stop import max_depth
    >>> with TemporaryDirectory() as folder:
    ...     save(max_depth(3), f"{folder}/rule.json")
    ...     load(f"{folder}/rule.json")
    max_depth(3)
    """
    file = require_path(path)
    data = (to_json(value) + "\n").encode()
    with complete_or_nothing(file) as unfinished:
        unfinished.write_bytes(_compressed(data) if file.suffix == ".gz" else data)


def load(path: str | PathLike[str], *, splits: Iterable[type] = (), parts: Iterable[Any] = ()) -> Any:
    """Read a value that `save` wrote; `splits` and `parts` as for `from_json`. No code in the file is run.

    Raises a ValueError that names the fault for a damaged file, an OSError for a file that cannot be read.

    >>> import tempfile
    >>> from ftree import ID3, save
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(ID3, f"{folder}/policy.json")
    ...     load(f"{folder}/policy.json") == ID3
    True
    """
    file = require_path(path)
    data = file.read_bytes()
    return from_json(_decompressed(file, data) if file.suffix == ".gz" else data, splits=splits, parts=parts)


def _compressed(text: bytes) -> bytes:
    """A gzip file that `load` reads: a long row of zeros, as counts of many classes have, must not become too short."""
    data = gzip.compress(text, mtime=0)
    if len(text) <= _longest(data):
        return data
    bytes_only = zlib.compressobj(wbits=31, strategy=zlib.Z_HUFFMAN_ONLY)  # 31: in gzip's form; a byte takes at least a bit
    return bytes_only.compress(text) + bytes_only.flush()


def _longest(data: bytes) -> int:
    """The most bytes that a compressed file may contain."""
    return 1000 + _MOST_TIMES * len(data)


def _decompressed(file: Path, data: bytes) -> bytes:
    most = _longest(data)
    try:
        with gzip.open(file) as opened:
            text = opened.read(most + 1)
    except (EOFError, zlib.error, OSError) as error:
        raise ValueError(f"path must be a gzip file, as its name says, got {file.name}: {error}") from error
    if len(text) > most:
        message = f"path must be a file of at most {_MOST_TIMES} times its compressed size, got {file.name}, which has more."
        raise ValueError(message)
    return text
