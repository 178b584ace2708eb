"""A response of your own: the five members that it must have, and those that it may have, with what holds without them.

It is any value, such as an object of a frozen attrs class. Nothing is registered, and no class is a base. `exact_sums` makes a
response of a schema of it; everything else in the library reads the optional members from `schema.response.options`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from attrs import field, fields, frozen

from ftree._lib.arrays import Floats
from ftree._lib.fields import as_tuple
from ftree._lib.messages import short_repr

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
