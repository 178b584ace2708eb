"""Measured figures on pages: `docs/figures.json` is their only home, which benchmarks write (`--figures`).

    ```{figures} growth
    numeric-20k, entropy | 20,000 x 20 numbers, 2 classes, entropy
    ```

makes a table with a row for each case: its key, and how the page calls it. In a sentence, `{{ name }}` is a figure of `quoted`.
"""

import json
from pathlib import Path
from typing import Any

from docutils.nodes import Node
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

FIGURES = json.loads((Path(__file__).parents[1] / "figures.json").read_text(encoding="utf-8"))

_BLANK = "\N{NO-BREAK SPACE}"


def time(seconds: float) -> str:
    """Three digits, with the unit in which they are read."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            digits = seconds / size
            return f"{digits:.3g}{_BLANK}{unit}" if digits < 100 else f"{digits:.0f}{_BLANK}{unit}"  # noqa: PLR2004  # three digits
    return f"{seconds * 1e6:.1f}{_BLANK}µs"


def beside(seconds: float, *times: float) -> str:
    """Another library's time, and in brackets how many times as long it took."""
    return f"{time(seconds)} ({', '.join(map(str, times))})"


def times_as_long(library: str, *cases: str) -> str:
    """The smallest and the largest ratio of a library's time to ftree's, over some cases of growth."""
    found = [FIGURES["growth"][case][library][1] for case in cases]
    low, high = (f"{each:.0f}" if each >= 10 else f"{each:.1f}" for each in (min(found), max(found)))  # noqa: PLR2004  # two digits
    return low if low == high else f"{low} to {high}"


def span(room: str, *cases: str, library: str = "ftree") -> str:
    """The smallest and the largest time of a library in some cases of growth."""
    found = [FIGURES[room][case][library] for case in cases]
    return " to ".join(time(each) for each in sorted({each if isinstance(each, float) else each[0] for each in found}))


def quoted() -> dict[str, str]:
    """The figures that pages name in sentences and in short tables."""
    growth = FIGURES["growth"]
    cart, c45 = (FIGURES[each]["adult, 32,561 x 14"] for each in ("cart", "c45"))
    grown, million = ("numeric-100k, entropy", "numeric-100k, gini"), "predict, 1,000,000 rows"
    real = "real, mushroom", "real, car", "real, adult"
    spans = {
        f"grown_{size}{ending}": span("growth", *(f"numeric-{size}, {each}" for each in ("entropy", "gini")), library=library)
        for size in ("20k", "500k")
        for ending, library in (("", "ftree"), ("_sklearn", "scikit-learn"))
    }
    return {
        **spans,
        "grown_c45": time(c45["grown"]["ftree"]),
        "grown_cart": time(cart["grown"]["ftree"]),
        "predict_million": time(growth[million]["ftree"]),
        "predict_million_sklearn": time(growth[million]["scikit-learn"][0]),
        "predict_million_times_sklearn": times_as_long("scikit-learn", million),
        "predict_million_times_ydf": times_as_long("ydf", million),
        "predict_row": time(growth["predict, one row"]["ftree"]),
        "predict_row_times_sklearn": times_as_long("scikit-learn", "predict, one row"),
        "grown_times_sklearn": times_as_long("scikit-learn", *grown),
        "grown_times_ydf": times_as_long("ydf", *grown),
        "real_times_sklearn": times_as_long("scikit-learn", *real),
        "real_times_orange": times_as_long("Orange", *real),
        "forest_1k": time(FIGURES["forests"]["random forest, grow, 1k, 1 threads"]["ftree"]),
        "forest_1k_sklearn": time(FIGURES["forests"]["random forest, grow, 1k, 1 threads"]["scikit-learn"][0]),
        "rpart_grown_times": str(cart["grown"]["peer"][1]),
        "rpart_pruned_times": f"{cart['policy']['peer'][1]} to {cart['folds']['peer'][1]}",
        "j48_times": f"{c45['grown']['peer'][1]}, {c45['pruned']['peer'][1]}",
    }


class Figures(SphinxDirective):
    """A table of measured cases."""

    has_content = True
    required_arguments = 1

    def run(self) -> list[Node]:
        room = self.arguments[0]
        named = [line.split(" | ") for line in self.content if line.strip()]
        rows = [[title, *ROWS[room](FIGURES[room][key])] for key, title in named]
        head = HEADS[room]
        # Pages are Markdown, and so is what a directive on them parses.
        return self.parse_text_to_nodes("\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows]))


def growth_row(times: dict[str, Any]) -> list[str]:
    first = "scikit-learn", "ydf"
    others = [f"{name} {beside(*times[name])}" for name in times if name not in {"ftree", *first}]
    return [time(times["ftree"]), *[beside(*times[name]) if name in times else "" for name in first], "; ".join(others)]


def pairs_row(kinds: dict[str, dict[str, Any]]) -> list[str]:
    return [cell for each in kinds.values() for cell in (time(each["ftree"]), beside(*each["peer"]))]


ROWS: dict[str, Any] = {
    "growth": growth_row,
    "forests": lambda times: growth_row(times)[:-1],
    "regression": lambda times: growth_row(times)[:-1],
    "c45": pairs_row,
    "cart": pairs_row,
}
HEADS = {
    "growth": ["case", "ftree", "scikit-learn", "ydf CART", "others"],
    "forests": ["forest", "ftree", "scikit-learn", "ydf"],
    "regression": ["regression tree", "ftree", "scikit-learn", "ydf CART"],
    "c45": ["table", "``grow(data, C45)``", "J48 -U", "``c45(data)``", "J48"],
    "cart": [
        *("table", "``grow(data, CART)``", "rpart, ``cp = 0``", "``cart(data)``, ten folds", "rpart, ``xval = 10``"),
        *("``cart(data, policy=cart_policy(), cp=0.01)``", "rpart"),
    ],
}


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("figures", Figures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
