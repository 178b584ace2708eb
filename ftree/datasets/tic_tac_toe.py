"""Tic-tac-toe endgames, enumerated from the rules of the game."""

import numpy as np
import numpy.typing as npt

from ftree.data.dataset import Dataset

_SQUARES = tuple(f"{row}-{column}-square" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right"))
_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
_MARKS = np.array(["x", "o", "b"])


def tic_tac_toe() -> Dataset:
    """958 final boards of games that x begins, as 9 squares of x, o or b (blank); positive if x has won (626).

    Rows are in the order of the archive's file: boards won by x, boards won by o, and draws.

    Source: Aha (1991), "Tic-Tac-Toe Endgame", UCI Machine Learning Repository.

    >>> tic_tac_toe().class_counts()
    (332, 626)
    """
    boards = _MARKS[np.indices((3,) * 9).reshape(9, -1)]
    x_won, o_won = _has_line(boards, "x"), _has_line(boards, "o")
    lead = (boards == "x").sum(axis=0) - (boards == "o").sum(axis=0)
    # The player who moved last has a line and the other has none, or the board is full.
    by_x, by_o = (lead == 1) & x_won & ~o_won, (lead == 0) & o_won & ~x_won
    draw = (lead == 1) & ~x_won & ~o_won & (boards != "b").all(axis=0)
    rows = np.concatenate([np.flatnonzero(ended) for ended in (by_x, by_o, draw)])
    columns = {name: square[rows].tolist() for name, square in zip(_SQUARES, boards, strict=True)}
    return Dataset.from_columns({**columns, "class": np.where(by_x[rows], "positive", "negative").tolist()})


def _has_line(boards: npt.NDArray[np.str_], player: str) -> npt.NDArray[np.bool_]:
    """For each board, whether the player has three in a line."""
    has = boards == player
    wins: npt.NDArray[np.bool_] = np.any([has[list(line)].all(axis=0) for line in _LINES], axis=0)
    return wins
