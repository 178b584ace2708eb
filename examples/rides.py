"""Arya's rides: six days, and on which of them she rode.

One learns to read a tree as logic: a path is a conjunction, a class the disjunction of its paths, which is the
disjunctive normal form (DNF). And one sees what the tree says of a value it never saw at that place: it follows all
routes below and lets the cases there vote, unless told otherwise.
"""

from ftree import Dataset, Tree, dnf, grow, holds, latex, path_of, predict, predict_counts

FEATURES = ("Sky", "Temperature", "Humidity", "Wind")
DAYS = [
    (("Sunny", "Warm", "Normal", "Low"), "yes"),
    (("Sunny", "Cold", "Normal", "Low"), "no"),
    (("Rainy", "Warm", "High", "Low"), "yes"),
    (("Sunny", "Hot", "High", "Medium"), "yes"),
    (("Sunny", "Hot", "Normal", "High"), "no"),
    (("Rainy", "Warm", "High", "High"), "no"),
]

# A hot day was seen in medium and in high wind, never in low wind.
UNSEEN = {"Sky": "Sunny", "Temperature": "Hot", "Humidity": "Normal", "Wind": "Low"}


def rides() -> Dataset:
    return Dataset.from_pairs(DAYS, features=FEATURES, target="ride")


def votes(tree: Tree, day: dict[str, str]) -> dict[str, float]:
    """How many known days speak for each answer."""
    return dict(zip(tree.schema.classes, predict_counts(tree, day).tolist(), strict=True))


def main() -> None:
    days = rides()
    tree = grow(days)
    print(f"{days}\n\n{tree}\n\nShe rides if {dnf(tree, 'yes')}.\nShe stays if {dnf(tree, 'no')}.")
    print(f"\nThe same for a paper:\n{latex(dnf(tree, 'yes'))}")
    riding = [holds(dnf(tree, "yes"), dict(zip(FEATURES, day, strict=True))) for day, _ in DAYS]
    print(f"\nThe formula on the six days: {riding}")
    print(f"\nA hot day with little wind was never seen: {UNSEEN}")
    print(f"  all routes below Wind = Low vote {votes(tree, UNSEEN)}, so the answer is {predict(tree, UNSEEN)!r}")
    print(f"  following the most frequent branch instead: {path_of(tree, UNSEEN)}")
    print(f"  no formula knows the day: yes {holds(dnf(tree, 'yes'), UNSEEN)}, no {holds(dnf(tree, 'no'), UNSEEN)}")


if __name__ == "__main__":
    main()
