"""Trees, policies, passes and decisions as JSON, and files of it."""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.saving.save_and_load import from_json as from_json, load as load, save as save, to_json as to_json
else:
    on_first_use(__name__)
