"""The rows that a tree is grown of: those with a weight, as the policy for missing values prepares them."""

from ftree._lib.fields import name_of
from ftree._lib.messages import type_of
from ftree.data.dataset import Dataset, require_dataset
from ftree.growth.counted_table import CountedTable
from ftree.policy import Policy
from ftree.splitters.missing_hooks import hook


def prepared_table(dataset: Dataset | CountedTable, policy: Policy) -> Dataset | CountedTable:
    """The rows with a weight above 0, as the policy for missing values prepares them; a table that is counted elsewhere as it is.

    Raises a TypeError for arguments of other types, a ValueError for data without a case.

    >>> prepared_table(Dataset.from_rows([["a"], ["b"]], [0, 1], weights=[1, 0]), Policy())
    Dataset of 1 rows, weighted: x0 nominal(2) -> class: 0 1, 1 0
    """
    if not isinstance(dataset, CountedTable):
        require_dataset(dataset)
    if not isinstance(policy, Policy):
        message = f"policy must be a Policy, got {type_of(policy)}. Take ID3, or ID3.stopping(max_depth(3))."
        raise TypeError(message)
    if not isinstance(dataset, Dataset):
        return dataset
    weights = dataset.weights
    if not (len(dataset) if weights is None else weights.any()):
        message = f"dataset must have a row with a weight above 0, got {len(dataset)} rows without one."
        raise ValueError(message)
    # Rows of weight 0 would still add missing values, and values between which a threshold could lie.
    rows = dataset if weights is None or weights.all() else dataset.take(weights > 0)
    prepared = hook(policy.missing, "prepare")(rows)
    if not isinstance(prepared, Dataset):
        message = f"prepare of {name_of(policy.missing)} must return a Dataset, got {type_of(prepared)}."
        raise TypeError(message)
    return prepared
