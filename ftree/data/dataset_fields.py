"""The base of the parts of a `Dataset`: its fields, its columns by name, and the same table with other fields."""

from collections.abc import Sequence
from typing import Any, Self, cast

from attrs import evolve

from ftree.data.origins import Origin
from ftree.data.outward import NamedColumn, named_columns
from ftree.data.values import Column
from ftree.tree.schema import Schema, unknown_name


class DatasetFields:
    """The fields of a `Dataset`, for the classes that have its methods."""

    __slots__ = ()

    schema: Schema
    columns: tuple[Column, ...]
    labels: Column
    weights: Column | None
    origins: tuple[Origin, ...]

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.labels)

    def _all(self, *, weighted: bool = False) -> list[NamedColumn]:
        """All columns with their features; the target last, as a nominal one; then weights, if there are any."""
        return named_columns(self.schema, self.columns, self.labels, self.weights if weighted else None)

    def _column(self, name: str) -> NamedColumn:
        by_name = {pair[0].name: pair for pair in self._all()}
        if name not in by_name:
            raise KeyError(unknown_name(name, tuple(by_name)))
        return by_name[name]

    def _of(self, pairs: Sequence[NamedColumn], target: str) -> Self:
        """The same rows with other columns, one of which is the target."""
        features, columns = zip(*(pair for pair in pairs if pair[0].name != target), strict=True)
        values, labels = next((feature.values, column) for feature, column in pairs if feature.name == target)
        unchanged = {feature.name for feature in features if feature in self.schema.features}
        origins = [origin for origin in self.origins if origin.name in unchanged]
        return self._with(schema=Schema(features, target, values), columns=columns, labels=labels, origins=origins)

    def _with(self, **fields: Any) -> Self:
        changed: Self = evolve(cast("Any", self), **fields)  # a subclass has the fields
        return changed
