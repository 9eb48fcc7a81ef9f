"""Progress as lines of text, for ``verbose=1``."""

from typing import TextIO

from exactree.solve import Progress

EVERY = 1.0  # seconds between two lines


class ProgressLines:
    """Writes where the search stands, once a second."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._next = EVERY

    def __call__(self, progress: Progress) -> None:
        """Write a line if the last one is old enough."""
        if progress.seconds < self._next:
            return
        self._next = progress.seconds + EVERY
        minutes, seconds = divmod(int(progress.seconds), 60)
        self._stream.write(
            f"{minutes:02d}:{seconds:02d}  cost {progress.cost:g}  bound {progress.bound:g}  gap {progress.gap:.1%}\n"
        )
        self._stream.flush()
