"""What the user writes as ``thresholds`` -> a policy."""

import re

from exactree.encode.sampled import Sampled
from exactree.encode.sampling import CartSampling
from exactree.encode.thresholds import All, ClassChanges, Quantiles, TableThresholds, Thresholds
from exactree.errors import InputError
from exactree.names import canonical

Policy = Thresholds | TableThresholds

POLICIES: dict[str, Policy] = {
    "all": All(),
    "class-changes": ClassChanges(),
    "quantiles": Quantiles(),
    "sampled": Sampled(),
}


def policy(spec: str | Policy) -> Policy:
    """Turn what the user wrote into a policy.

    Parameters
    ----------
    spec : str or policy object
        A name, with hyphens or underscores, or an object, which is returned as it is.

    Examples
    --------
    >>> policy("class_changes")
    ClassChanges()
    >>> policy("quantiles(5)")
    Quantiles(k=5)
    >>> policy("sampled(100)").sampling.trees
    100
    """
    if isinstance(spec, str):
        if (name := canonical(spec, POLICIES)) in POLICIES:
            return POLICIES[name]
        counted = re.fullmatch(r"(quantiles|sampled)\(\s*(\d{1,9})\s*\)", spec)
        if counted:
            number = int(counted[2])
            return Quantiles(number) if counted[1] == "quantiles" else Sampled(CartSampling(trees=number))
    elif isinstance(spec, (Thresholds, TableThresholds)) and not isinstance(spec, type):
        return spec
    known = ", ".join(map(repr, POLICIES))
    raise InputError(
        f"thresholds is {spec!r}. Expected one of {known}, 'quantiles(k)' or 'sampled(k)' with a number k, or a policy "
        f"object."
    )
