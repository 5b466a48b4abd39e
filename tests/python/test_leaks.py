"""What comes and goes leaves nothing: references, objects, bytes, descriptors and handles are counted."""

import gc
import os
import sys
import time
import tracemalloc

import numpy as np
import pytest

import pintle

TURNS = 10000


def resident():
    """KiB of the process."""
    with open("/proc/self/status", encoding="utf-8") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def threads():
    return len(os.listdir("/proc/self/task"))


def settle(blocks):
    """Waits until no more blocks are left: core's own thread lets go of the last of them some milliseconds later."""
    give_up = time.monotonic() + 10
    gc.collect()
    while sys.getallocatedblocks() > blocks and time.monotonic() < give_up:
        time.sleep(0.01)
        gc.collect()


def measured(work, turns, most):
    """(Python's blocks, KiB, descriptors) more after `turns` of work than after a quarter as many; of the blocks, `most` soon."""
    for _ in range(turns // 4):
        work()
    gc.collect()
    before = sys.getallocatedblocks(), resident(), len(os.listdir("/proc/self/fd"))
    for _ in range(turns):
        work()
    settle(before[0] + most)
    after = sys.getallocatedblocks(), resident(), len(os.listdir("/proc/self/fd"))
    return tuple(new - old for old, new in zip(before, after))


def leaves_nothing(work, turns=TURNS, kib=4096):
    """A leak of one object, or of 0.5 KiB, a turn is seen."""
    most = turns // 10 - 1
    blocks, grown, descriptors = measured(work, turns, most)
    assert blocks <= most, f"{blocks} blocks more after {turns} turns"
    assert grown < kib, f"{grown} KiB more after {turns} turns"
    assert descriptors <= 0


@pytest.fixture
def rig(cpu, cpu_saxpy):
    return cpu, cpu_saxpy, cpu.buffer(np.ones(256, np.float32)), cpu.buffer(np.ones(256, np.float32)), cpu.queue()


def test_launches(rig):
    _, kernel, x, y, queue = rig
    leaves_nothing(lambda: queue.launch(kernel, 2.0, x, y, 256, items=256).wait(30))


def test_launches_on_each_device(device, saxpy):
    x, y, queue = device.buffer(np.ones(256, np.float32)), device.buffer(np.ones(256, np.float32)), device.queue()
    blocks, _, descriptors = measured(lambda: queue.launch(saxpy, 2.0, x, y, 256, items=256).wait(30), 500, 249)
    assert blocks <= 249 and descriptors <= 0


def test_launches_leave_the_counts_of_references(rig):
    _, kernel, x, y, queue = rig
    objects = (kernel, x, y, queue, 1.5, "label", np.float32, None)
    gate = pintle.Signal()
    label = "".join(["a", " label"])
    points = (gate.point(1),)
    gate.set(1)
    queue.launch(kernel, 2.0, x, y, 256, items=256, after=points, label=label).wait(30)
    before = [sys.getrefcount(each) for each in (*objects[:4], points, points[0], gate, label)]
    for _ in range(100):
        queue.launch(kernel, 2.0, x, y, 256, items=256, after=points, label=label).wait(30)
    assert [sys.getrefcount(each) for each in (*objects[:4], points, points[0], gate, label)] == before


def test_refused_launches(rig):
    _, kernel, x, y, queue = rig

    def work():
        for arguments in ((2.0, x, y), (2.0, x, None, 256), (2.0, x, y, -1), (2.0, x, y, 1.5), (1j, x, y, 256)):
            with pytest.raises((TypeError, pintle.Error)):
                queue.launch(kernel, *arguments, items=256)
    before = [sys.getrefcount(each) for each in (kernel, x, y, queue)]
    work()
    leaves_nothing(work, 1000)
    assert [sys.getrefcount(each) for each in (kernel, x, y, queue)] == before


def test_commands_and_submissions(rig):
    _, kernel, x, y, queue = rig
    host = np.ones(256, np.float32)

    def work():
        queue.submit(pintle.upload(x, host), pintle.fill(y, 1.0), pintle.copy(y, x), kernel.command(1.0, x, y, 256, items=256),
                     pintle.barrier(), pintle.download(host, y)).wait(30)
    before = sys.getrefcount(host)
    leaves_nothing(work, 3000)
    queue.submit().wait(30)
    assert sys.getrefcount(host) <= before + 1


def test_recordings_and_replays(rig):
    device, kernel, x, y, queue = rig
    recording = device.record(kernel.command(pintle.slot(0), x, pintle.slot(1), 256, items=256))
    leaves_nothing(lambda: queue.replay(recording, 2.0, y).wait(30))
    leaves_nothing(lambda: device.record(kernel.command(1.0, x, y, 256, items=256)).close(), 2000)


def test_replays_with_arrays(rig):
    device, _, _, _, queue = rig
    buffer, host, out = device.empty(256), np.ones(256, np.float32), np.zeros(256, np.float32)
    recording = device.record(pintle.upload(buffer, pintle.slot(0)), pintle.download(pintle.slot(1), buffer))
    wrong = np.ones(255, np.float32)

    def work():
        queue.replay(recording, host, out).wait(30)
        with pytest.raises(pintle.InvalidArgument):
            queue.replay(recording, host, wrong)
    before = [sys.getrefcount(each) for each in (host, out, wrong)]
    leaves_nothing(work, 3000)
    leaves_nothing(lambda: device.record(pintle.upload(buffer, pintle.slot(0))).close(), 2000)
    assert [sys.getrefcount(each) for each in (host, out, wrong)] == before


def test_pools(rig):
    device, _, _, _, queue = rig

    def helped(figures):
        return False
    pool, full = device.pool(), device.pool(cap=4096, block=4096, patience=0, on_exhausted=helped)
    kept = queue.allocate(full, 1024)

    def work():
        buffer = queue.allocate(pool, 256)
        queue.submit(pintle.fill(buffer, 1.0)).wait(30)
        queue.free(buffer)
        with pytest.raises(pintle.OutOfMemory):
            queue.allocate(full, 1024)
        device.pool(on_exhausted=helped).close()
        assert len(full.holders) == 1 and pool.statistics.buffers == 0
    leaves_nothing(work, 1000)
    queue.free(kept)


def test_plans_and_arenas(rig):
    device, _, _, _, queue = rig
    host = np.ones(256, np.float32)

    def work():
        plan = pintle.PlanProblem([pintle.PlanValue("x", 1024), pintle.PlanValue("y", 512, uses=[])]).lay_out()
        arena = device.arena(plan, {"x": ("f32", 256)})
        arena.feed(queue, "x", host)
        view = arena.view("x")
        del arena
        queue.submit(pintle.fill(view, 2.0)).wait(30)
        assert view.numpy()[0] == 2
    before = sys.getrefcount(host)
    leaves_nothing(work, 2000)
    assert sys.getrefcount(host) == before


def test_handles_and_sets(rig):
    device, _, _, _, queue = rig
    host = np.ones(256, np.float32)

    def work():
        model = pintle.HandleSet([pintle.Handle(device, "a", 256, keep="host_shadow"), pintle.Handle(device, "b", 256, keep=lambda values: values.fill(2))])
        model["a"].write(queue, host)
        model.restore(queue).wait(30)
        assert model["b"].next().nbytes == 1024
        model["b"].flip()
    before = sys.getrefcount(host)
    leaves_nothing(work, 2000)
    assert sys.getrefcount(host) == before


def test_images_and_texels(rig):
    device, _, x, _, queue = rig
    pixels = device.empty(64, "u8")

    def work():
        image, _ = device.image((4, 4)), (pintle.Sampler("linear"), pintle.TexelBuffer(x, "r32f"))
        queue.submit(pintle.copy(image, pixels), pintle.copy(pixels, image, part=pintle.ImagePart(1, 1))).wait(30)
        with pytest.raises(TypeError):
            pintle.copy(image, 3)
    leaves_nothing(work, 1000)


def test_groups_and_their_queues(rig):
    device, _, x, _, _ = rig
    host = np.ones(16, np.float32)

    def work():
        group, = pintle.Group.threads(1)
        with group, group.heap(4096) as heap:
            group.run(pintle.Collective.all_reduce(host))
            heap.put(heap.allocate(16), 0, host)

    def work_on_a_device():
        group, = pintle.Group.threads(1)
        with group, group.queue(device) as collectives:
            collectives.submit(pintle.Collective.all_reduce(x)).wait(30)
    before = sys.getrefcount(host), sys.getrefcount(x)
    leaves_nothing(work, 1000)
    blocks, _, descriptors = measured(work_on_a_device, 100, 49)  # each makes a thread and 4 MiB
    assert blocks <= 49 and descriptors <= 0
    assert (sys.getrefcount(host), sys.getrefcount(x)) == before


def test_buffers_and_arrays(rig):
    device, _, _, _, queue = rig
    host = np.ones(4096, np.float32)

    def work():
        buffer = device.buffer(host)
        assert buffer[0:8].numpy()[0] == 1 and np.from_dlpack(buffer)[1] == 1
        wrapped = device.wrap(host)
        taken = device.from_dlpack(host)
        queue.submit(pintle.copy(wrapped, buffer)).wait(30)
        del wrapped, taken
    leaves_nothing(work, 2000)


def test_a_wrapped_array_is_given_back(cpu):
    host = np.ones(64, np.float32)
    before = sys.getrefcount(host)
    for _ in range(1000):
        cpu.wrap(host)
        cpu.from_dlpack(host)
    cpu.wait_idle(30)
    for _ in range(100):
        cpu.empty(1)
        if sys.getrefcount(host) == before:
            break
    assert sys.getrefcount(host) == before


def test_signals_points_and_waits():
    def work():
        signal = pintle.Signal()
        point = signal.point(1)
        with pytest.raises(pintle.Timeout):
            point.wait(0)
        signal.set(1)
        pintle.wait_all([point, point], 1)
        assert pintle.wait_any([point], 1) == 0
    leaves_nothing(work, 2000)


def test_callbacks():
    import threading

    def work():
        signal, happened = pintle.Signal(), threading.Event()
        signal.point(1).then(lambda error: happened.set())
        signal.set(1)
        assert happened.wait(30)
    work()
    leaves_nothing(work, 2000)


def test_devices_programs_and_queues():
    def work():
        with pintle.open("cpu") as device:
            kernel = device.load(pintle.open_pack("saxpy.pack"))["saxpy"]
            buffer = device.empty(4)
            device.queue().submit(pintle.fill(buffer, 1.0)).wait(30)
            del kernel
    for _ in range(3):
        work()
    before = threads()
    leaves_nothing(work, 100)
    assert threads() <= before + 2


def test_the_list_of_devices():
    leaves_nothing(pintle.devices, 200, kib=16384)


def test_objects_in_a_cycle_go(cpu):
    class Holder:
        pass
    for _ in range(3):
        gc.collect()
    before = sum(isinstance(each, pintle.Buffer) for each in gc.get_objects())
    for _ in range(100):
        holder = Holder()
        holder.self, holder.buffer, holder.queue = holder, cpu.empty(4), cpu.queue()
        holder.point = holder.queue.submit(pintle.fill(holder.buffer, 1.0))
    del holder
    gc.collect()
    assert sum(isinstance(each, pintle.Buffer) for each in gc.get_objects()) <= before


def test_launches_leave_no_traced_bytes(rig):
    _, kernel, x, y, queue = rig
    for _ in range(200):
        queue.launch(kernel, 2.0, x, y, 256, items=256).wait(30)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(2000):
            queue.launch(kernel, 2.0, x, y, 256, items=256).wait(30)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 16384, f"{grown} bytes more"


def test_handles_are_used_again(cpu):
    """A handle that is released gives its place back: the numbers of later ones do not need new places for ever."""
    places = {cpu.empty(1).handle & ((1 << 24) - 1) for _ in range(5000)}
    assert len(places) < 500


def test_live_handles_stay_as_many(rig):
    """As many buffers live after the work as before, by what the collector sees of the package's types."""
    device, kernel, x, y, queue = rig

    def live():
        gc.collect()
        return sum(type(each).__module__.startswith("pintle") and not isinstance(each, type) for each in gc.get_objects())
    queue.launch(kernel, 2.0, x, y, 256, items=256).wait(30)
    before = live()
    for _ in range(200):
        device.buffer(np.ones(16, np.float32)).numpy()
        queue.launch(kernel, 2.0, x, y, 256, items=256).wait(30)
        queue.replay(device.record(kernel.command(2.0, x, y, 256, items=256))).wait(30)
    assert live() <= before + 2
