"""The rows from which a tree is grown: those with a weight, with numbers binned and missing values prepared by the policy."""

from typing import Any

from ftree._lib.fields import name_of
from ftree._lib.messages import type_of
from ftree.data.dataset import Dataset, require_dataset
from ftree.growth.number_bins import Ends, bins_of, in_bins
from ftree.policy import Policy
from ftree.splitters.missing_hooks import hook


def prepared_table(dataset: Dataset, policy: Policy) -> tuple[Dataset, Ends | None]:
    """The rows with a weight above 0, with numbers binned and missing values prepared by the policy.

    The ends of bins are None for a policy without bins.

    Raises a TypeError for arguments of other types, a ValueError for a dataset without cases, and for bins that do not fit.

    >>> prepared_table(Dataset.from_rows([["a"], ["b"]], [0, 1], weights=[1, 0]), Policy())[0]
    Dataset of 1 rows, weighted: x0 nominal(2) -> class: 0 1, 1 0
    """
    require_policy(policy)
    rows, most = rows_with_weight(dataset), bins_of(policy)
    binned, ends = (rows, None) if most is None else in_bins(rows, most)
    prepared = hook(policy.missing, "prepare")(binned)
    if not isinstance(prepared, Dataset):
        message = f"prepare of {name_of(policy.missing)} must return a Dataset, got {type_of(prepared)}."
        raise TypeError(message)
    return prepared, ends


def rows_with_weight(dataset: Dataset) -> Dataset:
    """The rows with a weight above 0. Raises a TypeError for anything but a dataset, a ValueError for one without cases."""
    require_dataset(dataset)
    weights = dataset.weights
    if not (len(dataset) if weights is None else weights.any()):
        message = f"dataset must have a row with a weight above 0, got {len(dataset)} rows without one."
        raise ValueError(message)
    # Rows of weight 0 would add missing values, and values between which a threshold could lie.
    return dataset if weights is None or weights.all() else dataset.take(weights > 0)


def require_policy(policy: Any) -> None:
    """Raise a TypeError for anything that is not a policy.

    >>> require_policy("ID3")
    Traceback (most recent call last):
    TypeError: policy must be a Policy, got a str. Use ID3, or ID3.stopping(max_depth(3)).
    """
    if not isinstance(policy, Policy):
        message = f"policy must be a Policy, got {type_of(policy)}. Use ID3, or ID3.stopping(max_depth(3))."
        raise TypeError(message)
