"""Small tables with missing values, from a seed, for the peers to grow trees on: two nominal columns, two or three of numbers."""

import numpy as np

N_TABLES = 20
MISSING = 0.1


def write_tables(folder):
    """Write the tables as `folder`/data/g0.csv and so on; their names."""
    (folder / "data").mkdir()
    names = [f"g{number}" for number in range(N_TABLES)]
    for number, name in enumerate(names):
        (folder / "data" / f"{name}.csv").write_text(text(number))
    return names


def text(number):
    """The table of a number, as text; columns called "number..." are numeric."""
    rng = np.random.default_rng(number)
    n, n_numeric = int(rng.integers(40, 90)), int(rng.integers(2, 4))
    nominal = rng.integers(0, (3, 4), (n, 2))
    numeric = rng.normal(0, 10, (n, n_numeric)).round(2)
    labels = answers(rng, nominal, numeric)
    cells = np.column_stack([np.array(["red", "grey", "blue", "teal"])[nominal], numeric.astype(str)])
    cells[rng.random(cells.shape) < MISSING] = "?"
    header = ["sky", "sea", *(f"number{column}" for column in range(n_numeric)), "class"]
    return "\n".join(map(",".join, [header, *np.column_stack([cells, labels]).tolist()])) + "\n"


def answers(rng, nominal, numeric):
    """Labels by a small tree, one in seven of them at random."""
    rule = np.where(nominal[:, 0] == 0, numeric[:, 0] > 0, np.where(nominal[:, 1] < 2, 2, numeric[:, 1] > 3)).astype(int)
    noise = rng.random(len(rule)) < 1 / 7
    return np.array(["no", "yes", "perhaps"])[np.where(noise, rng.integers(0, 3, len(rule)), rule)]


def points(number, *, gaps):
    """Numbers (n, 3) in the precision of a float32, NaN in a share of the cells; labels, and whole weights."""
    rng = np.random.default_rng(number)
    cells = rng.normal(0, 10, (int(rng.integers(60, 150)), 3)).round(1).astype(np.float32).astype(np.float64)
    labels = (cells[:, 0] > 0).astype(int) + (cells[:, 1] > 5)
    noise = rng.random(len(cells)) < 1 / 7
    labels[noise] = rng.integers(0, 3, noise.sum())
    cells[rng.random(cells.shape) < gaps] = np.nan
    return cells, labels, rng.integers(1, 5, len(cells))
