"""Ready tables: small tables from textbooks, enumerated ones, seeded generators, noise, and published files by name.

Every function returns a `Dataset`. Tables are computed here; only `fetch` needs the network, once for each file.

    textbook.py, monks_problems.py    tables that stand here, or list all cases
    generators.py                     draws by a seed; noise in a table
    published.py                      files by name: an address, a checksum and a reader each

| to add | change | test in `tests/datasets` |
|---|---|---|
| a small table | `textbook.py`; name its source and its licence | `test_textbook.py`, against a source that stands apart |
| a generator | copy `led` in `generators.py`; `generator_of(seed)` draws | `test_generators.py`, by a figure that was published |
| a published file | its line in `published.py`, with its checksum | `PUBLISHED` of `test_published.py` |

Tables and generators are imported below and listed in `docs/datasets.md`; `names()` lists published files.
"""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.datasets.generators import (
        agrawal as agrawal,
        gaussian_clusters as gaussian_clusters,
        led as led,
        noisy_labels as noisy_labels,
        noisy_values as noisy_values,
        waveform as waveform,
        with_missing as with_missing,
    )
    from ftree.datasets.monks_problems import monks as monks
    from ftree.datasets.published import Original as Original, fetch as fetch, names as names, original as original
    from ftree.datasets.textbook import (
        auto_mpg as auto_mpg,
        balance_scale as balance_scale,
        fish as fish,
        lenses as lenses,
        linnerud as linnerud,
        lung as lung,
        parity as parity,
        rides as rides,
        tic_tac_toe as tic_tac_toe,
        titanic as titanic,
        weather as weather,
        xor as xor,
    )
else:
    on_first_use(__name__)
