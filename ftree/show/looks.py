"""How a tree's answers look in pictures: the colours, bars and words of each response.

Classes have a colour each, and a bar of their shares. Means have colours from blue by green to orange, lighter the larger they
are, and a bar of the range of all leaves, with a mark at the node's mean in a pale band of one deviation to each side.

Colour-blind readers can distinguish the eight colours: those of Okabe & Ito 2008, "Color Universal Design". A class has the same
colour in all pictures.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from math import floor, fsum, log10
from operator import itemgetter
from typing import Any, TypeAlias, cast

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array
from ftree.data.changes import codes_of_labels
from ftree.data.dataset import Dataset
from ftree.tree.fold import leaves
from ftree.tree.formats import format_number, printable
from ftree.tree.nodes import Tree
from ftree.tree.response import Counts, majority

# Blue and orange first, since most tables have two classes; yellow and black last, since they suit lines and areas least.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
# Where nothing is said about a class: axes, branches, what was cut.
GREY = "#767676"
# The share of the colour that remains in each further round: all, half, a quarter.
_TINTS = (1.0, 0.5, 0.25)
# The most classes that a legend names. It gives the number of the others; colours repeat long before.
IN_LEGEND = 40


def colour(number: int) -> str:
    """The colour of the class with this number, as #RRGGBB.

    From the ninth class on, the colours repeat as half tints, from the seventeenth on as quarter tints, and then from the
    start. Pictures of more than eight classes therefore need labels as well.

    >>> colour(0), colour(8), colour(24) == colour(0)
    ('#0072B2', '#80B8D8', True)
    """
    rounds, place = divmod(number, len(COLOURS))
    return tinted(COLOURS[place], _TINTS[rounds % len(_TINTS)])


def class_colours(classes: Iterable[Hashable]) -> dict[Hashable, str]:
    """The colour of each class, in schema order.

    >>> class_colours(("no", "yes"))
    {'no': '#0072B2', 'yes': '#E69F00'}
    """
    return {label: colour(number) for number, label in enumerate(classes)}


def tinted(shade: str, share: float, paper: str = "#FFFFFF") -> str:
    """A colour mixed with white, or with another `paper`; `share` of the colour remains.

    >>> tinted("#000000", 0.5), tinted("#0072B2", 1.0)
    ('#808080', '#0072B2')
    """
    pairs = zip(bytes.fromhex(shade[1:]), bytes.fromhex(paper[1:]), strict=True)
    return "#" + "".join(f"{round(other - share * (other - part)):02X}" for part, other in pairs)


# A part of a bar of length 1: its colour, start and length; of a chart of side 1: its colour, left, lower end, width and height.
BarPart: TypeAlias = tuple[str, float, float]
ChartPart: TypeAlias = tuple[str, float, float, float, float]
# Up to this many classes, all counts are shown.
_FEW_CLASSES = 3
# Three colours of the means' range, from the lower to the upper end, all of them, and how many a legend names.
SCALE = (COLOURS[0], COLOURS[2], COLOURS[1])
_SHADES = *(tinted(end, step / 10, start) for start, end in pairwise(SCALE) for step in range(10)), SCALE[-1]
_IN_LEGEND = 5
# A chart of other answers than classes has room for at most this many bars.
_MOST_BARS = 16
# The length of the mark at a mean in a bar, and the share of its colour that a band keeps.
_MARK, _BAND = 0.08, 0.35


@frozen
class ClassLooks:
    """The looks of classes: a node has the number, the colour and the label of its most frequent class.

    >>> looks = ClassLooks(("no", "yes"))
    >>> looks.label((1, 3)), looks.figures((1, 3)), list(looks.bar((1, 3)))
    ('yes', '1 : 3', [('#0072B2', 0.0, 0.25), ('#E69F00', 0.25, 0.75)])
    """

    classes: Sequence[Any]
    loss, ends, in_figures = "errors", ("0", "0.5", "1"), False
    cases, number, shade = staticmethod(fsum), staticmethod(majority), staticmethod(colour)

    def measure(self, *, has_costs: bool) -> str:
        """The share of right answers, or the mean cost of wrong ones."""
        return "mean cost" if has_costs else "accuracy"

    def numbers(self, table: Dataset) -> Array:
        """The number of each row's colour, (n,); -1 for a class that the tree does not have."""
        return codes_of_labels(table.schema.classes, self.classes)[table.target_column]

    def label(self, counts: Counts) -> str:
        """The answer of a node in a word."""
        return printable(self.classes[majority(counts)])

    def legend(self) -> list[tuple[str, Any]]:
        """Colours and what they stand for, for a legend."""
        return [(colour(number), label) for number, label in enumerate(self.classes)]

    def bar(self, counts: Counts) -> Iterator[BarPart]:
        """The classes' shares side by side; nothing without cases."""
        total, start = sum(counts), 0.0
        for number, count in enumerate(counts):
            if count:
                yield colour(number), start / total, count / total
            start += count

    def chart(self, counts: Counts) -> Iterator[ChartPart]:
        """A bar for each class, as high as its share."""
        each, total = 1 / len(counts), sum(counts) or 1
        for number, count in enumerate(counts):
            yield colour(number), (number + 0.1) * each, 0.0, 0.8 * each, count / total

    def n_bars(self, counts: Counts) -> int:
        """A bar for each class."""
        return len(counts)

    def figures(self, counts: Counts) -> str:
        """The counts of a few classes; for more classes, how many cases have the node's class."""
        if len(counts) <= _FEW_CLASSES:
            return " : ".join(format_number(count, decimals=1) for count in counts)
        return f"{format_number(counts[majority(counts)], decimals=1)} of {format_number(sum(counts), decimals=1)}"

    def words(self, counts: Counts) -> list[str]:
        """A line for each class that has cases."""
        pairs = zip(self.classes, counts, strict=True)
        return [f"{printable(label)}: {format_number(count, decimals=2)}" for label, count in pairs if count]


@frozen
class MeanLooks:
    """The looks of means, or other answers without classes, from `low` to `high`, which print with three digits of their range.

    Answers that are no numbers are placed by the response's figure, and print as the response writes them. A response with
    `chart(answer)` draws its answers: parts of a diagram, each with its left end, lower end, width and height in a unit square.

    >>> from ftree.tree.response import numbers
    >>> looks = MeanLooks(numbers(), 1.0, 5.0)
    >>> looks.label((3, 7, 17)), looks.number((3, 7, 17)), looks.figures((3, 7, 17)), looks.ends
    ('2.33', 7, '± 0.47 (3)', ['1', '3', '5'])
    """

    response: Any
    low: float
    high: float
    in_figures = True
    cases, shade = staticmethod(itemgetter(0)), staticmethod(_SHADES.__getitem__)

    @property
    def loss(self) -> str:
        """What an answer loses, in words."""
        return {"numbers": "squared error", "events": "deviance"}.get(self.response.kind, "loss")

    def measure(self, *, has_costs: bool) -> str:  # noqa: ARG002  # classes need it
        """The mean loss of a case."""
        return f"mean {self.loss}"

    @property
    def ends(self) -> list[str]:
        """The ends and the middle of the scale as texts; a diagram of the response may have its own, `chart_ends`."""
        return list(self.response.options.chart_ends) or [text for _, text in self.legend()][::2]

    def place(self, answer: float) -> float:
        """Where a number lies in the range, from 0 to 1; beyond it, at its end; 0.5 where all leaves answer alike."""
        wide = self.high - self.low
        return min(max((answer - self.low) / wide, 0.0), 1.0) if wide > 0 else 0.5

    def step(self, answer: float) -> int:
        """The number of the colour of a number."""
        return round((len(_SHADES) - 1) * self.place(answer))

    def number(self, counts: Counts) -> int:
        """The number of a node's colour."""
        return self.step(_figure(self.response, counts))

    def numbers(self, table: Dataset) -> Array:
        """The number of each row's colour, (n,)."""
        from ftree.data.channels import numbers_of_rows  # noqa: PLC0415  # pictures of trees alone ask no rows

        return np.array([self.step(value) for value in numbers_of_rows(table).tolist()], dtype=np.intp)

    def label(self, counts: Counts) -> str:
        """The mean in short."""
        answer = self.response.answer(counts)
        return self._text(answer) if isinstance(answer, float) else self.response.text(answer)

    def legend(self) -> list[tuple[str, Any]]:
        """Some colours with their numbers, after the response's `figure_name`; one, if all leaves answer alike."""
        name = self.response.options.figure_name
        wide, last = self.high - self.low, _IN_LEGEND - 1
        listed = [self.low + wide * (number / last) for number in range(_IN_LEGEND if wide > 0 else 1)]
        return [(self.shade(self.step(each)), f"{name} {self._text(each)}".lstrip()) for each in listed]

    def bar(self, counts: Counts) -> Iterator[BarPart]:
        """A mark at the mean, between the parts of a pale band of a deviation to each side; nothing without cases."""
        if not counts[0]:
            return
        mean, spread = _figure(self.response, counts), _spread(self.response, counts)
        shade, start = self.shade(self.step(mean)), (1 - _MARK) * self.place(mean)
        ends = self.place(mean - spread), start, start + _MARK, self.place(mean + spread)
        tones = tinted(shade, _BAND), shade, tinted(shade, _BAND)
        yield from ((tone, low, high - low) for tone, low, high in zip(tones, ends, ends[1:], strict=False) if high > low)

    def chart(self, counts: Counts) -> Iterator[ChartPart]:
        """The bar, upright; or the diagram of the response."""
        if self.response.options.chart is not None:
            shade = self.shade(self.number(counts))
            return ((shade, *part) for part in self.response.options.chart(self.response.answer(counts)))
        return ((shade, 0.25, start, 0.5, length) for shade, start, length in self.bar(counts))

    def n_bars(self, counts: Counts) -> int:
        """Room for as many bars as sums, up to a limit: a diagram has parts for each of several targets, or for times."""
        return min(len(counts), _MOST_BARS)

    def figures(self, counts: Counts) -> str:
        """The deviation of numbers, and the cases in parentheses."""
        spread = f"± {self._text(_spread(self.response, counts))} " if self.response.kind == "numbers" else ""
        return f"{spread}({format_number(counts[0], decimals=1)})"

    def words(self, counts: Counts) -> list[str]:
        """The mean in full, and the deviation; of other answers the sums, such as events and exposure; nothing without cases."""
        answer = self.response.text(self.response.answer(counts))
        if not counts[0]:
            return []
        if self.response.kind == "numbers":
            return [f"mean: {answer}", f"deviation: {self._text(_spread(self.response, counts))}"]
        shown = slice(1, self.response.options.sums_in_words)
        pairs = list(zip(self.response.channels, self.response.in_units(counts), strict=True))[shown]
        return [f"answer: {answer}", *(f"{name}: {format_number(float(total), decimals=2)}" for name, total in pairs)]

    def _text(self, number: float) -> str:
        digits = 2 - floor(log10(self.high - self.low)) if self.high > self.low else 6
        return format_number(round(number, digits), decimals=min(max(digits, 1), 15))


# What pictures ask of the answers of a tree; both classes have the same methods. Counts are those of a node, a number is that of
# a colour. If the label is `in_figures`, it begins the line of figures of a node that has another heading.
Looks: TypeAlias = ClassLooks | MeanLooks


def looks_of(*trees: Tree) -> Looks:
    """The looks of the answers of trees of one schema; means range over all leaves with cases, one deviation to each side."""
    schema, response = trees[0].schema, cast("Any", trees[0].schema.response)
    if schema.has_classes:
        return ClassLooks(schema.classes)
    counts = [leaf.counts for tree in trees for leaf in leaves(tree) if leaf.counts[0]] or [trees[0].root.counts]
    ends = [_figure(response, each) + side * _spread(response, each) for each in counts for side in (-1, 1)]
    return MeanLooks(response, min(ends), max(ends))


def _figure(response: Any, counts: Counts) -> float:
    """The mean of numbers; of other answers the number by which the response sorts them."""
    return float(response.answer(counts) if response.kind == "numbers" else response.order(np.array(counts, np.float64)))


def _spread(response: Any, counts: Counts) -> float:
    """The deviation of numbers; that of other answers is not in their unit, and 0 here."""
    return float(response.deviation(counts)) if response.kind == "numbers" else 0.0
