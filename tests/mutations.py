"""Strategies of mutated input: bytes, and nested dicts and lists, each made from a valid sample."""

from contextlib import suppress
from copy import deepcopy
from warnings import catch_warnings

from hypothesis import strategies as st
from numpy.ma import MaskError


@st.composite
def mutated_bytes(draw, samples, tokens):
    """A sample with some slices deleted, repeated, flipped, replaced by a token or by a slice of another sample."""
    data = draw(st.sampled_from(samples))
    for _ in range(draw(st.integers(1, 5))):
        low, other = draw(st.integers(0, len(data))), draw(st.sampled_from(samples))
        high = low + draw(st.sampled_from((0, 1, 3, 20, 1000)))
        part = data[low:high]
        changed = (b"", part * 2, part * 50, bytes(each ^ 1 << low % 8 for each in part), other[low:high])
        data = data[:low] + draw(st.sampled_from(changed) | st.sampled_from(tokens)) + data[high:]
    return data


def mutated_parts(samples, junk):
    """A sample with some parts replaced, dropped, renamed, retyped, nested, taken from elsewhere, or put into themselves."""
    # All is drawn before the first change: how deep Python still goes differs between two runs of one example.
    number = st.integers(0, 1 << 16)
    change = st.tuples(st.sampled_from(CHANGES), number, number, junk, st.sampled_from(samples))
    return st.builds(with_changes, st.sampled_from(samples), st.lists(change, min_size=1, max_size=5))


CHANGES = "replace", "drop", "rename", "retype", "nest", "take"


def with_changes(sample, changes):
    whole = [deepcopy(sample)]
    for change, at, number, new, other in changes:
        here = places(whole)
        if here:
            holder, key = one_of(here, at)
            match change:
                case "replace":
                    holder[key] = new
                case "drop":
                    del holder[key]
                case "rename" if isinstance(holder, dict):
                    holder[hashable(one_of([new, *conversions(key)], number))] = holder.pop(key)
                case "rename":
                    holder.insert(number % len(holder), holder.pop(key))
                case "retype":
                    holder[key] = one_of(conversions(holder[key]), number)
                case "nest":
                    holder[key] = one_of(([holder[key]], {"sky": holder[key]}, {0: holder[key]}, deep(holder[key])), number)
                case "take":  # a cycle, if one place is inside the other
                    source, place = one_of(here + places([deepcopy(other)]), number)
                    holder[key] = source[place]
    return whole[0] if whole else None


def deep(part):
    """A part in lists deeper than Python's recursion goes: new ones, since later changes are made inside them."""
    for _ in range(3000):
        part = [part]
    return part


def one_of(options, number):
    return options[number % len(options)]


def places(whole):
    """Each place of a part: the list or dict that holds it, and its number or key there."""
    found, stack, seen = [], [whole], set()
    while stack:
        part = stack.pop()
        if id(part) not in seen and isinstance(part, (dict, list)):
            seen.add(id(part))
            keys = list(part) if isinstance(part, dict) else range(len(part))
            found += [(part, key) for key in keys]
            stack += [part[key] for key in keys]
    return found


FAILURES = TypeError, ValueError, OverflowError, MaskError, RecursionError


def conversions(value):
    """The value as others of its type or of another; of a list or a dict, only itself in another container."""
    found = []
    if isinstance(value, str):
        half = len(value) // 2
        found += [value[:half] + new + value[half + cut :] for new in ("", " ", "0", ".", "-", "é") for cut in (0, 1)]
    if isinstance(value, (int, float)):
        found += [-value, value + 1, value * 10**20, bool(value)]
    for make in (tuple, list, dict) if isinstance(value, (list, dict)) else (str, repr, float, int, list, tuple, set):
        with suppress(*FAILURES), catch_warnings(action="ignore"):  # of what is masked
            found.append(make(value))
    return found or [value]


def hashable(key):
    try:
        hash(key)
    except (TypeError, RecursionError):
        return str(type(key))
    return key
