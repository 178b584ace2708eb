"""Run all examples: `python -m examples` prints what each one shows, and shows its picture."""

from pathlib import Path
from runpy import run_path

# In the order of the gallery.
NAMES = [
    *("weather", "fish", "rides", "votes", "learning_curve", "xor", "own_rule", "pruning_noise", "entropy_curves", "boundary"),
    *("drawn_tree", "mileage", "pruning_study", "pruning_choice", "digits", "clusters", "oblique_borders", "optimal_numbers"),
    *("perceptron", "trees_and_neighbours", "algorithms", "comparing", "grid_search", "pruning_page", "build_by_hand"),
]


def main() -> None:
    for name in NAMES:
        print(f"\n{'=' * 100}\nexamples/{name}.py\n{'=' * 100}\n")
        run_path(str(Path(__file__).with_name(f"{name}.py")))


if __name__ == "__main__":
    main()
