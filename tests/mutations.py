"""Strategies of mutated input: bytes, and nested dicts and lists, each made from a valid sample."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from random import Random
from typing import Any
from warnings import catch_warnings

from hypothesis import strategies as st
from numpy.ma import MaskError


def mutated_bytes(samples: Sequence[bytes], tokens: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """A sample with some slices deleted, repeated, flipped, replaced by a token or by a slice of another sample."""
    sample, width = st.sampled_from(samples), st.sampled_from((0, 1, 3, 20, 1000))
    edit = st.tuples(st.integers(0, 1 << 16), width, sample, st.sampled_from(CHANGES) | st.sampled_from(tokens))
    return st.builds(edited, sample, st.lists(edit, min_size=1, max_size=5))


def edited(data: bytes, edits: list[tuple[int, int, bytes, Any]]) -> bytes:
    for place, width, other, new in edits:
        low = place % (len(data) + 1)
        high = low + width
        part = new if isinstance(new, bytes) else new(data[low:high], other[low:high], low)
        data = data[:low] + part + data[high:]
    return data


CHANGES: tuple[Callable[[bytes, bytes, int], bytes], ...] = (
    lambda part, _, __: part * 2,
    lambda part, _, __: part * 50,
    lambda part, _, low: bytes(each ^ 1 << low % 8 for each in part),
    lambda _, other, __: other,
    lambda _, __, ___: b"",
)


def mutated_parts(samples: Sequence[Any], junk: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A sample with some parts replaced, dropped, renamed, retyped, nested, taken from elsewhere, or put into themselves."""
    # How deep Python still goes differs between two runs of one example, so nothing may be drawn after the first change.
    return st.builds(partial(with_changes, samples), st.integers(0, 1 << 60), st.lists(junk, min_size=1, max_size=5))


def with_changes(samples: Sequence[Any], seed: int, junk: list[Any]) -> Any:
    """A sample, changed once for each part of junk."""
    rng = Random(seed)  # noqa: S311  # no secret
    whole = [deepcopy(rng.choice(samples))]
    for new in junk:
        if whole:
            holder, key = rng.choice(places(whole))
            other, place = rng.choice(places([deepcopy(rng.choice(samples))]) + places(whole))
            match rng.choice(("replace", "drop", "rename", "retype", "nest", "take")):
                case "replace":
                    holder[key] = new
                case "drop":
                    del holder[key]
                case "rename":
                    rename(holder, key, rng.choice((retyped(rng, key), new)), rng)
                case "retype":
                    holder[key] = retyped(rng, holder[key])
                case "nest":
                    nest(holder, key, rng)
                case "take":  # a cycle, if one place is inside the other
                    holder[key] = other[place]
    return whole[0] if whole else None


def nest(holder: Any, key: Any, rng: Random) -> None:
    """Put a part into others, sometimes deeper than Python's recursion goes."""
    for _ in range(rng.choice((1, 2, 3000))):
        holder[key] = rng.choice(([holder[key]], {"sky": holder[key]}, {0: holder[key]}))


def rename(holder: Any, key: Any, new: Any, rng: Random) -> None:
    """Move a part of a dict to another key, or a part of a list to another position."""
    part = holder.pop(key)
    if isinstance(holder, list):
        holder.insert(rng.randint(0, len(holder)), part)
    else:
        holder[new if is_hashable(new) else str(new)] = part


def places(whole: list[Any]) -> list[tuple[Any, Any]]:
    """Each place of a part: the list or dict that holds it, and its number or key there."""
    found: list[tuple[Any, Any]] = []
    stack, seen = [whole], set()
    while stack:
        part: Any = stack.pop()
        if id(part) not in seen and isinstance(part, (dict, list)):
            seen.add(id(part))
            found += [(part, key) for key in (part if isinstance(part, dict) else range(len(part)))]
            stack += part.values() if isinstance(part, dict) else part
    return found


def retyped(rng: Random, value: Any) -> Any:
    """The value as one of another type, or slightly changed."""
    if isinstance(value, str) and value and rng.random() < 0.7:
        place = rng.randrange(len(value))
        return value[:place] + rng.choice(("", " ", "0", ".", "-", "é")) + value[place + rng.randint(0, 1) :]
    if isinstance(value, (int, float)) and rng.random() < 0.5:
        return rng.choice((-value, value + 1, value * 10**20, bool(value)))
    for make in rng.sample(CONVERSIONS, len(CONVERSIONS)):
        try:
            with catch_warnings(action="ignore"):  # of what is masked, as a number
                return make(value)
        except (TypeError, ValueError, OverflowError, RecursionError, MaskError):
            continue
    return value


CONVERSIONS: tuple[Callable[[Any], Any], ...] = (str, repr, float, int, list, tuple, frozenset, set, dict)


def is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except (TypeError, RecursionError):
        return False
    return True
