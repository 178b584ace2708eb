"""The weather table: on which of 14 days somebody plays golf."""

from typing import Any

from ftree.data.dataset import Dataset

_FEATURES = ("outlook", "temperature", "humidity", "windy")
# Each day in both forms: outlook, temperature in words and in °F, humidity in words and in per cent, windy, play.
_DAYS: tuple[tuple[Any, ...], ...] = (
    ("sunny", "hot", 85, "high", 85, False, "no"),
    ("sunny", "hot", 80, "high", 90, True, "no"),
    ("overcast", "hot", 83, "high", 86, False, "yes"),
    ("rainy", "mild", 70, "high", 96, False, "yes"),
    ("rainy", "cool", 68, "normal", 80, False, "yes"),
    ("rainy", "cool", 65, "normal", 70, True, "no"),
    ("overcast", "cool", 64, "normal", 65, True, "yes"),
    ("sunny", "mild", 72, "high", 95, False, "no"),
    ("sunny", "cool", 69, "normal", 70, False, "yes"),
    ("rainy", "mild", 75, "normal", 80, False, "yes"),
    ("sunny", "mild", 75, "normal", 70, True, "yes"),
    ("overcast", "mild", 72, "high", 90, True, "yes"),
    ("overcast", "hot", 81, "normal", 75, False, "yes"),
    ("rainy", "mild", 71, "high", 91, True, "no"),
)


def weather(*, numeric: bool = False) -> Dataset:
    """14 days with 4 features; the target is whether to play (9 yes, 5 no). `numeric` gives temperature and humidity as numbers.

    Source: Quinlan (1986), "Induction of Decision Trees"; the numbers are those that Weka distributes.

    >>> weather()
    Dataset of 14 rows: outlook nominal(3), temperature nominal(3), humidity nominal(2), windy nominal(2) -> play: no 5, yes 9
    >>> weather(numeric=True)
    Dataset of 14 rows: outlook nominal(3), temperature numeric, humidity numeric, windy nominal(2) -> play: no 5, yes 9
    """
    temperature, humidity = (2, 4) if numeric else (1, 3)
    rows = [(day[0], day[temperature], day[humidity], day[5]) for day in _DAYS]
    return Dataset.from_rows(rows, [day[-1] for day in _DAYS], features=_FEATURES, target="play")
