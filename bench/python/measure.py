"""Pintle's side in Python: the figures of reference.cpp, in the same numbers of turns."""

from time import perf_counter_ns as now

ITEMS = 1
BURST = 100
BURSTS = 50
RECORDED = 100
EXCHANGE = b"dlpack_exchange_api"  # a capsule's name, which it does not copy


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


def _tensor_by_functions(library):
    """A tensor of another library, whose type has DLPack's functions for C."""
    from ctypes import CDLL, c_char_p, c_void_p, py_object, pythonapi
    table, make = CDLL(library).bench_exchange_table, pythonapi.PyCapsule_New
    table.restype = c_void_p
    make.restype, make.argtypes = py_object, [c_void_p, c_char_p, c_void_p]
    return type("Tensor", (), {"__dlpack_c_exchange_api__": make(table(), EXCHANGE, None)})()


def _taken(device, tensor):
    """A tensor becomes a buffer, which goes."""
    take, found = device.from_dlpack, []
    for _ in range(BURSTS + 1):
        start = now()
        for _ in range(BURST):
            take(tensor)
        found.append((now() - start) / BURST)
    return found[1:]


def taken_by_functions(library):
    """What `taken` measures, of a tensor whose type has DLPack's functions for C."""
    tensor = _tensor_by_functions(library)
    return lambda device: _taken(device, tensor)


def taken_by_methods(device):
    """The same, of an array of NumPy by its __dlpack__."""
    import numpy
    return _taken(device, numpy.zeros(256, numpy.float32))


FIGURES = {"submit": submit, "launch": launch, "replay": replay}
