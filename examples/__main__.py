"""Run all examples: `python -m examples build/pictures` prints what each one shows and leaves the pictures in the folder."""

import sys
from importlib import import_module
from inspect import signature
from pathlib import Path

NAMES = [
    "weather",
    "fish",
    "rides",
    "votes",
    "learning_curve",
    "xor",
    "own_rule",
    "pruning_noise",
    "entropy_curves",
    "boundary",
    "drawn_tree",
    "mileage",
    "pruning_study",
    "pruning_choice",
    "digits",
    "clusters",
    "kd_search",
    "oblique_borders",
    "perceptron",
    "trees_and_neighbours",
    "algorithms",
    "comparing",
    "grid_search",
    "pruning_page",
]


def main(folder: str | Path | None = None) -> None:
    for name in NAMES:
        example = import_module(name)
        print(f"\n{'=' * 100}\nexamples/{name}.py: {(example.__doc__ or '').splitlines()[0]}\n{'=' * 100}\n")
        if "folder" in signature(example.main).parameters:
            example.main(folder)
        else:
            example.main()


if __name__ == "__main__":
    # The examples are scripts that import one another as neighbours, as they do when run one by one.
    sys.path.insert(0, str(Path(__file__).parent))
    main(*sys.argv[1:2])
