"""Five algorithms on one problem
==============================

One learns that an algorithm is a record of parts: each name below is a policy and a pruning pass. The fifth combines C4.5's
choice of features, CART's binary splits and pessimistic pruning. The problem is the first of the MONK's: robots of six
features, where the label is "head and body have one shape, or the jacket is red" (Thrun et al. 1991). Trees are grown on a
third of all 432 robots and are tested on the others.
"""

from attrs import evolve

from ftree import C45, Dataset, Tree, accuracy, c45, cart, chaid, grow, id3, n_leaves, prune, subset
from ftree.datasets import monks


def mixture(dataset: Dataset) -> Tree:
    """Binary splits, chosen by gain ratio, pruned by pessimistic errors."""
    return prune.pessimistic()(grow(dataset, evolve(C45, splits=(subset(min_cases=2),))))


def main() -> None:
    train, test = monks(1).split(1 / 3, seed=1)
    learners = {"ID3": id3, "C4.5": c45, "CART": cart, "CHAID": chaid, "a mixture": mixture}
    print(f"{len(train)} robots in the training set, {len(test)} in the test set\n")
    for name, learner in learners.items():
        tree = learner(train)
        print(f"{name:10} {n_leaves(tree):3} leaves, accuracy {accuracy(tree, test):.1%}")
    print(f"\nThe mixture:\n\n{mixture(train)}")


if __name__ == "__main__":
    main()
