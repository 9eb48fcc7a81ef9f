"""The policy ``"sampled"``: thresholds that CART asks for on samples of the rows."""

from dataclasses import dataclass, field, fields, replace

import numpy as np

from exactree.encode.encoded import Encoded
from exactree.encode.sampling import CartSampling, sample
from exactree.encode.thresholds import Growth, Kept
from exactree.errors import InputError


@dataclass(frozen=True, slots=True)
class Sampled:
    """Questions of sampled CART trees of the tree's depth, at whatever node, and those of CART on all rows.

    So the best tree over them is at least as good as CART's on the training rows. Categories are kept by level.

    Examples
    --------
    >>> str(Sampled()), str(Sampled(CartSampling(trees=50))), str(Sampled(CartSampling(share=0.5, root=3)))
    ('sampled', 'sampled(50)', 'sampled(share=0.5, root=3)')
    """

    sampling: CartSampling = field(default_factory=CartSampling)

    def __post_init__(self) -> None:
        if not isinstance(self.sampling, CartSampling):
            raise InputError(f"Sampled takes a CartSampling, such as CartSampling(trees=50); got {self.sampling!r}.")

    def kept(self, data: Encoded, growth: Growth) -> Kept:
        """Keep what is asked at any node; the name includes how many trees were sampled, if not all."""
        if growth.seed is not None and self.sampling.seed == 0:
            return Sampled(replace(self.sampling, seed=growth.seed)).kept(data, replace(growth, seed=None))
        found = sample(
            data,
            growth.depth,
            self.sampling,
            jobs=growth.jobs,
            seconds=growth.seconds,
            least_rows=growth.least_rows(data.n_rows),
            least_share=growth.least_share,
            tell=lambda n_trees: growth.tell(self.sampling.standing(n_trees)),
        )
        keep = [np.zeros(column.n_ranks - 1, dtype=np.bool_) for column in data.columns]
        for asked in (found.on_all_rows.values(), *found.nodes.values()):
            for column, rank in asked:
                keep[column][rank] = True
        return Kept(keep, f"{self}{found.shortage}")

    def __str__(self) -> str:
        usual = CartSampling()
        asked = [(each.name, getattr(self.sampling, each.name)) for each in fields(usual)]
        other = [(name, value) for name, value in asked if value != getattr(usual, name)]
        if [name for name, _ in other] == ["trees"]:
            return f"sampled({self.sampling.trees})"
        return f"sampled({', '.join(f'{name}={value}' for name, value in other)})" if other else "sampled"
