"""The laws of the library, for parts of your own: hypothesis strategies, and batteries that check a part against them.

Strategies make valid values from small integers, so that ties, gaps and duplicates happen. A battery takes a rule,
an impurity, a pass or a policy, tries it on many trees or datasets, and fails with the smallest example it can find.
Needs the extra `testing`.
"""

try:
    import hypothesis  # noqa: F401  # asked for here, so that the error names the extra
except ImportError as error:  # pragma: no cover - the test environment has it
    message = "ftree.testing needs hypothesis: pip install 'ftrees[testing]'"
    raise ImportError(message) from error

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
