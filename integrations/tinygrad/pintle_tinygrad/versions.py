"""Which versions of tinygrad this package is for. tinygrad's interface of devices changes between versions."""

from importlib import metadata

SUPPORTED = ("0.14.0",)


def refuse_others() -> None:
    """RuntimeError for a tinygrad that this package was not made for."""
    try:
        found = metadata.version("tinygrad")
    except metadata.PackageNotFoundError:
        found = "of no known version"
    if found not in SUPPORTED:
        raise RuntimeError(f"tinygrad ({found}) is not supported by pintle-tinygrad, which supports: {', '.join(SUPPORTED)}. "
                           f"pip install tinygrad=={SUPPORTED[-1]}")
