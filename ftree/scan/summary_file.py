"""The summary of a source as plain values for JSON, and back."""

from base64 import b64decode, b64encode
from collections.abc import Hashable
from typing import Any

import numpy as np

from ftree._lib.messages import short_repr
from ftree.scan.bins import Bins
from ftree.scan.parts import SourceSummary
from ftree.tree.schema import Feature, Schema


def summary_to_fields(summary: SourceSummary) -> dict[str, Any]:
    """Plain values. Raises a TypeError for values of features or classes that are not texts, numbers, booleans or None."""
    schema = summary.schema
    return {
        "features": [_feature(feature, bins) for feature, bins in zip(schema.features, summary.bins, strict=True)],
        "target": schema.target,
        "classes": [_plain(label) for label in schema.classes],
        "class_counts": list(map(int, summary.class_counts)),
        "gaps": sorted(summary.gaps),
        "n_rows": summary.n_rows,
    }


def summary_from_fields(fields: dict[str, Any]) -> SourceSummary:
    """The summary made from plain values."""
    features = [Feature(each["name"], each["kind"], each["values"], time=each["time"]) for each in fields["features"]]
    bins = [None if each["edges"] is None else _bins(each) for each in fields["features"]]
    counts, gaps = tuple(map(int, fields["class_counts"])), frozenset(map(int, fields["gaps"]))
    schema = Schema(features, fields["target"], fields["classes"])
    return SourceSummary(schema, counts, gaps, tuple(bins), int(fields["n_rows"]))


def _feature(feature: Feature, bins: Bins | None) -> dict[str, Any]:
    values = [_plain(value) for value in feature.values]
    own = {"name": feature.name, "kind": feature.kind, "values": values, "time": feature.time, "edges": None}
    if bins is None:
        return own
    # As bytes, so that no digit is lost, and reading makes no object of each.
    return {
        **own,
        "edges": b64encode(bins.edges.astype("<f8").tobytes()).decode(),
        "single": np.flatnonzero(bins.single).tolist(),
    }


def _bins(fields: dict[str, Any]) -> Bins:
    edges = np.frombuffer(b64decode(fields["edges"]), dtype="<f8").astype(np.float64)
    single = np.zeros(len(edges) + 1, dtype=bool)
    single[fields["single"]] = True
    return Bins(edges, single)


def _plain(value: Hashable) -> Any:
    if value is None or type(value) in (str, int, float, bool):
        return value
    message = f"Values of an encoded table must be texts, numbers, booleans or None, got {short_repr(value)}."
    raise TypeError(message)
