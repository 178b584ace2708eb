"""A schema as JSON: features, the target, and classes or another response."""

from collections.abc import Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any

from attrs import asdict, has

from ftree import responses
from ftree._lib.fields import is_finite
from ftree._lib.messages import short_repr
from ftree.saving.json_values import OWN, check_text, fields_of, items, members, of_plain, options_of, to_plain
from ftree.tree.additive import exact_sums
from ftree.tree.response import Response, numbers
from ftree.tree.schema import Feature, Schema


def schema_to_plain(schema: Schema) -> dict[str, Any]:
    """A schema in JSON form. Raises a TypeError for a value or a class of a type that JSON cannot represent.

    >>> schema_to_plain(Schema([Feature("age", "numeric")], "ill", (False, True)))
    {'features': [{'name': 'age', 'kind': 'numeric'}], 'target': 'ill', 'classes': [False, True]}
    """
    return {
        "features": list(map(_feature_to_plain, schema.features)),
        "target": check_text(schema.target),
        "classes": list(map(to_plain, schema.classes)),
        **({} if schema.has_classes else {"response": _response_to_plain(schema.response)}),
    }


def schema_of_plain(plain: Any, parts: Mapping[str, Any] = MappingProxyType({})) -> Schema:
    """The schema that such JSON represents; `parts` are users' responses by name. Raises a ValueError for anything else.

    >>> schema_of_plain({"features": [], "target": "ill", "classes": [False, True]})
    Schema(features=(), target='ill', classes=(False, True))
    """
    features, target, classes, given = members(plain, "The schema", ["features", "target", "classes"], ["response"])
    listed = [_feature_of_plain(each) for each in items(features, "features")]
    labels = [of_plain(each) for each in items(classes, "classes")]
    response = None if given is None else _response_of_plain(given, parts)
    return _made(Schema, listed, check_text(target), labels, response=response)  # type: ignore[no-any-return]


def _response_to_plain(response: Response) -> dict[str, Any]:
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


def _response_of_plain(plain: Any, parts: Mapping[str, Any]) -> Response:
    kind = plain.get("type") if isinstance(plain, dict) else None
    if kind == "numbers":
        _, *sizes = members(plain, "The response", ["type", "centre", "unit", "part"])
        return numbers(*_numbers(plain, sizes))
    known: Any = getattr(responses, kind) if isinstance(kind, str) and kind in dir(responses) else None
    family: Any = known or (parts.get(kind) if isinstance(kind, str) else None)
    if not (isinstance(family, type) and has(family)):
        raise _not_a_response(plain)
    values = {name: of_plain(told) for name, told in fields_of(plain, "The response", family, "type", "grids", "part").items()}
    own = exact_sums(_made(family, **values))
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


def _feature_to_plain(feature: Feature) -> dict[str, Any]:
    plain: dict[str, Any] = {"name": check_text(feature.name), "kind": feature.kind}
    if feature.kind != "numeric":
        plain["values"] = list(map(to_plain, feature.values))
    if feature.time is not None:
        plain["time"] = feature.time
    return plain


def _feature_of_plain(plain: Any) -> Feature:
    is_numeric = isinstance(plain, dict) and str(plain.get("kind")) == "numeric"
    keys = (["name", "kind"], ["time"]) if is_numeric else (["name", "kind", "values"], [])
    name, kind, *rest = members(plain, "A feature", *keys)
    if is_numeric:
        return _made(Feature, check_text(name), kind, time=rest[0])  # type: ignore[no-any-return]
    values = [of_plain(each) for each in items(rest[0], "values")]
    return _made(Feature, check_text(name), kind, values)  # type: ignore[no-any-return]


def _made(constructor: Any, *arguments: Any, **options: Any) -> Any:
    """The result of a constructor. Its other errors become a ValueError, since the error is in the text."""
    try:
        return constructor(*arguments, **options)
    except (TypeError, OverflowError) as error:
        raise ValueError(str(error)) from error
