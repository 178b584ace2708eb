"""The weather table, computed by hand
===================================

One learns how a tree chooses its splits: the entropy of the label, the information gain of each feature, and that the feature
with the largest gain becomes the root. At the end, a chi-squared test tells that no split of 14 days is significant, and grows a
single leaf. The table is Quinlan's (1986).
"""

from ftree import ID3, Dataset, Tree, entropy, gain, grow, path_of, stop
from ftree.datasets import weather


def gains(dataset: Dataset) -> dict[str, float]:
    """Information gain of each feature, in bits."""
    return {each.name: float(gain(list(dataset.counts_by(each.name).values()))) for each in dataset.schema.features}


def cautious(dataset: Dataset) -> Tree:
    """The tree of significant splits: p at most 5 %."""
    return grow(dataset, ID3.stopping(stop.chi_squared(0.05)))


def main() -> None:
    days = weather()
    print(f"{len(days)} days, classes {days.schema.classes} counted {days.class_counts()}")
    print(f"Entropy of the label: {entropy(days.class_counts()):.3f} bits\n\nGain of each feature:")
    for name, bits in gains(days).items():
        print(f"  {name:12} {bits:.4f} bits, counts {days.counts_by(name)}")
    tree = grow(days)
    print(f"\nThe feature with the largest gain is the root, and so on below; (4.0) is a leaf's number of days:\n\n{tree}\n")
    print(f"A sunny, hot day with normal humidity: {path_of(tree, ['sunny', 'hot', 'normal', True])}")
    print(f"\nBy a chi-squared test at 5 % no split is significant:\n\n{cautious(days)}  (14 days, 5 of them with another label)")


if __name__ == "__main__":
    main()
