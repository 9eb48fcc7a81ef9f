"""Colours of classes: safe for colour blindness as long as there are few, and always shown with a name."""

_NAMED = (
    # Okabe and Ito (2008) without black: safe for the common kinds of colour blindness.
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#d55e00",
    "#f0e442",
    # Tol's muted scheme (2021), those that are not too near to the above.
    "#332288",
    "#999933",
    "#882255",
    "#117733",
    "#ddcc77",
    "#cc6677",
    "#aa4499",
    "#7f7f7f",
)
_DARKEST, _LIGHTEST = "#000000", "#ffffff"


def class_colour(index: int) -> str:
    """Return the colour of a class; beyond the named ones they repeat, mixed with black or white.

    Examples
    --------
    >>> class_colour(0), class_colour(15)
    ('#0072b2', '#00446b')
    """
    around, position = divmod(index, len(_NAMED))
    if around == 0:
        return _NAMED[position]
    towards = "#000000" if around % 2 else "#ffffff"
    return mixed(_NAMED[position], towards, 0.4)


def text_colour(background: str) -> str:
    """Black or white, whichever stands out more: on any colour the contrast is then above 4.5 (WCAG level AA).

    Examples
    --------
    >>> text_colour("#0072b2"), text_colour("#f0e442")
    ('#ffffff', '#000000')
    """
    return max(_DARKEST, _LIGHTEST, key=lambda colour: contrast(colour, background))


def contrast(a: str, b: str) -> float:
    """Contrast of two colours as WCAG defines it, from 1 to 21.

    Examples
    --------
    >>> round(contrast("#000000", "#ffffff"))
    21
    """
    low, high = sorted((_luminance(a), _luminance(b)))
    return (high + 0.05) / (low + 0.05)


def mixed(colour: str, towards: str, share: float) -> str:
    """Mix one colour with a share of another.

    Examples
    --------
    >>> mixed("#000000", "#ffffff", 0.5)
    '#808080'
    """
    pairs = zip(_channels(colour), _channels(towards), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def _channels(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def _luminance(colour: str) -> float:
    def linear(channel: int) -> float:
        value = channel / 255
        return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)

    red, green, blue = (linear(channel) for channel in _channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
