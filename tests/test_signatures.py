"""Arguments of public names, which of them are keyword-only, and their defaults stay as programs use them.

`signatures.txt` lists them. After a deliberate change, regenerate it: `python tests/test_signatures.py > tests/signatures.txt`.
"""

from inspect import Parameter, Signature, isclass, isfunction, ismodule, signature
from pathlib import Path
from types import FunctionType

import ftree
from ftree._lib.fields import name_of

METHODS = (classmethod, staticmethod, FunctionType)
LISTED = Path(__file__).with_name("signatures.txt")


class Written:
    """A default as in the source: a function by its name."""

    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return name_of(self.value)


def without_type(argument):
    default = argument.default if argument.default is Parameter.empty else Written(argument.default)
    return argument.replace(annotation=Parameter.empty, default=default)


def named_functions():
    """Functions and classes of all rooms, with the public methods of the classes."""
    for room in (getattr(ftree, name) for name in dir(ftree) if ismodule(getattr(ftree, name))):
        for name in room.__all__:
            value = getattr(room, name)
            if (isfunction(value) or isclass(value)) and not getattr(value, "_is_protocol", False):
                yield f"{room.__name__}.{name}", value
                listed = public_methods(value) if isclass(value) else []
                yield from ((f"{room.__name__}.{name}.{each}", getattr(value, each)) for each in listed)


def public_methods(kind):
    """The names of a class's methods, including those inherited from other classes of the library."""
    own = [vars(each) for each in kind.__mro__ if each.__module__.startswith("ftree.")]
    methods = {name for each in own for name, value in each.items() if isinstance(value, METHODS)}
    return sorted(name for name in methods if not name.startswith("_"))


def current():
    """The signatures with a default or a keyword-only argument, without types."""
    lines = set()
    for name, function in named_functions():
        arguments = signature(function).parameters.values()
        if any(each.default is not Parameter.empty or each.kind is Parameter.KEYWORD_ONLY for each in arguments):
            lines.add(f"{name}{Signature([without_type(each) for each in arguments])}")
    return lines


def test_arguments_and_their_defaults_are_as_listed():
    listed = set(LISTED.read_text(encoding="utf-8").splitlines())
    assert listed - current() == set()


def test_help_shows_the_defaults_of_a_policy_as_they_are_written():
    shown = str(signature(ftree.Policy))
    assert shown.startswith("(*, impurity=entropy, score=gain, splits=(multiway(), threshold()), choose=by_score()")


if __name__ == "__main__":
    print("\n".join(sorted(current())))  # noqa: T201  # the list itself
