"""Native objects, out and in: one's own memory and stream under buffers and queues. gpu_dlpack.py has those of cuda and hip."""

import gc
import weakref

import numpy as np
import pytest

import pintle
from conftest import gone_soon

KINDS = {"cpu": (pintle.CpuDevice, None, pintle.CpuMemory), "opencl": (pintle.OpenClDevice, pintle.OpenClQueue, pintle.OpenClMemory),
         "vulkan": (pintle.VulkanDevice, pintle.VulkanQueue, pintle.VulkanMemory)}


def test_objects_say_what_lies_behind_them(device):
    of_device, of_queue, of_memory = KINDS[device.info.backend]
    queue, buffer = device.queue(), device.buffer(np.ones(64, np.float32))
    assert type(device.native) is of_device and type(buffer.native) is of_memory
    if of_queue is None:
        with pytest.raises(pintle.Unsupported, match="vulkan"):
            _ = queue.native
    else:
        assert type(queue.native) is of_queue and queue.native.queue != 0 and device.native.device != 0
    if of_memory is pintle.VulkanMemory:
        assert buffer.native.buffer != 0 and buffer.native.nbytes >= buffer.nbytes


def test_a_buffer_of_the_cpu_says_where_it_lies(cpu):
    buffer = cpu.buffer(np.arange(8, dtype=np.float32))
    assert buffer.native == pintle.CpuMemory(buffer.numpy().ctypes.data) and buffer.native.address == buffer.numpy().ctypes.data
    assert cpu.native.threads >= 0 and cpu.native.quota >= 0
    buffer.close()
    with pytest.raises(pintle.Stale):
        _ = buffer.native


@pytest.mark.parametrize("make", [int, pintle.CpuMemory], ids=["a number", "a CpuMemory"])
def test_memory_is_wrapped_in_place(cpu, cpu_saxpy, make):
    x, y = cpu.buffer(np.full(1000, 3, np.float32)), np.ones(1000, np.float32)
    over = cpu.wrap_memory(make(y.ctypes.data), (10, 100), "f32", nbytes=y.nbytes, label="theirs")
    assert over.shape == (10, 100) and over.native.address == y.ctypes.data
    cpu.queue().launch(cpu_saxpy, 2.0, x, over, 1000, items=1000).wait(30)
    assert (y == 7).all()
    y[0] = 5
    assert over.numpy()[0, 0] == 5


def test_the_owner_lives_until_the_last_use(cpu, gate):
    owner = np.ones(1000, np.float32)
    gone, queue = weakref.ref(owner), cpu.queue()
    buffer = cpu.wrap_memory(owner.ctypes.data, 1000, owner=owner)
    done = queue.submit(pintle.fill(buffer, 2.0), after=[gate.point(1)])
    buffer.close()
    del owner, buffer
    gc.collect()
    assert gone() is not None  # work in flight writes it
    gate.set(1)
    done.wait(30)
    assert gone_soon(gone, cpu)


def test_the_owner_goes_with_a_buffer_that_nothing_uses(cpu):
    owner = np.ones(1000, np.float32)
    gone, buffer = weakref.ref(owner), cpu.wrap_memory(owner.ctypes.data, 1000, owner=owner)
    del owner
    gc.collect()
    assert gone() is not None and buffer.numpy()[0] == 1
    del buffer
    gc.collect()
    assert gone() is None


def test_the_owner_goes_after_work_that_fails(cpu):
    owner, cause = np.ones(1000, np.float32), pintle.Signal()
    gone, queue = weakref.ref(owner), cpu.queue()
    buffer = cpu.wrap_memory(owner.ctypes.data, 1000, owner=owner)
    done = queue.submit(pintle.fill(buffer, 2.0), after=[cause.point(1)])
    cause.fail("no more")
    with pytest.raises(pintle.Cancelled):
        done.wait(30)
    del owner, buffer, done, queue
    assert gone_soon(gone, cpu)


def test_an_owner_that_leads_to_its_buffer_is_no_leak(cpu):
    class Owner:
        def __init__(self):
            self.memory = np.ones(16, np.float32)
    owner = Owner()
    gone = weakref.ref(owner)
    owner.buffer = cpu.wrap_memory(owner.memory.ctypes.data, 16, owner=owner)
    cpu.queue().submit(pintle.fill(owner.buffer, 1.0)).wait(30)
    del owner
    assert gone_soon(gone, cpu)


@pytest.mark.parametrize("native, shape, options, kind", [
    (0, 4, {}, pintle.InvalidArgument), (-1, 4, {}, pintle.InvalidArgument), (1 << 70, 4, {}, pintle.InvalidArgument), ("x", 4, {}, TypeError), (1.5, 4, {}, TypeError),
    (pintle.CudaQueue(1), 4, {}, TypeError), (pintle.CudaMemory(64), 4, {}, pintle.Unsupported), (pintle.VulkanMemory(1, 2, 0, 64), 4, {}, pintle.Unsupported),
    (None, -1, {}, pintle.InvalidArgument), (None, 4, {"nbytes": 15}, pintle.InvalidArgument), (None, 4, {"dtype": "f31"}, pintle.InvalidArgument),
    (None, "x", {}, TypeError), (None, 4, {"label": 3}, TypeError)])
def test_memory_that_cannot_be_is_refused(cpu, native, shape, options, kind):
    memory = np.ones(16, np.float32)
    with pytest.raises(kind):
        cpu.wrap_memory(memory.ctypes.data if native is None else native, shape, **options)


def test_queues_and_devices_that_cannot_be_are_refused(cpu):
    for use, kind in ((lambda: cpu.wrap_queue(5), TypeError), (lambda: cpu.wrap_queue(pintle.CudaQueue(0)), pintle.Unsupported),
                      (lambda: cpu.wrap_queue(pintle.VulkanQueue(1, 1 << 40)), pintle.InvalidArgument), (lambda: pintle.wrap_device(3), TypeError),
                      (lambda: pintle.wrap_device(pintle.CpuDevice(1, 0.0)), pintle.Unsupported), (lambda: pintle.wrap_device(pintle.CudaMemory(1)), TypeError),
                      (lambda: cpu.wrap_queue(pintle.CudaQueue(0), kind="graphics"), pintle.InvalidArgument)):
        with pytest.raises(kind):
            use()


def test_a_device_queue_and_buffer_of_opencl_are_wrapped(device):
    if device.info.backend != "opencl":
        pytest.skip(f"{device.id} is none of opencl")
    queue, buffer = device.queue(), device.buffer(np.ones(64, np.float32))
    memory = buffer.native
    if memory.memory == 0 or memory.offset != 0:
        pytest.skip(f"{device.id}: a buffer is no whole cl_mem")
    with pintle.wrap_device(device.native) as theirs:
        assert theirs.native == device.native and "native" in theirs.id
        for on in (theirs.wrap_queue(queue.native, label="theirs"), theirs.wrap_queue(queue.native.queue)):
            assert on.native == queue.native
            over = theirs.wrap_memory(memory.memory, 64, owner=buffer)
            on.submit(pintle.fill(over, 3.0)).wait(30)
            assert (buffer.numpy() == 3).all()


def test_tuples_have_names_and_defaults():
    assert pintle.CudaQueue() == pintle.CudaQueue(0) == (0,) and pintle.HipMemory(5).host == 0 and pintle.OpenClMemory(1, offset=2) == (1, 0, 2)
    assert repr(pintle.CudaMemory(1)) == "CudaMemory(address=1, host=0, device=0)"
    for make in (lambda: pintle.CudaDevice(1), lambda: pintle.CudaQueue(1, 2), lambda: pintle.CudaQueue(1, stream=2), lambda: pintle.CudaQueue(context=2)):
        with pytest.raises(TypeError):
            make()
