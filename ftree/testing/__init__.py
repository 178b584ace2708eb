"""Hypothesis strategies for the library's values, and batteries that check users' parts against its laws.

Strategies make valid values from small integers, so that ties, missing values and duplicates occur. A battery (one per file)
tries a part such as a rule or a pass on many trees or datasets, and fails with the smallest example that it finds.
The package needs the extra `testing`.
"""

from importlib.util import find_spec

from ftree._lib.messages import how_to_install

if find_spec("hypothesis") is None:  # pragma: no cover - the test environment has it
    raise ImportError(f"hypothesis must be installed for ftree.testing, got none. {how_to_install('testing')}")

from ftree.testing.criteria_laws import check_impurity, check_rule, check_score
from ftree.testing.engine_laws import check_engine, check_source
from ftree.testing.export_laws import check_export, export_rows
from ftree.testing.missing_laws import check_missing
from ftree.testing.pass_laws import check_pass
from ftree.testing.path_laws import check_path, check_path_choice
from ftree.testing.policy_laws import check_policy
from ftree.testing.split_laws import check_split
from ftree.testing.splitter_laws import Table, check_choice, check_joint_splitter, check_splitter
from ftree.testing.strategies import chain, datasets, frontiers, passes, policies, schemas, splits, stopping_rules, trees

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
    "schemas",
    "splits",
    "stopping_rules",
    "trees",
]
__dir__ = __all__.copy  # dir() shows public names only
