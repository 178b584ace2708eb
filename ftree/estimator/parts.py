"""Parameters of parameters: the parts of policies and passes by scikit-learn's paths, such as `policy__stop__limit`.

Policies and passes are frozen values, not estimators: setting a part makes a new value.
"""

from collections import defaultdict
from collections.abc import Mapping
from inspect import Parameter, signature
from typing import Any

import attrs

from ftree._lib.messages import joined, short_repr
from ftree.data.dataset import Dataset


def parts_of(value: Any) -> dict[str, Any]:
    """The parts of a policy, a rule or a pass by name, and theirs by path; none of any other value.

    >>> from ftree.stop import max_depth
    >>> parts_of(max_depth(3)), parts_of(3)
    ({'limit': 3}, {})
    """
    own = {name: getattr(value, name) for name in _names(value)}
    return own | parts_of_each(own)


def parts_of_each(values: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of named values, by paths that begin with the name."""
    return {f"{name}__{path}": part for name, value in values.items() for path, part in parts_of(value).items()}


def with_parts(value: Any, parts: Mapping[str, Any]) -> Any:
    """The same value with other parts, given by name or path; whole parts are set before parts of them.

    Raises a ValueError for a part that the value does not have.

    >>> from ftree.prune import cost_complexity
    >>> with_parts(cost_complexity(0.1), {"alpha": 0.2})
    cost_complexity(0.2, risk=misclassification, scale='alpha')
    """
    known = _names(value)
    whole, nested = whole_and_nested(parts)
    for name in (*whole, *nested):
        if name not in known:
            wanted = f"one of {joined(map(repr, known))}" if known else "left out, as there is none"
            message = f"A part of {short_repr(value)} must be {wanted}, got {name!r}."
            raise ValueError(message)
    value = attrs.evolve(value, **whole) if whole else value
    below = {name: with_parts(getattr(value, name), each) for name, each in nested.items()}
    return attrs.evolve(value, **below) if below else value


def whole_and_nested(parts: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """What is given by name, and what is given by longer paths: for each first name, its parts by the rest of the path.

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


def _names(value: Any) -> list[str]:
    """The arguments that make the value again; none of what is no attrs value, nor of data, which is no parameter."""
    if not attrs.has(type(value)) or isinstance(value, Dataset):
        return []
    fields: Any = attrs.fields_dict(type(value))
    arguments = signature(type(value)).parameters.values()
    return [each.name for each in arguments if each.name in fields and each.kind is not Parameter.VAR_POSITIONAL]
