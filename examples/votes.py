"""Congressional votes
===================

One sees all steps, as `make demo` runs them: read the party and 16 votes of each member of 1984, grow a tree on the rows without
missing values, print it, test it on the others, prune it with some of them, and write the pruned tree as rules.
"""

import sys
from pathlib import Path

from attrs import evolve
from nearby import VOTES as NEARBY

from ftree import ID3, Dataset, Tree, accuracy, grow, n_leaves, prune, rules, subset
from ftree.datasets import tic_tac_toe

# Binary splits: the same as ID3's where a feature has two values, and better where it has three, as a square has.
BINARY = evolve(ID3, splits=(subset(),))


def votes_or_endgames(table: str | Path | None = None) -> Dataset:
    """The votes at a path, or in the folder beside the repository; final boards of tic-tac-toe where neither is there."""
    return Dataset.read_csv(table or NEARBY) if table or NEARBY.exists() else tic_tac_toe()


def known_and_others(dataset: Dataset) -> tuple[Dataset, Dataset]:
    """The rows without a missing value and the others; two random halves where no row misses a value."""
    incomplete = dataset.incomplete()
    return (dataset.complete(), incomplete) if len(incomplete) else dataset.split(0.5, seed=0)


def rules_of_rarest(tree: Tree) -> list[str]:
    """How to tell the rarest class, the rules for most cases first."""
    rarest = min(zip(tree.root.counts, tree.schema.classes, strict=True))[1]
    telling = sorted((rule for rule in rules(tree) if rule.label == rarest), key=lambda rule: -max(rule.counts))
    return [f"{rule}  ({max(rule.counts)} of {sum(rule.counts)})" for rule in telling]


def right(tree: Tree, dataset: Dataset) -> str:
    return f"{round(accuracy(tree, dataset) * len(dataset))} of {len(dataset)} right ({accuracy(tree, dataset):.1%})"


def main(table: str | Path | None = None) -> None:
    dataset = votes_or_endgames(table)
    known, others = known_and_others(dataset)
    tree = grow(known, BINARY)
    lines = str(tree).splitlines()
    print(f"{dataset}\n\nA tree grown on {len(known)} rows, {len(lines)} lines long:\n", *lines[:32], sep="\n", end="\n\n")
    print(f"On the rows it was grown on: {right(tree, known)}\nOn the {len(others)} others: {right(tree, others)}")
    pruning_set, test = others.split(0.5, seed=0)
    pruned = prune.reduced_error(pruning_set)(tree)
    print(f"\nPruned where that makes no more errors on {len(pruning_set)} of the others, and tested on the rest:")
    for name, each in [("before", tree), ("after", pruned)]:
        print(f"  {name:6} {n_leaves(each):3} leaves; {right(each, pruning_set)}; the rest: {right(each, test)}")
    print("\nThe rules of the rarer class:", *rules_of_rarest(pruned), sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:2])
