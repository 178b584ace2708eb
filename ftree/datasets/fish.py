"""The fish table: which of five sea animals are fish."""

from ftree.data.dataset import Dataset


def fish() -> Dataset:
    """5 animals with 2 features, each 0 (no) or 1 (yes); the target is whether the animal is a fish (2 yes, 3 no).

    Source: Harrington (2012), *Machine Learning in Action*, chapter 3.

    >>> fish()
    Dataset of 5 rows: no surfacing nominal(2), flippers nominal(2) -> fish: no 3, yes 2
    """
    rows = [(1, 1), (1, 1), (1, 0), (0, 1), (0, 1)]
    labels = ["yes", "yes", "no", "no", "no"]
    # 0 and 1 stand for no and yes; as numbers they would make numeric features.
    return Dataset.from_rows(rows, labels, features=["no surfacing", "flippers"], target="fish", kinds="nominal")
