"""The parts of the run: what each peer is asked for, how often in a block, and what the table calls it."""

from dataclasses import dataclass

SIZES = {"saxpy_4Ki": 4096, "saxpy_1Mi": 1 << 20, "saxpy_16Mi": 16 << 20}
TRANSFER_BYTES = 64 << 20
CHAIN_LENGTH = 100
FIRST_ELEMENTS = 1000  # the saxpy of a cold start
SAXPY_BYTES = 12  # an element, whatever a peer moves: two reads and a write of four bytes


@dataclass(frozen=True)
class Part:
    name: str
    heading: str
    calls: int = 0  # in a block; 0 for a cold start
    bytes: int = 0  # that a call moves; 0 where time is what counts

    @property
    def unit(self):
        if self.bytes:
            return "GB/s"
        return "µs" if self.calls else "ms"


ROUND_PARTS = (
    Part("empty", "empty call", 300),
    Part("launch", "launch", 300),
    Part("launch_fresh", "launch, fresh", 300),
    Part("launch_idle", "launch, idle", 15),
    Part("chain100", "chain of 100", 20),
    Part("chain100_fresh", "chain, fresh", 20),
    Part("saxpy_4Ki", "saxpy 4 Ki", 100, SIZES["saxpy_4Ki"] * SAXPY_BYTES),
    Part("saxpy_1Mi", "saxpy 1 Mi", 15, SIZES["saxpy_1Mi"] * SAXPY_BYTES),
    Part("saxpy_16Mi", "saxpy 16 Mi", 4, SIZES["saxpy_16Mi"] * SAXPY_BYTES),
    Part("upload", "upload", 4, TRANSFER_BYTES),
    Part("download", "download", 4, TRANSFER_BYTES),
)
COLD_PARTS = (Part("cold_first", "cold start"), Part("cold_again", "cold start, cached"))
