"""Trees in other forms: nested dictionaries, programs, formats of other tools and libraries.

    Tree, rule --> ExportNodes          neutral_form.py  nodes in preorder: tests, shares of rows that pass none, counts
                        |               sums_of_nodes.py  what counts add up; plain_values.py  values that all languages have
      jumps.py          +-> Program     single tests with jumps, at any depth: python_source.py; c_source.py;
                        |               onnx_model.py, onnx_graph.py
      sql_conditions.py +-> Writer      tests in a dialect: sql.py  nested CASE, and what is computed
      pmml.py           +-> Predicates  tests on the children of a node
    dictionary.py, split_keys.py        dictionaries and back, from nodes themselves; `to_latex` is in `ftree.show.tex`
    others/                             other libraries' trees, by readers.py and split_readers.py

| to add | change | test in `tests/exchange` |
|---|---|---|
| a language | copy `python_source.py`, or `sql.py` for expressions | a consumer in `consumers.py` |
| an SQL dialect | `DIALECTS`, `DialectName`, the docstring of `to_sql` | `DATABASES` in `consumers.py` |
| a condition | `tree/conditions.py`; `lowered`, or each writer: they refuse others | `test_neutral_form.py` |

After a change of neutral_form.py or jumps.py run first `test_neutral_form.py`, `test_programs.py` and `test_linear_programs.py`;
of a writer or a reader the test of its name, and `-m consumer`, which runs what is written in the programs that are installed.
"""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.exchange.c_source import to_c as to_c
    from ftree.exchange.dictionary import from_dict as from_dict, to_dict as to_dict
    from ftree.exchange.onnx_model import to_onnx as to_onnx
    from ftree.exchange.others.boosted import from_lightgbm as from_lightgbm, from_xgboost as from_xgboost
    from ftree.exchange.others.from_pmml import from_pmml as from_pmml
    from ftree.exchange.others.only_thresholds import to_thresholds as to_thresholds
    from ftree.exchange.others.rpart_tables import from_rpart as from_rpart
    from ftree.exchange.others.scikit_learn import (
        forest_from_sklearn as forest_from_sklearn,
        from_sklearn as from_sklearn,
        to_sklearn as to_sklearn,
    )
    from ftree.exchange.others.weka_text import from_weka_text as from_weka_text
    from ftree.exchange.others.ydf import from_ydf as from_ydf
    from ftree.exchange.pmml import to_pmml as to_pmml
    from ftree.exchange.python_source import to_python as to_python
    from ftree.exchange.sql import to_sql as to_sql
    from ftree.exchange.neutral_form import ExportNode as ExportNode, ExportNodes as ExportNodes, export_nodes as export_nodes
    from ftree.show.tex import to_latex as to_latex
else:
    on_first_use(__name__)
