"""`docs/figures.json`, the only home of figures that pages state: benchmarks write what they measured, with `--figures`."""

import json
import sys
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "docs" / "figures.json"


def keep(benchmark: str, measured: dict[str, Any]) -> None:
    """Put the cases of a benchmark into the file, where `--figures` asks for it; cases that were not run stay as they are."""
    if "--figures" not in sys.argv:
        return
    figures = json.loads(FILE.read_text(encoding="utf-8"))
    figures.setdefault(benchmark, {}).update(measured)
    FILE.write_text(json.dumps(figures, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
