"""A schema as JSON: features, the target and classes; another response has a file of its own."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ftree.saving.json_values import check_text, items, made, members, of_plain, to_plain
from ftree.tree.schema import Feature, Schema


def schema_to_plain(schema: Schema) -> dict[str, Any]:
    """A schema in JSON form. Raises a TypeError for a value or a class of a type that JSON cannot represent.

    >>> schema_to_plain(Schema([Feature("age", "numeric")], "ill", (False, True)))
    {'features': [{'name': 'age', 'kind': 'numeric'}], 'target': 'ill', 'classes': [False, True]}
    """
    features = list(map(_feature_to_plain, schema.features))
    plain = {"features": features, "target": check_text(schema.target), "classes": list(map(to_plain, schema.classes))}
    if schema.has_classes:
        return plain
    from ftree.saving.json_responses import response_to_plain  # noqa: PLC0415  # most trees have classes

    return {**plain, "response": response_to_plain(schema.response)}


def schema_of_plain(plain: Any, parts: Mapping[str, Any] = MappingProxyType({})) -> Schema:
    """The schema that such JSON represents; `parts` are users' responses by name. Raises a ValueError for anything else.

    >>> schema_of_plain({"features": [], "target": "ill", "classes": [False, True]})
    Schema(features=(), target='ill', classes=(False, True))
    """
    features, target, classes, given = members(plain, "The schema", ["features", "target", "classes"], ["response"])
    listed = [_feature_of_plain(each) for each in items(features, "features")]
    labels = [of_plain(each) for each in items(classes, "classes")]
    if given is None:
        return made(Schema, listed, check_text(target), labels)  # type: ignore[no-any-return]
    from ftree.saving.json_responses import response_of_plain  # noqa: PLC0415  # as above

    response = response_of_plain(given, parts)
    return made(Schema, listed, check_text(target), labels, response=response)  # type: ignore[no-any-return]


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
        return made(Feature, check_text(name), kind, time=rest[0])  # type: ignore[no-any-return]
    values = [of_plain(each) for each in items(rest[0], "values")]
    return made(Feature, check_text(name), kind, values)  # type: ignore[no-any-return]
