"""Hypothesis strategies for the library's values, and batteries that check users' parts against its laws.

Strategies make valid values from small integers, so that ties, missing values and duplicates occur. A battery (one per file)
tries a part such as a rule or a pass on many trees or datasets, and fails with the smallest example that it finds.
The package needs the extra `testing`.
"""

from importlib.util import find_spec

if find_spec("hypothesis") is None:  # pragma: no cover - the test environment has it
    message = "hypothesis must be installed for ftree.testing, got none. Run pip install 'ftrees[testing]'."
    raise ImportError(message)

from ftree.testing.chain import chain
from ftree.testing.check_choice import check_choice
from ftree.testing.check_engine import check_engine
from ftree.testing.check_export import check_export
from ftree.testing.check_impurity import check_impurity
from ftree.testing.check_joint_splitter import check_joint_splitter
from ftree.testing.check_missing import check_missing
from ftree.testing.check_pass import check_pass
from ftree.testing.check_path import check_path
from ftree.testing.check_path_choice import check_path_choice
from ftree.testing.check_policy import check_policy
from ftree.testing.check_rule import check_rule
from ftree.testing.check_score import check_score
from ftree.testing.check_source import check_source
from ftree.testing.check_split import check_split
from ftree.testing.check_splitter import check_splitter
from ftree.testing.export_rows import export_rows
from ftree.testing.strategies import datasets, frontiers, passes, policies, rules, schemas, splits, trees
from ftree.testing.tables import Table

__all__ = [
    "Table",
    "chain",
    "check_choice",
    "check_engine",
    "check_export",
    "check_impurity",
    "check_joint_splitter",
    "check_missing",
    "check_pass",
    "check_path",
    "check_path_choice",
    "check_policy",
    "check_rule",
    "check_score",
    "check_source",
    "check_split",
    "check_splitter",
    "datasets",
    "export_rows",
    "frontiers",
    "passes",
    "policies",
    "rules",
    "schemas",
    "splits",
    "trees",
]
__dir__ = __all__.copy  # dir() shows public names only
