"""Hypothesis strategies for the library's values, and checks of users' parts against its laws. It needs the extra `testing`.

Strategies make valid values from small integers, so that ties, missing values and duplicates occur. A check tries a part
such as a rule or a pass on many trees or datasets, and fails with the smallest example that it finds:

    values        strategies.py, part_strategies.py, export_cases.py
      |
    a check       what users call, then a function for each group of laws: of growth in criteria_laws.py, rule_laws.py,
                  splitter_laws.py, joint_splitter_laws.py, policy_laws.py, missing_laws.py, engine_laws.py; of trees in
                  split_laws.py, response_laws.py, pass_laws.py, path_laws.py, export_laws.py
      |
    the laws      laws.py: `check_laws`, or `check_stateless` for a part that is called twice, draws values; `law`, `equal` or
                  `same` shows what failed, and the name in `exempt` that skips it

| check | `oracle` returns, of what | `exempt` | further arguments |
|---|---|---|---|
| `check_choice` | a number for each candidate, of the candidates of a node | | |
| `check_engine` | | | |
| `check_export` | | deep, missing, names, unseen, users_splits | predict, counts, from_, missing, rules, given_trees |
| `check_impurity` | a number, of class counts | absent, concave, mixed, scale, symmetric | n_classes |
| `check_joint_splitter` | | best, found, score, units | n_classes |
| `check_missing` | the root's split, of a dataset and a policy | | |
| `check_pass` | a pruned tree or the decisions, of a tree | deep, once, order, pruning | given_trees, estimate |
| `check_path` | | | risk, given_trees |
| `check_path_choice` | the number of a tree, of leaves, errors and standard errors | order, smallest | |
| `check_policy` | a tree, of a dataset | apart, best, empty, names | n_classes |
| `check_response` | an answer, of rows | least | values, further |
| `check_rule` | a bool, of a frontier of one node | | at, rising, falling |
| `check_score` | a number, of children's counts and impurity | absent, proportional, scale, symmetric | n_children, n_classes |
| `check_source` | | | |
| `check_split` | a child, of a split and a row | | |
| `check_splitter` | a score and a split, of a `Table` and a measure | best, midway, score | n_classes |

To add a law, state it in the function of its group, and break it by a part in `tests/testing/test_check_<kind>.py`. To add a
part or an option, draw it in its strategy, which `test_strategies.py` compares with the public names. A law is as strong as its
values: ask `find(strategy, condition)` for one on which the option changes a result, or mark a case by `hypothesis.event("...")`
and run pytest with `--hypothesis-show-statistics`.
"""

from importlib.util import find_spec as _find_spec
from typing import TYPE_CHECKING

from ftree._lib import on_first_use
from ftree._lib.messages import how_to_install as _how_to_install

if _find_spec("hypothesis") is None:  # pragma: no cover - the test environment has it
    raise ImportError(f"hypothesis must be installed for ftree.testing, got none. {_how_to_install('testing')}")

if TYPE_CHECKING:
    from ftree.testing.splitter_laws import check_choice as check_choice
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
