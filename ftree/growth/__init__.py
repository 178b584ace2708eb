"""Growing trees: `grow`, one level as a step, the search for splits, engines."""

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
