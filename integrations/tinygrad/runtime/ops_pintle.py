"""tinygrad looks for the device PINTLE in this file, by its name; the package pintle_tinygrad has it."""

from pintle_tinygrad.versions import refuse_others

refuse_others()

from pintle_tinygrad.device import PintleDevice  # noqa: E402  (a tinygrad of another version may lack what it imports)

__all__ = ["PintleDevice"]
