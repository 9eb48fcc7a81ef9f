"""The end of every game of tic-tac-toe, found by playing all games."""

import numpy as np

from exactree.datasets.dataset import Dataset
from exactree.table import Frame

BLANK = "b"
SQUARES = tuple(
    f"{row}-{column}-square" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right")
)
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def tic_tac_toe() -> Dataset:
    """Build all 958 boards at which a game can end when x moves first; positive if x has won.

    Examples
    --------
    >>> data = tic_tac_toe()
    >>> [(outcome, int((data.y == outcome).sum())) for outcome in data.classes]
    [('negative', 332), ('positive', 626)]
    """
    boards = sorted(_final_boards(), reverse=True)
    return Dataset(
        name="tic-tac-toe",
        X=Frame(SQUARES, [list(cells) for cells in zip(*boards, strict=True)]),
        y=np.array(["positive" if _has_line(board, "x") else "negative" for board in boards]),
        target="class",
        description="Has x won? Every final board, x moving first.",
        source="D. Aha, Incremental Constructive Induction, 1991; UCI Machine Learning Repository",
    )


def _final_boards() -> set[str]:
    """Boards on which the game is over; a board is nine characters, row by row.

    All boards after the same number of moves are grown together, so that each is met once: 5478 in all,
    where following every game on its own would meet 549946.
    """
    final: set[str] = set()
    reached = {BLANK * len(SQUARES)}
    for mover in "xoxoxoxox":
        reached = {_play(board, square, mover) for board in reached for square in range(9) if board[square] == BLANK}
        over = {board for board in reached if BLANK not in board or _has_line(board, mover)}
        final |= over
        reached -= over
    return final


def _play(board: str, square: int, mover: str) -> str:
    return board[:square] + mover + board[square + 1 :]


def _has_line(board: str, player: str) -> bool:
    return any(all(board[square] == player for square in line) for line in LINES)
