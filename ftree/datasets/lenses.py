"""Contact lenses: the kind that is prescribed, for every combination of four features."""

from itertools import product

from ftree.data.dataset import Dataset

_VALUES = {
    "age": ("young", "pre", "presbyopic"),
    "prescript": ("myope", "hyper"),
    "astigmatic": ("no", "yes"),
    "tearRate": ("reduced", "normal"),
}


def lenses() -> Dataset:
    """24 patients with 4 features, enumerated; the target is the kind of lenses (4 hard, 15 no lenses, 5 soft).

    Source: Cendrowska (1987), "PRISM: An algorithm for inducing modular rules"; names as in *Machine Learning in Action*.

    >>> lenses().class_counts()
    (4, 15, 5)
    """
    patients = list(product(*_VALUES.values()))
    return Dataset.from_rows(patients, [_prescribed(*each) for each in patients], features=tuple(_VALUES), target="lenses")


def _prescribed(age: str, prescript: str, astigmatic: str, tear_rate: str) -> str:
    if tear_rate == "reduced":
        return "no lenses"
    if astigmatic == "no":
        return "no lenses" if (age, prescript) == ("presbyopic", "myope") else "soft"
    return "hard" if prescript == "myope" or age == "young" else "no lenses"
