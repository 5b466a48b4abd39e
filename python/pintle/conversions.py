"""Conversions: how elements become those of another dtype."""

from __future__ import annotations

from pintle import _c
from pintle._call import one_of, struct, u64
from pintle.dtypes import DType
from pintle.listing import words

_ROUNDINGS = words("PINTLE_ROUNDING_")
_OVERFLOWS = words("PINTLE_OVERFLOW_")
_NANS = words("PINTLE_NAN_")


class Conversion:
    """How elements become those of another dtype: each is converted as an exact real number that is rounded once. `rounding`: "nearest_even",
    "toward_zero" or "stochastic", which `seed` decides. `overflow`, of a finite value beyond the target's largest: "infinity", "saturate" or "error",
    which is pintle.InvalidArgument with nothing written. `nan`: "canonical" or "payload". Another word is pintle.InvalidArgument."""

    def __init__(self, rounding: str = "nearest_even", overflow: str = "infinity", nan: str = "canonical", seed: int = 0) -> None:
        self._words = (one_of(rounding, _ROUNDINGS, "rounding"), one_of(overflow, _OVERFLOWS, "overflow"), one_of(nan, _NANS, "treatment of NaN"))
        self.rounding, self.overflow, self.nan, self.seed = rounding, overflow, nan, u64(seed, "seed")

    def _struct(self, from_: DType, to: DType) -> _c.pintle_conversion:
        rounding, overflow, nan = self._words
        return struct(_c.pintle_conversion, from_=from_.number, to=to.number, rounding=rounding, overflow=overflow, nan=nan, seed=self.seed)

    def __repr__(self) -> str:
        return f"pintle.Conversion(rounding={self.rounding!r}, overflow={self.overflow!r}, nan={self.nan!r}, seed={self.seed})"
