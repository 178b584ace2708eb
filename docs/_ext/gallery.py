"""The gallery: every example runs as a script that is given a folder, and its page shows the picture that it leaves there."""

from pathlib import Path
from runpy import run_path
from typing import Any

from sphinx_gallery.scrapers import figure_rst

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "build" / "pictures"
ORDER = list(run_path(str(ROOT / "examples" / "__main__.py"))["NAMES"])


def place(file: str) -> int:
    """Where an example stands in the gallery; files that are shared by examples have no page."""
    name = Path(file).stem
    return ORDER.index(name) if name in ORDER else len(ORDER)


def arguments(_: Any, script: dict[str, Any]) -> list[str]:
    """What follows the name of a script, which runs in its own folder: the folder of pictures, for those that draw."""
    return ["../build/pictures"] if "def main(folder" in Path(script["src_file"]).read_text(encoding="utf-8") else []


def pictures(_: Any, script: dict[str, Any], settings: dict[str, Any]) -> str:
    """A scraper: moves the picture that a script has drawn to where the page looks for it."""
    drawn = PICTURES / f"{Path(script['src_file']).stem}.png"
    if not drawn.exists():
        return ""
    target = next(script["image_path_iterator"])
    drawn.replace(target)
    return str(figure_rst([target], settings["src_dir"]))
