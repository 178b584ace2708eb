"""The order of the gallery, which is that of `python -m examples`."""

from pathlib import Path
from runpy import run_path

ORDER = list(run_path(str(Path(__file__).parents[2] / "examples" / "__main__.py"))["NAMES"])


def place(file: str) -> int:
    """Where an example stands in the gallery."""
    name = Path(file).stem
    return ORDER.index(name) if name in ORDER else len(ORDER)
