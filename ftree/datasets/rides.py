"""The riding table: on which of six days somebody rides."""

from ftree.data.dataset import Dataset

_DAYS = (
    (("Sunny", "Warm", "Normal", "Low"), "yes"),
    (("Sunny", "Cold", "Normal", "Low"), "no"),
    (("Rainy", "Warm", "High", "Low"), "yes"),
    (("Sunny", "Hot", "High", "Medium"), "yes"),
    (("Sunny", "Hot", "Normal", "High"), "no"),
    (("Rainy", "Warm", "High", "High"), "no"),
)


def rides() -> Dataset:
    """6 days with 4 features; the target is whether to ride (3 yes, 3 no).

    A tree splits on Wind, then on Temperature; the value Hot does not occur where Wind is Low.

    Source: teaching texts on decision trees, after Mitchell (1997), *Machine Learning*, chapter 3.

    >>> rides()
    Dataset of 6 rows: Sky nominal(2), Temperature nominal(3), Humidity nominal(2), Wind nominal(3) -> ride: no 3, yes 3
    """
    return Dataset.from_pairs(_DAYS, features=("Sky", "Temperature", "Humidity", "Wind"), target="ride")
