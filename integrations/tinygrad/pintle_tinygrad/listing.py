"""Which of Pintle's devices PINTLE, PINTLE:1 ... are."""

import os

VARIABLE = "TINYGRAD_PINTLE_DEVICES"


def ids() -> list[str]:
    """The ids of the setting, with spaces between them; without it the best device alone."""
    return os.environ.get(VARIABLE, "").split() or ["best"]


def index_of(name: str) -> int:
    """The number in a device's name of tinygrad: 0 of "PINTLE", 3 of "PINTLE:3"."""
    _, _, number = name.partition(":")
    if number and not number.isdigit():
        raise RuntimeError(f"The device [{name}] has no number behind its colon; {VARIABLE} says which of Pintle's devices the numbers are.")
    return int(number or 0)


def id_of(name: str) -> str:
    """Past the end of the list its devices come again by turns."""
    listed = ids()
    return listed[index_of(name) % len(listed)]
