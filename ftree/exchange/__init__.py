"""Trees in other forms: nested dictionaries, programs, formats of other tools and libraries.

    Tree, rule for missing values
      |
      v
    ExportNodes    neutral_form.py    nodes in preorder: tests, shares of a row that passes none, counts; sums_of_nodes.py
      |                               the answers of trees without classes; plain_values.py  values that all programs have
      +-- jumps.py ----> Program      single tests with two targets, so programs of any depth
      |     |                         python_source.py; c_source.py, c_names.py; onnx_model.py, onnx_graph.py, onnx_trees.py
      +-- Writer ------> SQL          sql.py    nested CASE; sql_conditions.py  dialects, tests; sql_answers.py  what is computed
      +-- Predicates --> PMML         pmml.py   its nodes, which have the tests as predicates

    dictionary.py, split_keys.py      nested dictionaries and back, from the tree itself; to_latex is in `ftree.show.tex`
    others/                           other libraries' trees: a reader each; split_readers.py, pmml_predicates.py  texts as splits

| to add | change | test in `tests/exchange` |
|---|---|---|
| a language | copy `python_source.py` for single tests, `sql.py` for expressions | a consumer in `consumers.py` |
| an SQL dialect | `DIALECTS` of `sql_conditions.py`, `DialectName`, the docstring of `to_sql` | `DATABASES` of `consumers.py` |
| a condition | `Condition` in `tree/conditions.py`; `lowered`, or each writer, which else refuses it | `test_neutral_form.py` |
| a response | a quotient of sums in `sums_of_nodes.py` | `test_programs.py` |
| a library | a file in `others/`, by `readers.py` | a file in `others/` |
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
