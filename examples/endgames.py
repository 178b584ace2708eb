"""Tic-tac-toe endgames, enumerated: 958 boards on which a game that x began can end, 626 of them won by x.

A table of real size that a few lines of Python write down exactly; the same boards, up to their order and names,
as in the "Tic-Tac-Toe Endgame" data set of the UCI archive (Aha 1991).
"""

from collections.abc import Iterator
from itertools import product

from ftree import Dataset

SQUARES = ("tl", "tm", "tr", "ml", "mm", "mr", "bl", "bm", "br")  # top, middle, bottom; left, middle, right
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def endgames() -> Dataset:
    """One row for each final board; each square has x, o or b (blank)."""
    boards = list(final_boards())
    return Dataset.from_rows(boards, ["yes" if won(board, "x") else "no" for board in boards], features=SQUARES, target="x wins")


def final_boards() -> Iterator[tuple[str, ...]]:
    """The side that moved last has a line and the other none, or the board is full."""
    for board in product("xob", repeat=len(SQUARES)):
        lead = board.count("x") - board.count("o")
        x_won, o_won = won(board, "x"), won(board, "o")
        x_ended = lead == 1 and not o_won and (x_won or "b" not in board)
        o_ended = lead == 0 and o_won and not x_won
        if x_ended or o_ended:
            yield board


def won(board: tuple[str, ...], player: str) -> bool:
    """Whether a player has three in a line."""
    return any(all(board[square] == player for square in line) for line in LINES)
