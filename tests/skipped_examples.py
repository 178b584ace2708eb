"""Examples of docstrings that the suite skips, since they need another library's values: tests with such values run them."""

import doctest
from inspect import getdoc, unwrap


def run_example(function, **names):
    """Run the example of a docstring, lines marked `+SKIP` too, with values for the names that it leaves open."""
    names = {function.__name__: function, **names}
    for example in doctest.DocTestParser().get_examples(getdoc(unwrap(function))):
        exec(example.source, names)  # noqa: S102  # our own docstring
