"""Strategies of mutated input: bytes, and nested dicts and lists, each made from a valid sample."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from random import Random
from typing import Any

from hypothesis import strategies as st

times = st.integers(1, 5)


@st.composite
def mutated_bytes(draw: Any, samples: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    """A sample with some slices deleted, repeated, flipped, replaced by a token or by a slice of another sample."""
    data: bytes = draw(st.sampled_from(samples))
    for _ in range(draw(times)):
        low = draw(st.integers(0, len(data)))
        high = low + draw(st.sampled_from((0, 1, 3, 20, 1000)))
        part, other = data[low:high], draw(st.sampled_from(samples))[low:high]
        flipped = bytes(each ^ 1 << low % 8 for each in part)
        new = draw(st.sampled_from((b"", part * 2, part * 50, flipped, other)) | st.sampled_from(tokens))
        data = data[:low] + new + data[high:]
    return data


@st.composite
def mutated_parts(draw: Any, samples: Sequence[Any], junk: st.SearchStrategy[Any]) -> Any:
    """A sample with some parts replaced, dropped, renamed, retyped, nested, taken from elsewhere, or put into themselves."""
    whole = [deepcopy(draw(st.sampled_from(samples)))]
    rng: Random = draw(st.randoms(use_true_random=False))
    for _ in range(draw(times)):
        if whole:
            holder, key = rng.choice(places(whole))
            other, place = rng.choice(places([deepcopy(draw(st.sampled_from(samples)))]) + places(whole))
            match rng.choice(("replace", "drop", "rename", "retype", "nest", "take")):
                case "replace":
                    holder[key] = draw(junk)
                case "drop":
                    del holder[key]
                case "rename":
                    rename(holder, key, rng.choice((retyped(rng, key), draw(junk))), rng)
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
            return make(value)
        except (TypeError, ValueError, OverflowError, RecursionError):
            continue
    return value


CONVERSIONS: tuple[Callable[[Any], Any], ...] = (str, repr, float, int, list, tuple, frozenset, set, dict)


def is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except (TypeError, RecursionError):
        return False
    return True
