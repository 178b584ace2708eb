"""Each extension is asked for the laws of its kind with fewer examples, since the library's parts are asked as well."""

import pytest


@pytest.fixture(autouse=True)
def _fewer(fewer):
    """As for the many parts of the library."""
