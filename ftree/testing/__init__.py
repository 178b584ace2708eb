"""Hypothesis strategies for the library's values, and checks of users' parts against its laws.

Strategies make valid values from small integers, so that ties, missing values and duplicates occur. A check tries a part
such as a rule or a pass on many trees or datasets, and fails with the smallest example that it finds.
The package needs the extra `testing`.

`laws` runs a check on values that `strategies` and `part_strategies` draw; a `law` that fails shows what it says, the values, and
the name by which a part may be exempt from it. Each other file has the checks of one kind of part: what users call comes first,
then a function for each group of laws.
"""

from importlib.util import find_spec as _find_spec
from typing import TYPE_CHECKING

from ftree._lib import on_first_use
from ftree._lib.messages import how_to_install as _how_to_install

if _find_spec("hypothesis") is None:  # pragma: no cover - the test environment has it
    raise ImportError(f"hypothesis must be installed for ftree.testing, got none. {_how_to_install('testing')}")

if TYPE_CHECKING:
    from ftree.testing.choice_laws import check_choice as check_choice
    from ftree.testing.criteria_laws import check_impurity as check_impurity, check_score as check_score
    from ftree.testing.engine_laws import check_engine as check_engine, check_source as check_source
    from ftree.testing.export_cases import export_rows as export_rows
    from ftree.testing.export_laws import check_export as check_export
    from ftree.testing.joint_splitter_laws import check_joint_splitter as check_joint_splitter
    from ftree.testing.missing_laws import check_missing as check_missing
    from ftree.testing.part_strategies import (
        frontiers as frontiers,
        passes as passes,
        policies as policies,
        stopping_rules as stopping_rules,
    )
    from ftree.testing.pass_laws import check_pass as check_pass
    from ftree.testing.path_laws import check_path as check_path, check_path_choice as check_path_choice
    from ftree.testing.policy_laws import check_policy as check_policy
    from ftree.testing.response_laws import check_response as check_response
    from ftree.testing.rule_laws import check_rule as check_rule
    from ftree.testing.split_laws import check_split as check_split
    from ftree.testing.splitter_laws import Table as Table, check_splitter as check_splitter
    from ftree.testing.strategies import (
        chain as chain,
        datasets as datasets,
        schemas as schemas,
        splits as splits,
        trees as trees,
    )
else:
    on_first_use(__name__)
