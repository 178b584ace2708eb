"""The laws of the library, for parts of your own: hypothesis strategies, and batteries that check a part against them.

Strategies make valid values from small integers, so that ties, gaps and duplicates happen. A battery takes a rule,
an impurity, a pass or a policy, tries it on many trees or datasets, and fails with the smallest example it can find.
Needs the extra `testing`.
"""

from importlib.util import find_spec

if find_spec("hypothesis") is None:  # pragma: no cover - the test environment has it
    message = "ftree.testing needs hypothesis: pip install 'ftrees[testing]'"
    raise ImportError(message)

from ftree.testing.laws import chain, check_impurity, check_pass, check_policy, check_rule
from ftree.testing.strategies import datasets, frontiers, passes, policies, rules, schemas, splits, trees

__all__ = [
    "chain",
    "check_impurity",
    "check_pass",
    "check_policy",
    "check_rule",
    "datasets",
    "frontiers",
    "passes",
    "policies",
    "rules",
    "schemas",
    "splits",
    "trees",
]
__dir__ = __all__.copy  # dir() shows public names only
