"""What each reader of files returns: columns before they are coded, and what only the file declares."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any

from attrs import evolve, field, frozen

from ftree.data.table import Origin
from ftree.data.values import MISSING_WORDS, in_order
from ftree.tree.schema import Feature, Schema


@frozen(eq=False)
class FileTable:
    """Columns by name, and the values that mean missing.

    `texts` are the missing texts in columns that are read as floats, by name; `declared` are the values that the file
    itself declares for a column, in order; `weights` are those of rows, as texts.
    """

    columns: Mapping[str, Any]
    missing: Collection[Hashable] = MISSING_WORDS
    texts: Mapping[str, Collection[Hashable]] = field(factory=dict)
    declared: Mapping[str, Sequence[str]] = field(factory=dict)
    weights: Sequence[str] | None = None

    def origins(self, origins: Sequence[Origin]) -> list[Origin]:
        """Origins that do not depend on the reader of the numbers, with the texts for missing values."""
        return [self._origin(origin) if origin.name in self.texts else origin for origin in origins]

    def schema(self, inferred: Schema, *, keep_classes: bool) -> Schema:
        """The schema with the declared values of nominal features, and with the declared classes unless others are given.

        A target without classes keeps its response.
        """
        declared = evolve(inferred, features=[self._feature(feature) for feature in inferred.features])
        if keep_classes or not inferred.has_classes or inferred.target not in self.declared:
            return declared
        return evolve(declared, classes=self.declared[inferred.target])

    def _origin(self, origin: Origin) -> Origin:
        reason = "numbers" if origin.reason.startswith("numbers of type") else origin.reason
        return Origin(origin.name, reason, in_order(self.texts[origin.name]))

    def _feature(self, feature: Feature) -> Feature:
        declared = self.declared.get(feature.name)
        return feature if declared is None or feature.kind != "nominal" else evolve(feature, values=declared)
