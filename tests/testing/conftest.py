"""What the tests of batteries share: a failure that is found, and not made simpler."""

from collections.abc import Iterator

import pytest
from hypothesis import Phase, settings


@pytest.fixture
def unshrunk() -> Iterator[None]:
    """Batteries report the first failure that they find: to simplify it takes many times as long."""
    name = settings.get_current_profile_name()
    enough = max(settings.default.max_examples if settings.default else 0, 100)
    settings.register_profile("unshrunk", settings.default, max_examples=enough, phases=(Phase.explicit, Phase.generate))
    settings.load_profile("unshrunk")
    yield
    settings.load_profile(name)
