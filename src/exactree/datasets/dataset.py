"""A labelled table with its name and where it comes from."""

from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from exactree.table import Frame


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """Named columns, the label of every row, and where they come from.

    Examples
    --------
    >>> import numpy as np
    >>> days = Frame(("degrees", "sky"), [np.array([10, 30]), ["grey", "blue"]])
    >>> hot = Dataset("hot", days, np.array(["no", "yes"]), "is_hot", "Two days.", "made up")
    >>> hot.n_rows, hot.n_columns, hot.classes
    (2, 2, ['no', 'yes'])
    """

    name: str
    X: Frame = field(repr=False)  # every column but the target, under its name; estimators take it as it is
    y: NDArray[Any] = field(repr=False)  # (n_rows,) the label of each row
    target: str  # name of the column that holds the labels
    description: str
    source: str

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.y)

    @property
    def n_columns(self) -> int:
        """Number of columns, not counting the target."""
        return len(self.X.names)

    @property
    def classes(self) -> list[Any]:
        """The different labels, sorted; a missing one is none."""
        return sorted({label for label in self.y.tolist() if label is not None and label == label})

    @property
    def frame(self) -> Frame:
        """All columns, the target last.

        Examples
        --------
        >>> import numpy as np
        >>> Dataset("tiny", Frame(("a",), [[1, 2]]), np.array([0, 1]), "class", "", "").frame.names
        ('a', 'class')
        """
        return Frame((*self.X.names, self.target), [*self.X.columns, self.y])

    def to_numpy(self) -> NDArray[Any]:
        """Return the columns side by side, shape (n_rows, n_columns), without names; of objects if there is text.

        Examples
        --------
        >>> import numpy as np
        >>> pair = Frame(("a", "b"), [np.array([1, 2]), np.array([3, 4])])
        >>> Dataset("pair", pair, np.array([0, 1]), "class", "", "").to_numpy()
        array([[1, 3],
               [2, 4]])
        """
        return self.X.to_numpy()
