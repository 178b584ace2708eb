"""A response as JSON: numbers, a response of the library, or one of a user's own."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from attrs import asdict, has

from ftree import responses
from ftree._lib.fields import is_finite
from ftree._lib.messages import short_repr
from ftree.saving.json_values import OWN, fields_of, items, made, members, of_plain, options_of, to_plain
from ftree.tree.additive import exact_sums
from ftree.tree.response import numbers
from ftree.tree.response_protocol import Response


def response_to_plain(response: Response) -> dict[str, Any]:
    """A response in JSON form. Raises a TypeError for one that is not of an attrs class."""
    if type(response) is numbers:
        return {"type": "numbers", **asdict(response)}
    own: Any = getattr(response, "own", None)
    family: Any = type(own)
    told = {each.name: getattr(own, each.name) for each in options_of(family)} if has(family) else {"type": own}
    if not isinstance(response, exact_sums) or {"type", "grids", "part"} & set(told):
        wanted = "that of classes, numbers or events, or an object of an attrs class without a field named type, grids or part"
        raise TypeError(f"response must be {wanted}, to be written, got {short_repr(response)}.")
    own_name = type(own).__name__
    name = own_name if getattr(responses, own_name, None) is family else OWN + own_name
    grids = [[grid.centre, grid.unit] for grid in response.grids]
    return {"type": name, **{key: to_plain(value) for key, value in told.items()}, "grids": grids, "part": response.part}


def response_of_plain(plain: Any, parts: Mapping[str, Any]) -> Response:
    """The response that such JSON represents; `parts` are users' responses by name. Raises a ValueError for anything else."""
    kind = plain.get("type") if isinstance(plain, dict) else None
    if kind == "numbers":
        _, *sizes = members(plain, "The response", ["type", "centre", "unit", "part"])
        return numbers(*_numbers(plain, sizes))
    known: Any = getattr(responses, kind) if isinstance(kind, str) and kind in dir(responses) else None
    family: Any = known or (parts.get(kind) if isinstance(kind, str) else None)
    if not has(family):
        raise _not_a_response(plain)
    values = {name: of_plain(told) for name, told in fields_of(plain, "The response", family, "type", "grids", "part").items()}
    own = exact_sums(made(family, **values))
    pairs = [items(each, "A grid", 2) for each in items(plain["grids"], "grids", len(own.grids))]
    _numbers(plain, [plain["part"], *chain.from_iterable(pairs)])
    return exact_sums(own.own, [numbers(*pair) for pair in pairs], plain["part"])


def _numbers(plain: Any, found: Sequence[Any]) -> Sequence[Any]:
    """The numbers of a response. Raises a ValueError for anything else."""
    if not all(map(is_finite, found)):
        raise _not_a_response(plain)
    return found


def _not_a_response(plain: Any) -> ValueError:
    wanted = "of type 'numbers', with a centre, a unit and a part, or in ftree.responses or parts=(...), with grids and a part"
    return ValueError(f"The response must be {wanted}, got {short_repr(plain)}.")
