"""A schema as JSON: features with their kinds, values and times, the target, and classes with their types."""

from typing import Any

from ftree.exchange.json_checks import check_text, items, members
from ftree.exchange.json_values import of_plain, to_plain
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
    }


def schema_of_plain(plain: Any) -> Schema:
    """The schema that such JSON represents. Raises a ValueError for anything else.

    >>> schema_of_plain({"features": [], "target": "ill", "classes": [False, True]})
    Schema(features=(), target='ill', classes=(False, True))
    """
    features, target, classes = members(plain, "The schema", ["features", "target", "classes"])
    listed = [_feature_of_plain(each) for each in items(features, "features")]
    labels = [of_plain(each) for each in items(classes, "classes")]
    return _made(Schema, listed, check_text(target), labels)  # type: ignore[no-any-return]


def _feature_to_plain(feature: Feature) -> dict[str, Any]:
    plain: dict[str, Any] = {"name": check_text(feature.name), "kind": feature.kind}
    if feature.kind != "numeric":
        plain["values"] = list(map(to_plain, feature.values))
    if feature.time is not None:
        plain["time"] = feature.time
    return plain


def _feature_of_plain(plain: Any) -> Feature:
    is_numeric = isinstance(plain, dict) and plain.get("kind") == "numeric"
    keys = (["name", "kind"], ["time"]) if is_numeric else (["name", "kind", "values"], [])
    name, kind, *rest = members(plain, "A feature", *keys)
    if is_numeric:
        return _made(Feature, check_text(name), kind, time=rest[0])  # type: ignore[no-any-return]
    values = [of_plain(each) for each in items(rest[0], "values")]
    return _made(Feature, check_text(name), kind, values)  # type: ignore[no-any-return]


def _made(constructor: Any, *arguments: Any, **options: Any) -> Any:
    """The result of a constructor. A TypeError becomes a ValueError, since the error is in the text."""
    try:
        return constructor(*arguments, **options)
    except TypeError as error:
        raise ValueError(str(error)) from error
