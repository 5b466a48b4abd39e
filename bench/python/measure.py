"""Pintle's side in Python: the figures of reference.cpp, in the same numbers of turns."""

from time import perf_counter_ns as now

ITEMS = 1
BURST = 100
BURSTS = 50
RECORDED = 100


class Rig:
    def __init__(self, pack, device):
        import pintle
        self.device = pintle.open(device)
        self.saxpy = self.device.load(pintle.open_pack(pack))["saxpy"]
        self.x, self.y = self.device.buffer([1.0] * 256, "f32"), self.device.buffer([1.0] * 256, "f32")
        self.queue = self.device.queue()
        self.recording = self.device.record(*[self.saxpy.command(2.0, self.x, self.y, ITEMS, items=ITEMS) for _ in range(RECORDED)])


def submit(rig):
    """Launches in bursts, which are waited for untimed."""
    launch, saxpy, x, y, found = rig.queue.launch, rig.saxpy, rig.x, rig.y, []
    for _ in range(BURSTS + 1):
        start = now()
        for _ in range(BURST):
            done = launch(saxpy, 2.0, x, y, ITEMS, items=ITEMS)
        took = now() - start
        done.wait()
        found.append(took / BURST)
    return found[1:]


def launch(rig):
    """A launch and its wait."""
    launch, saxpy, x, y, found = rig.queue.launch, rig.saxpy, rig.x, rig.y, []
    for _ in range(BURSTS * BURST + 1):
        start = now()
        launch(saxpy, 2.0, x, y, ITEMS, items=ITEMS).wait()
        found.append(now() - start)
    return found[1:]


def replay(rig):
    """A replay of a recording and its wait, for each kernel."""
    replay, recording, found = rig.queue.replay, rig.recording, []
    for _ in range(BURSTS + 1):
        start = now()
        replay(recording).wait()
        found.append((now() - start) / RECORDED)
    return found[1:]


def empty_call(library):
    """ctypes calls an empty function of C."""
    from ctypes import CDLL
    call, found = CDLL(library).bench_empty, []
    for _ in range(BURSTS + 1):
        start = now()
        for _ in range(BURST):
            call()
        found.append((now() - start) / BURST)
    return found[1:]


FIGURES = {"submit": submit, "launch": launch, "replay": replay}
