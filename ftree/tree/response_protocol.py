"""What a response must and may have: one of your own, and the response of a schema, which the library asks.

A response of your own has five members, and may have others (`ResponseOptions`). It is any value, such as an object of a frozen
attrs class: nothing is registered, and no class is a base. `exact_sums` makes a `Response` of a schema of it; everything else in
the library reads the optional members from `schema.response.options`.

The life of a response of your own, in the order in which `exact_sums` (additive.py) calls its members:

    1. a table is read      check, of, add       `of` fixes what rows decide; what rows add gives each sum its grid
    2. `structure`, if any  another response     data/changes.py: the tree grows by that one, then `recount` goes on with 3
    3. a root is fixed      add, at_root, add    `at_root` gets the sums of all cases; then rows may add something else
    4. splits are measured  figure, score        nominal values in the order of figures; the score, or the losses of `growing`
    5. nodes answer         answer, loss, text   and in pictures names, chart
    6. rows answer          row                  the answers of leaves with the rows' own cells

Its functions get each sum as an argument of its own, with an entry for each node, (...): `channels` names these arguments.
The functions of a `Response` get one array (..., C), with the C sums on the last axis; `score` gets lists of C sums.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from attrs import field, fields, frozen

from ftree._lib.arrays import Array, Floats
from ftree._lib.fields import as_tuple
from ftree._lib.messages import short_repr

# What the cases of a node add up to: those of each class; or their number, the sum of their numbers, and that of the squares.
Sums: TypeAlias = Sequence[float]
_Names: TypeAlias = tuple[str, ...]


class OwnResponse(Protocol):
    """What every response of your own has: what rows add to the sums of a node, what nodes answer, and what answers lose.

    Its functions broadcast: they get arrays with all rows of a table, or with all nodes of a level.

    >>> from attrs import frozen
    >>> from ftree.tree import exact_sums
    >>> @frozen
    ... class means:
    ...     kind, channels = "means", ("cases", "total", "squares")
    ...     def add(self, values):
    ...         return values, values**2
    ...     def answer(self, cases, total, squares):
    ...         return total / cases
    ...     def loss(self, answer, cases, total, squares):
    ...         return squares - 2 * answer * total + cases * answer**2
    >>> exact_sums(means()).answer((2, 5, 13)), exact_sums(means()).risk((2, 5, 13))
    (2.5, 0.5)
    """

    @property
    def kind(self) -> str:
        """A plural that fits "a tree of ..."."""
        ...

    @property
    def channels(self) -> _Names:
        """The names of the sums of a node, of which the first, "cases", counts the cases."""
        ...

    def add(self, values: Floats, /, *further: Floats) -> Sequence[Floats]:
        """What rows with these numbers (n,) add to each sum but the first, (n,) each; `further` are its other columns."""
        ...

    def answer(self, *sums: Any) -> Any:
        """The answers of nodes: a number each, (...), a label each, or some numbers each, (..., K); any without cases."""
        ...

    def loss(self, answer: Any, /, *sums: Any) -> Any:
        """The losses of answers on cases with these sums; no answer loses less than the cases' own."""
        ...


_REQUIRED = tuple(name for name in vars(OwnResponse) if not name.startswith("_"))
_LACKING = object()


@frozen(kw_only=True)
class ResponseOptions:
    """What a response of your own may have besides, by the names of its members, and what holds for one that lacks them.

    A table in docs/how_to/own_response.md tells of each member what it is, what happens without it, and which files ask for it.
    `ftree.responses` has examples: `several` has `squared`, `survival` has `structure` and `chart`, `linear` has `row`.

    >>> ResponseOptions().further_targets, ResponseOptions().squared
    ((), 0)
    """

    # The columns that it reads.
    target: str | None = None
    further_targets: _Names = field(default=(), converter=as_tuple)
    row_features: _Names = field(default=(), converter=as_tuple)
    coded: Mapping[str, _Names] = field(factory=dict)
    check: Callable[..., None] | None = None
    # What is fixed by rows.
    of: Callable[..., Any] | None = None
    at_root: Callable[..., Any] | None = None
    # Sums of a special form.
    squared: int = 0
    truths: int = 0
    # Answers of nodes.
    labels: _Names = field(default=(), converter=as_tuple)
    names: Callable[[], Sequence[str]] | None = None
    text: Callable[[Any], str] | None = None
    figure: Callable[..., Any] | None = None
    # Answers of rows.
    row: Callable[..., Any] | None = None
    row_sum: bool = False
    # Growth.
    growing: Any = None
    score: Callable[[Any, Any], Any] | None = None
    structure: Callable[..., tuple[Any, ...]] | None = None
    any_division: bool = False
    # Tests of instability.
    complete: Callable[..., Any] | None = None
    scores: Callable[..., Floats] | None = None
    squared_scores: Callable[..., Floats] | None = None
    # Pictures.
    chart: Callable[[Any], Any] | None = None
    chart_ends: _Names = field(default=(), converter=as_tuple)
    figure_name: str = ""
    sums_in_words: int | None = None


def options_of(own: Any) -> ResponseOptions:
    """The optional members of a response of one's own.

    >>> from ftree.responses import several
    >>> options_of(several(["lime", "ash"])).further_targets
    ('ash',)
    """
    members: dict[str, Any] = {each.name: getattr(own, each.name, _LACKING) for each in fields(ResponseOptions)}
    return ResponseOptions(**{name: member for name, member in members.items() if member is not _LACKING})


def as_own_response(own: Any) -> Any:
    """A converter: a response of one's own is returned unchanged. Raises a ValueError for anything else.

    >>> from ftree.responses import events
    >>> as_own_response(events("years"))
    events(exposure='years', shrink=1.0, rate=0.0)
    """
    if isinstance(own, type) or not all(hasattr(own, name) for name in _REQUIRED):
        wanted = "'numbers', 'events', 'classes', None, or a response such as events('years')"
        raise ValueError(f"response must be {wanted}, got {short_repr(own)}. None decides by the labels.")
    return own


# What the library asks of the response of a schema


class Response(Protocol):
    """What a tree answers, and the sums of cases from which it does, in C channels.

    `classes`, `numbers` and `exact_sums` are the responses; `schema.response` is that of a schema.

    >>> from ftree import Schema
    >>> Schema((), "ride", ("no", "yes")).response.answer((3, 1))
    'no'
    """

    @property
    def kind(self) -> str:
        """The kind in a word: "classes", "numbers", "events", or the kind of a response of one's own."""
        ...

    @property
    def channels(self) -> tuple[Hashable, ...]:
        """The names of a node's sums: the labels of classes; of another response "cases", and others."""
        ...

    @property
    def options(self) -> ResponseOptions:
        """The members that only some responses have."""
        ...

    @property
    def further_targets(self) -> tuple[str, ...]:
        """The names of the columns that say what a row answers, besides the target: the exposure of events; of most, none."""
        ...

    @property
    def row_features(self) -> tuple[str, ...]:
        """The names of those that stay features, since answers depend on a row's values of them; of most, none."""
        ...

    def weight(self, sums: Any, /) -> Any:
        """The number of cases, (...), in an array of sums (..., C)."""
        ...

    def answer(self, sums: Sums, /) -> Any:
        """What a node with these sums predicts."""
        ...

    def risk(self, sums: Sums, /) -> float:
        """The loss of a node's answer on its own cases."""
        ...

    def loss(self, answer: Any, sums: Sums, /) -> float:
        """The loss of an answer on cases with these sums."""
        ...

    def text(self, answer: Any, /) -> str:
        """The answer as it prints."""
        ...


class ResponseOfSums(Response, Protocol):
    """What `numbers` and `exact_sums` have besides: what rows add, in multiples of a unit, and answers of many nodes at once."""

    @property
    def part(self) -> Any:  # a float; pyright takes a field with a converter for a descriptor
        """The power of two whose multiples the sums are, if there are parts of cases."""
        ...

    @property
    def centre(self) -> Any:  # as above
        """The number from which that of the target counts."""
        ...

    @property
    def squared(self) -> int:
        """How many numbers have squared errors, and sums of their squares."""
        ...

    @property
    def widths(self) -> tuple[int, ...]:
        """How many limbs each sum but the first has, relative to the others."""
        ...

    def of(self, values: Any, /, *further: Any) -> Any:
        """The response for rows with these numbers."""
        ...

    def fitting(self, values: Any, /, *further: Any) -> Any:
        """The response for other rows; the same one if it fits them."""
        ...

    def at_root(self, weights: Any, values: Any, /, *further: Any) -> Any:
        """The response of a tree with these rows."""
        ...

    def check(self, values: Any, /, *further: Any) -> None:
        """Raise a ValueError for rows that the response refuses."""
        ...

    def wholes(self, values: Any, /, *further: Any) -> Sequence[Array]:
        """What rows add to all channels but the first, in multiples of the units."""
        ...

    def answers(self, sums: Any, /) -> Array:
        """What nodes with these sums (..., C) answer, equal to `answer` of each."""
        ...

    def order(self, sums: Any, /) -> Array:
        """A number of nodes, by which the values of nominal features are sorted and nodes are coloured."""
        ...

    def losses_of_rows(self, answers: Any, sums: Any, /) -> Any:
        """The losses of answers on rows, given the sums (n, C) of one case of each."""
        ...

    def risks(self, nodes: Sequence[Any], /) -> Floats:
        """The risk of each of many nodes."""
        ...

    def deviation(self, sums: Any, /) -> float:
        """The root of the risk of a case."""
        ...

    def row(self, answers: Any, cells: Any, /) -> Any:
        """The answers of rows, given those of their leaves and the cells of `row_features`."""
        ...
