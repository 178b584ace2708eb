"""Parts of a policy or a pass as parameters of an estimator: `policy__stop__limit` is a path from a whole to a part of it."""

from collections import defaultdict
from collections.abc import Mapping
from functools import partial
from inspect import Parameter, signature
from types import FunctionType
from typing import Any

import attrs

from ftree._lib.messages import joined, short_repr
from ftree.data.dataset import Dataset


def parameters_of(value: Any) -> dict[str, Any]:
    """The parts of a policy, a rule, a pass or a function by name, and their parts by path; {} for any other value.

    >>> from ftree.stop import max_depth
    >>> parameters_of(max_depth(3)), parameters_of(3)
    ({'limit': 3}, {})
    """
    own = _own(value)
    return own | parts_of_each(own)


def parts_of_each(values: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of named values, by paths that begin with the name."""
    return {f"{name}__{path}": part for name, value in values.items() for path, part in parameters_of(value).items()}


def with_parts(value: Any, parts: Mapping[str, Any]) -> Any:
    """A copy of a value with other parts, given by name or path; whole parts are set before parts of parts.

    Raises a ValueError for a part that the value does not have.

    >>> from ftree.prune import cost_complexity
    >>> with_parts(cost_complexity(0.1), {"alpha": 0.2})
    cost_complexity(0.2, risk=misclassification, scale='alpha')
    """
    known = _own(value)
    whole, nested = whole_and_nested(parts)
    for name in (*whole, *nested):
        if name not in known:
            wanted = f"one of {joined(map(repr, known))}" if known else "omitted, since it has no parts"
            raise ValueError(f"A part of {short_repr(value)} must be {wanted}, got {short_repr(name)}.")
    value = _changed(value, whole)
    return _changed(value, {name: with_parts(_own(value)[name], each) for name, each in nested.items()})


def whole_and_nested(parts: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The values given by name, and those given by longer paths: for each first name, its parts by the rest of the path.

    >>> whole_and_nested({"a": 1, "b__c": 2, "b__d__e": 3})
    ({'a': 1}, {'b': {'c': 2, 'd__e': 3}})
    """
    whole = {path: part for path, part in parts.items() if "__" not in path}
    nested: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for path, part in parts.items():
        name, separator, rest = path.partition("__")
        if separator:
            nested[name][rest] = part
    return whole, dict(nested)


def _own(value: Any) -> dict[str, Any]:
    """The arguments that make the value again, or the options of a function, with their values; data have no parts."""
    if isinstance(value, (FunctionType, partial)) or (isinstance(value, type) and attrs.has(value)):
        options = (each for each in signature(value).parameters.values() if each.kind is Parameter.KEYWORD_ONLY)
        return {option.name: option.default for option in options if option.default is not Parameter.empty}
    if isinstance(value, (Dataset, type)) or not attrs.has(type(value)):
        return {}
    fields: Any = attrs.fields_dict(type(value))
    arguments = (each for each in signature(type(value)).parameters.values() if each.kind is not Parameter.VAR_POSITIONAL)
    return {each.name: getattr(value, each.name) for each in arguments if each.name in fields}


def _changed(value: Any, parts: Mapping[str, Any]) -> Any:
    """A value with other parts; the same object if no part changes."""
    own = _own(value)
    others = {name: part for name, part in parts.items() if part is not own[name]}
    if not others:
        return value
    return attrs.evolve(value, **others) if attrs.has(type(value)) else partial(value, **others)
