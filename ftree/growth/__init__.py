"""Growing trees: `grow`, two ways to grow, the search for splits, engines.

    grow             growing.py        checks its arguments, chooses a way, completes the tree
      prepare        given_table.py      the table as the policy takes it, bins and starts included (start.py)
                     settings.py         the parts of the policy that the search needs
    depth first      depth_first/      in C, where what_c_knows.py says yes
    level by level   levels.py         in NumPy, for all else; a step makes the next level:
      count          engines/            the classes of each value, feature and node
      search         search.py           the best split of each feature, then of each node; attach_surrogates.py adds to it
      stop, advance  levels.py           nodes are closed; rows go to the children of the others
    the tree         assemble.py       made of the nodes of both ways, whose splits are in arrays (split_arrays.py)

`definition.py` is the same as a recursion, in fewer than 200 lines, and every way grows its tree. Regression trees choose their
impurity and its unit first (regression.py). `docs/explanation/native.md` has the C library.

| to add | change | test that goes red |
|---|---|---|
| a stopping rule to C | `OPTIONS`, `LIMITS`, `StopLimits` in what_c_knows.py; `native.md` | `test_what_c_knows.py` |
| an option of a part to C | `OPTIONS`; `_options_of` in table_columns.py | the same |
| a splitter to C | `OPTIONS`, `SPLIT_KINDS`; `native.md` | the same, and `test_table_growth.py` |
| an impurity of classes to C | criteria/impurity.py; `native.md` | `tests/native/test_shared_numbers.py` |
| an engine | a class as `Plain` in engines/plain_engine.py | `check_engine` |

| after a change of | run first, in `tests/growth` |
|---|---|
| growing.py, given_table.py | `test_grow.py`, `test_engine_choice.py`; `tests/study/test_forests.py` asks `is_complete` |
| start.py | `test_start.py` |
| levels.py, search.py, settings.py, assemble.py | `test_definition.py`, `test_levels.py`, `test_inherited_state.py` |
| attach_surrogates.py, split_arrays.py, regression.py | the tests of their names |
| engines/ | `test_engines.py`, `test_native_counting.py` |
"""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.growth.attach_surrogates import attach_surrogates as attach_surrogates
    from ftree.growth.definition import by_definition as by_definition
    from ftree.growth.given_table import EngineChoice as EngineChoice, EngineName as EngineName
    from ftree.growth.engines import (
        CountsSides as CountsSides,
        Engine as Engine,
        EngineSetup as EngineSetup,
        Start as Start,
        parts_of as parts_of,
        plain as plain,
        unit_of as unit_of,
    )
    from ftree.growth.growing import grow as grow
    from ftree.growth.levels import Growth as Growth, step as step
    from ftree.growth.settings import search_settings as search_settings
else:
    on_first_use(__name__)
