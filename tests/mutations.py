"""Mutations of valid input, from a seed: of bytes, and of nested dicts and lists."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from random import Random
from typing import Any

from attrs import frozen

HOW_MANY = (1, 1, 2, 3, 5)


@frozen
class ByteMutation:
    """A mutation of bytes: flipped bits; slices deleted, doubled, swapped, cut off, taken from other samples; tokens."""

    tokens: Sequence[bytes]

    def __call__(self, rng: Random, data: bytes, samples: Sequence[bytes]) -> bytes:
        for _ in range(rng.choice(HOW_MANY)):
            data = self.changed(rng, data, samples)
        return data

    def changed(self, rng: Random, data: bytes, samples: Sequence[bytes]) -> bytes:
        low, middle, high = sorted(rng.randint(0, len(data)) for _ in range(3))
        middle = min(middle, low + rng.choice((1, 1, 3, 20, 1000)))
        before, part, after = data[:low], data[low:middle], data[middle:]
        match rng.choice(("flip", "delete", "double", "swap", "cut off", "splice", "put", "put")):
            case "flip":
                part = bytes([each ^ 1 << rng.randrange(8) for each in part[:1]]) + part[1:]
            case "delete":
                part = b""
            case "double":
                part *= rng.choice((2, 2, 3, 50))
            case "swap":
                part, after = data[middle:high] + part, data[max(middle, high) :]
            case "cut off":
                part = after = b""
            case "splice":
                other = rng.choice(samples)
                start = rng.randint(0, len(other))
                part = other[start : start + rng.choice((1, 10, 1000))]
            case "put":
                part = rng.choice(self.tokens) + rng.choice((part, b""))
        return before + part + after


@frozen
class NestedMutation:
    """A mutation of dicts and lists: parts replaced, dropped, renamed, retyped, nested, lifted, shared, put into themselves."""

    junk: Callable[[Random], Any]

    def __call__(self, rng: Random, sample: Any, samples: Sequence[Any]) -> Any:
        whole = [deepcopy(sample)]
        for _ in range(rng.choice(HOW_MANY)):
            if whole:
                change = rng.choice((self.change_one, self.change_one, self.change_two))
                change(rng, whole, samples)
        return whole[0] if whole else None

    def change_one(self, rng: Random, whole: list[Any], _: Sequence[Any]) -> None:
        holder, key = rng.choice(places(whole))
        match rng.choice(("replace", "replace", "drop", "rename", "rename", "retype", "retype", "nest", "lift")):
            case "replace":
                holder[key] = self.junk(rng)
            case "drop":
                del holder[key]
            case "rename":
                self.rename(rng, holder, key)
            case "retype":
                holder[key] = retyped(rng, holder[key])
            case "nest":
                for _ in range(rng.choice((1, 1, 2, 3000))):
                    holder[key] = rng.choice(([holder[key]], {"sky": holder[key]}, {"no": holder[key]}, {0: holder[key]}))
            case "lift":
                inner = holder[key]
                parts = list(inner.values()) if isinstance(inner, dict) else inner
                holder[key] = rng.choice(parts) if isinstance(parts, (list, tuple)) and parts else inner

    def rename(self, rng: Random, holder: Any, key: Any) -> None:
        """Move or copy a part of a dict to another key, or a part of a list to another position."""
        part = holder[key] if rng.random() < 0.5 else holder.pop(key)
        if isinstance(holder, list):
            holder.insert(rng.randint(0, len(holder)), part)
            return
        new = rng.choice((retyped(rng, key), self.junk(rng)))
        holder[new if is_hashable(new) else str(new)] = part

    def change_two(self, rng: Random, whole: list[Any], samples: Sequence[Any]) -> None:
        """If the second place is inside the first, sharing a part makes a cycle."""
        (holder, key), (other, place) = rng.choice(places(whole)), rng.choice(places(whole))
        match rng.choice(("share", "swap", "splice")):
            case "share":
                other[place] = holder[key]
            case "swap":
                other[place], holder[key] = holder[key], other[place]
            case "splice":
                source, at = rng.choice(places([deepcopy(rng.choice(samples))]))
                holder[key] = source[at]


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
    """The value as one of another type, or slightly changed; the same on every machine."""
    if isinstance(value, tuple) and value and rng.random() < 0.7:
        place = rng.randrange(len(value))
        return (*value[:place], retyped(rng, value[place]), *value[place + 1 :])
    if isinstance(value, str) and value and rng.random() < 0.7:
        place = rng.randrange(len(value))
        return value[:place] + rng.choice(("", " ", value[place] * 2, "0", ".", "-", "é")) + value[place + rng.randint(0, 1) :]
    if isinstance(value, (int, float)) and rng.random() < 0.5:
        return rng.choice((-value, value + 1, value * 10**20, bool(value), f"{value:g}" if abs(value) < 1e300 else None))
    is_odd = isinstance(value, (set, frozenset)) or type(value).__module__.startswith("numpy")
    return value if is_odd else converted(rng, value)


def converted(rng: Random, value: Any) -> Any:
    for make in rng.sample((str, repr, float, int, list, tuple, frozenset, set, dict), 9):
        try:
            return make(value)
        except (TypeError, ValueError, OverflowError, RecursionError):
            continue
    return value


def is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except (TypeError, RecursionError):
        return False
    return True
