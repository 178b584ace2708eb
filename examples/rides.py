"""A tree as a formula
===================

One learns to read a tree as logic: a path is a conjunction, a class the disjunction of its paths, which is the disjunctive
normal form (DNF). On six days Arya rode or did not. One sees how the tree predicts a value that it never saw at that node,
where a textbook draws a leaf "None": the row follows all branches below, and the class counts there are added up, unless told
otherwise.
"""

from ftree import Dataset, Tree, dnf, grow, holds, latex, path_of, predict, predict_counts
from ftree.datasets import rides

# A hot day was seen in medium and in high wind, never in low wind.
UNSEEN = {"Sky": "Sunny", "Temperature": "Hot", "Humidity": "Normal", "Wind": "Low"}


def day_by_day(dataset: Dataset) -> list[dict[str, str]]:
    """Each day's values by the names of the features."""
    columns = zip(dataset.schema.features, dataset.columns, strict=True)
    named = [[(feature.name, feature.values[code]) for code in column] for feature, column in columns]
    return [dict(pairs) for pairs in zip(*named, strict=True)]


def votes(tree: Tree, day: dict[str, str]) -> dict[str, float]:
    """The number of training days of each class that are added up."""
    return dict(zip(tree.schema.classes, predict_counts(tree, day).tolist(), strict=True))


def main() -> None:
    days = rides()
    tree = grow(days)
    print(f"{days}\n\n{tree}\n\nShe rides if {dnf(tree, 'yes')}.\nShe stays if {dnf(tree, 'no')}.")
    print(f"\nThe same for a paper:\n{latex(dnf(tree, 'yes'))}")
    riding = [holds(dnf(tree, "yes"), day) for day in day_by_day(days)]
    print(f"\nThe formula on the six days: {riding}")
    print(f"\nA hot day with little wind was never seen: {UNSEEN}")
    print(
        f"  by all routes below Wind = Low, the class counts are {votes(tree, UNSEEN)}, so the label is {predict(tree, UNSEEN)!r}"
    )
    print(f"  following the most frequent branch instead: {path_of(tree, UNSEEN)}")
    print(f"  neither formula holds: yes {holds(dnf(tree, 'yes'), UNSEEN)}, no {holds(dnf(tree, 'no'), UNSEEN)}")


if __name__ == "__main__":
    main()
