"""Trees, policies, passes and decisions as JSON, and files of it.

    save_and_load.py    text and files; the header says which of three kinds of values follows:
      tree              json_trees.py: a schema (json_responses.py), and nodes as columns, so that depth costs no nesting
      part              json_parts.py: a policy, a rule or a pass, by its public name and its fields
      decisions         json_decisions.py
    json_values.py      values inside all of them: numbers, texts, times, tuples

`docs/exchange.md` describes the form, and `tests/saving/test_json.py` holds it to `exchange/ftree.schema.json`.

| to add | change | test in `tests/saving` |
|---|---|---|
| a type of values | `_TAGS` of json_values.py, and the two files above | `test_json.py` |
| a package of parts | `_PACKAGES` of json_parts.py | `test_json_parts.py` |
| a field of trees or schemas | json_trees.py, and the two files above | `test_json.py`, `tests/test_recipes.py` |
| a number in decisions | `_SCORES` of json_decisions.py | `test_json_parts.py` |
"""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.saving.save_and_load import from_json as from_json, load as load, save as save, to_json as to_json
else:
    on_first_use(__name__)
