"""Which trees are allowed, and what a leaf costs."""

from dataclasses import dataclass

from exactree.errors import InputError

NO_DEPTH_LIMIT = 61  # questions on a path that the search counts to; the leaves must be countable in 64 bits
HIGHEST_PRICE = 1e9  # of a leaf, in total weights; far less already leaves a single leaf


def check_split_columns(most: int | None, price: float) -> None:
    """Refuse limits and prices of the columns of oblique splits that make no sense."""
    if most is not None and most < 2:
        raise InputError(f"max_split_columns must be 2 or more, or None for no limit; got {most}.")
    if not 0 <= price <= HIGHEST_PRICE:
        raise InputError(f"column_price must lie in 0..{HIGHEST_PRICE:g}; got {price}.")


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on the shape of a tree. ``None`` means no limit.

    A lone leaf is always allowed, whatever its size.

    Examples
    --------
    >>> Limits(max_depth=3, max_leaf_nodes=5).most_leaves
    5
    >>> Limits(max_depth=2).most_leaves
    4
    """

    max_depth: int | None
    max_leaf_nodes: int | None = None
    min_samples_leaf: int = 1  # rows, not weight
    min_weight_fraction_leaf: float = 0.0  # share of the total weight
    ccp_alpha: float = 0.0  # price of a leaf as a share of the total weight
    max_split_columns: int | None = None  # most columns of an oblique split, where a solver has such splits
    column_price: float = 0.0  # price of each column of an oblique split but the first, as a share of the total weight

    def __post_init__(self) -> None:
        if self.max_depth is not None and self.max_depth < 0:
            raise InputError(f"max_depth must be 0 or more; got {self.max_depth}.")
        if self.max_leaf_nodes is not None and self.max_leaf_nodes < 1:
            raise InputError(f"max_leaf_nodes must be 1 or more, or None for no limit; got {self.max_leaf_nodes}.")
        if self.min_samples_leaf < 1:
            raise InputError(f"min_samples_leaf must be 1 or more rows; got {self.min_samples_leaf}.")
        if not 0 <= self.min_weight_fraction_leaf <= 0.5:
            raise InputError(f"min_weight_fraction_leaf must lie in 0..0.5; got {self.min_weight_fraction_leaf}.")
        if not 0 <= self.ccp_alpha <= HIGHEST_PRICE:
            raise InputError(f"ccp_alpha must lie in 0..{HIGHEST_PRICE:g}; got {self.ccp_alpha}.")
        check_split_columns(self.max_split_columns, self.column_price)

    @property
    def deepest(self) -> int:
        """Most questions on a path; without a limit as many as the leaves allow, or :data:`NO_DEPTH_LIMIT`.

        Examples
        --------
        >>> Limits(max_depth=None, max_leaf_nodes=5).deepest
        4
        """
        if self.max_depth is not None:
            return self.max_depth
        return NO_DEPTH_LIMIT if self.max_leaf_nodes is None else min(NO_DEPTH_LIMIT, self.max_leaf_nodes - 1)

    @property
    def most_leaves(self) -> int:
        """Most leaves that a tree within these limits can have."""
        by_depth: int = 2**self.deepest
        return by_depth if self.max_leaf_nodes is None else min(by_depth, self.max_leaf_nodes)
