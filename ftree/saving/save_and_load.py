"""Trees, policies, passes and decisions as JSON text or files, and back: `docs/exchange.md` describes the form.

A text is read strictly: it names public parts of the library, split types, and those that the caller gives. Nothing else that it
names is imported, and nothing is run.
"""

import gzip
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_args

from attrs import fields, has

from ftree._lib.fields import ConstructorRepr, is_iterable, repeated, require_one_of, require_path
from ftree._lib.machine import complete_or_nothing
from ftree._lib.messages import joined, short_repr, type_of
from ftree._lib.objects import gc_paused
from ftree.prune.decisions import Decision, Done
from ftree.saving.json_nodes import OWN, nodes_of_plain, nodes_to_plain, own_types, schema_of_plain, schema_to_plain
from ftree.saving.json_values import by_name, fields_of, items, members, of_plain, to_plain, whole_numbers
from ftree.tree.nodes import Leaf, Tree

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
    except RecursionError:
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
    types, own = own_types(splits), _own_by_name(parts)
    try:
        header = _parsed(text)
        members(header, "The text", ["format", "version"], ["tree", "part", "decisions"])
        return _of_plain(header, types, own)
    except RecursionError:
        raise ValueError(f"text must be {_DEEP}, got a deeper one.") from None


def _to_plain(value: Any) -> dict[str, Any]:
    if isinstance(value, Tree):
        missing = part_to_plain(value.missing)
        return {"tree": {"schema": schema_to_plain(value.schema), "missing": missing, "nodes": nodes_to_plain(value.root)}}
    if is_part(value):
        return {"part": part_to_plain(value)}
    if isinstance(value, (tuple, list)) and all(isinstance(each, Decision) for each in value):
        return {"decisions": {name: [_cell_to_plain(name, getattr(each, name)) for each in value] for name in _FIELDS}}
    wanted = "a Tree, a policy, a pass or another part of the library, or a sequence of decisions"
    raise TypeError(f"value must be {wanted}, got {short_repr(value)}.")


def _of_plain(header: dict[str, Any], types: tuple[type, ...], own: Mapping[str, Any]) -> Any:
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


def _tree(plain: Any, types: tuple[type, ...], own: Mapping[str, Any]) -> Tree:
    schema, missing, nodes = members(plain, "tree", ["schema", "missing", "nodes"])
    described = schema_of_plain(schema, own)
    root = nodes_of_plain(nodes, len(described.response.channels), types)
    try:
        return Tree(described, root, missing=part_of_plain(missing, own))
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
        unfinished.write_bytes(gzip.compress(data, mtime=0) if file.suffix == ".gz" else data)


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


def _decompressed(file: Path, data: bytes) -> bytes:
    most = 1000 + _MOST_TIMES * len(data)
    try:
        with gzip.open(file) as opened:
            text = opened.read(most + 1)
    except (gzip.BadGzipFile, EOFError, OSError) as error:
        raise ValueError(f"path must be a gzip file, as its name says, got {file.name}: {error}") from error
    if len(text) > most:
        message = f"path must be a file of at most {_MOST_TIMES} times its compressed size, got {file.name}, which has more."
        raise ValueError(message)
    return text


# Policies, stopping rules, passes and their parts as JSON.


# A class or a function in several packages has its name in the last of them.
_PACKAGES = ("policy", "criteria", "splitters", "linear", "missing", "prune", "stop")
# Parts whose constructors take the items of their only field as separate arguments.
_OF_SEVERAL = ("stop.all_of", "stop.any_of", "prune.compose")


def is_part(value: Any) -> bool:
    """Whether a value is a part, whatever its fields: one of the library's, or one's own that has a name.

    >>> from ftree.stop import pure
    >>> is_part(pure()), is_part(pure), is_part(len)
    (True, False, False)
    """
    return (_name_of(value) or _own_name(value)) is not None


def part_to_plain(part: Any) -> Any:
    """A part in JSON form, with its inner parts. Raises a TypeError for a part without a name.

    >>> from ftree.stop import max_depth, pure
    >>> part_to_plain(max_depth(3) | pure())
    {'type': 'stop.any_of', 'rules': [{'type': 'stop.max_depth', 'limit': 3}, {'type': 'stop.pure'}]}
    """
    name = _name_of(part) or _own_name(part)
    if name is not None:
        own = [each for each in fields(type(part)) if each.init] if has(type(part)) else []
        return {"type": name, **{each.name: part_to_plain(getattr(part, each.name)) for each in own}}
    if isinstance(part, tuple):
        return list(map(part_to_plain, part))
    if callable(part) or hasattr(part, "schema"):
        wanted = "one of the library's, a function of a module or an object of an attrs class"
        message = f"A part must be {wanted}, to be written, got {short_repr(part)}, which has no name that could be written."
        raise TypeError(message)
    return to_plain(part)


def part_of_plain(plain: Any, own: Mapping[str, Any] = MappingProxyType({})) -> Any:
    """The part that such JSON represents; `own` are users' parts by name. Raises a ValueError for other names or fields.

    >>> part_of_plain({"type": "stop.max_depth", "limit": 3})
    max_depth(3)
    """

    def read(plain: Any) -> Any:
        if isinstance(plain, list):
            return tuple(map(read, plain))
        return _part_named(plain["type"], plain, own, read) if isinstance(plain, dict) and "type" in plain else of_plain(plain)

    return read(plain)


def _part_named(name: Any, plain: dict[str, Any], own: Mapping[str, Any], read: Callable[[Any], Any]) -> Any:
    family = (own.get(name) or _part(name)) if isinstance(name, str) else None
    if family is None:
        wanted = "a part of the library, such as 'stop.max_depth', or one of parts=(...)"
        raise ValueError(f"type must be {wanted}, got {short_repr(name)}.")
    if isinstance(family, type):
        return _made(name, family, plain, read)
    members(plain, name, ["type"])  # a function has a name only
    return family


def _made(name: str, family: Any, plain: dict[str, Any], read: Callable[[Any], Any]) -> Any:
    values = {each: read(value) for each, value in fields_of(plain, name, family, "type").items()}
    try:
        return family(*next(iter(values.values()))) if name in _OF_SEVERAL else family(**values)
    except TypeError as error:
        got = joined(f"{each} {short_repr(value)}" for each, value in values.items())
        raise ValueError(f"{name} must have fields that its constructor takes, got {got}: {str(error)[:200]}") from error


def _name_of(part: Any) -> str | None:
    """The name of a function, or of the class of an object."""
    family: Any = part if type(part) is _FUNCTION else type(part)
    return _public_name(family)


_FUNCTION = type(is_part)


def _own_name(part: Any) -> str | None:
    """The name of a user's function of a module, or of the attrs class of a user's object; None for anything else."""
    family: Any = part if type(part) is _FUNCTION else type(part)
    is_named = family.__qualname__.isidentifier() if family is part else has(family)
    return OWN + family.__name__ if is_named and not family.__module__.startswith("ftree.") else None


def _own_by_name(parts: Any) -> dict[str, Any]:
    """The caller's parts by their names.

    Raises a TypeError for anything but attrs classes and functions with a name, a ValueError for two of one name.
    """
    listed = tuple(parts) if is_iterable(parts) else (parts,)
    for each in listed:
        if not (isinstance(each, type) and has(each)) and _own_name(each) is None:
            message = f"parts must be a sequence of attrs classes and functions, such as (by_price,), got {short_repr(each)}."
            raise TypeError(message)
    return {OWN + name: each for name, each in by_name("parts", listed).items()}


@cache
def _part(name: str) -> Any:
    """The public part of this name, "stop.pure"; None for any other name."""
    package, _, own = name.partition(".")
    if package not in _PACKAGES or own not in (home := import_module(f"ftree.{package}")).__all__:
        return None
    part = getattr(home, own)
    return part if _is_class_of_parts(part) or (package == "criteria" and type(part) is _FUNCTION) else None


def _is_class_of_parts(part: Any) -> bool:
    if not isinstance(part, type) or not has(part):
        return False
    return issubclass(part, ConstructorRepr) or any("__call__" in vars(base) for base in part.__mro__)


@cache
def _public_name(family: Any) -> str | None:
    """The name of a class or a function of the library; None for any other."""
    is_ours = str(family.__module__).startswith("ftree.")
    names = (f"{package}.{family.__name__}" for package in reversed(_PACKAGES) if is_ours)
    return next((name for name in names if _part(name) is family), None)


_DEFAULTS = {each.name: each.default for each in fields(Decision)}
_FIELDS = list(_DEFAULTS)
_SCORES = ("as_leaf", "as_subtree", "threshold", "as_raised")
# The most children of a branch, since a list has no more items.
_MOST = 2**63


def decisions_of_plain(plain: Any, types: Sequence[type]) -> tuple[Decision, ...]:
    """The decisions of such columns. Raises a ValueError for anything else."""
    columns = fields_of(plain, "decisions", Decision)
    n = len(items(columns["path"], "path"))
    rows = zip(*[items(column, name, n) for name, column in columns.items()], strict=True)
    return tuple([_decision(_DEFAULTS | dict(zip(columns, row, strict=True)), types) for row in rows])


def _cell_to_plain(name: str, value: Any) -> Any:
    if name in ("path", "counts"):
        return list(map(to_plain, value))
    return nodes_to_plain(value) if name == "becomes" and value is not None else to_plain(value)


def _decision(row: dict[str, Any], types: Sequence[type]) -> Decision:
    counts = Leaf(items(row["counts"], "The counts of a decision")).counts
    becomes = None if row["becomes"] is None else nodes_of_plain(row["becomes"], len(counts), types)
    scores = {name: _score(name, row[name]) for name in _SCORES}
    path, child = whole_numbers(row["path"], "path", _MOST), row["child"]
    if child is not None:
        whole_numbers([child], "child", _MOST)
    require_one_of("done", row["done"], get_args(Done))
    return Decision(tuple(path), counts, done=row["done"], child=child, becomes=becomes, **scores)


def _score(name: str, plain: Any) -> Any:
    value = of_plain(plain)
    if not (value is None or type(value) in (int, float)):
        raise ValueError(f"{name} must be a number or null, got {short_repr(plain)}.")
    return value
