"""XOR and the zero-gain rule
==========================

One learns that a split may be worth making although it gains nothing yet. In the table of "exclusive or" each feature alone
gains nothing: a policy that stops there ends with one leaf, and one that goes on finds the tree without errors.
The same holds of the parity of any number of bits, where only the last split of each path gains anything.
"""

from attrs import evolve

from ftree import ID3, Dataset, Policy, Tree, accuracy, dnf, grow, stop
from ftree.datasets import parity
from ftree.growth import Level

GREEDY = evolve(ID3, stop=stop.pure() | stop.no_gain())
PATIENT = evolve(ID3, stop=stop.never)


def grown(dataset: Dataset, policy: Policy) -> tuple[Tree, list[float]]:
    """The tree, and the best gain found on each level in bits (0 where no node has a split)."""
    levels: list[Level] = []
    tree = grow(dataset, policy, trace=levels.append)
    return tree, [float(level.gain.max()) for level in levels]


def main() -> None:
    xor = parity(2)
    for name, policy in [("greedy", GREEDY), ("patient", PATIENT)]:
        tree, bits = grown(xor, policy)
        print(f"{name}: stop={policy.stop!r}\n{tree}")
        print(f"accuracy {accuracy(tree, xor):.0%}; best gain on each level: {bits}\n")
    print(f"As a formula: {dnf(grow(xor, PATIENT), label=True)}")
    tree, bits = grown(parity(4), PATIENT)
    print(f"\nThe parity of 4 bits: {tree!r}, best gain on each level: {bits}")


if __name__ == "__main__":
    main()
