"""The allocator: views at any byte, memory that is shared with the host, and transfers."""

import ctypes

import numpy as np
import pytest
from tinygrad import Device, Tensor, TinyJit, dtypes
from tinygrad.device import Buffer, BufferSpec
from tinygrad.uop.ops import UOp


def filled(name, values, dtype=dtypes.float32):
    data = np.asarray(values, dtype.fmt)
    return Buffer(name, data.size, dtype, initial_value=data.tobytes())


@pytest.mark.parametrize("offset", [4, 12, 16, 60, 64, 100, 128, 132])
def test_a_view_begins_at_any_element(name, offset):
    base = filled(name, range(256))
    view = base.view(64, dtypes.float32, offset).ensure_allocated()
    assert view.numpy().tolist() == list(range(offset // 4, offset // 4 + 64))
    inner = view.view(2, dtypes.uint8, 3).ensure_allocated()
    assert bytes(inner.as_memoryview()) == np.arange(256, dtype=np.float32).tobytes()[offset + 3:offset + 5]


@pytest.mark.parametrize("first", [1, 3, 4, 31, 32, 33])
def test_a_kernel_reads_and_writes_views(name, first):
    x = Tensor(np.arange(512, dtype=np.float32), device=name).realize()
    part = x[first:first + 256]
    assert (part * 2).tolist() == [2 * i for i in range(first, first + 256)]
    x[first:first + 256].assign(Tensor(np.full(256, -1.0, np.float32), device=name)).realize()
    expected = np.arange(512, dtype=np.float32)
    expected[first:first + 256] = -1
    assert x.numpy().tolist() == expected.tolist()


@pytest.mark.parametrize("offset", [0, 4, 8, 12, 16, 20, 132])
def test_vectors_are_read_and_written_anywhere(name, offset):
    base = filled(name, range(300))
    view = Tensor(UOp.from_buffer(base.view(256, dtypes.float32, offset).ensure_allocated()))
    expected = np.arange(300, dtype=np.float32)
    expected[offset // 4:offset // 4 + 256] = expected[offset // 4:offset // 4 + 256] * 2 + 1
    assert (view * 2 + 1).numpy().tolist() == expected[offset // 4:offset // 4 + 256].tolist()
    view.assign(view * 2 + 1).realize()
    assert base.numpy().tolist() == expected.tolist()


def test_a_graph_takes_views_of_any_offset(name):
    @TinyJit
    def step(x):
        return ((x * 2).contiguous() + 1).realize()

    for offset in (0, 64, 0, 4, 20, 128, 12):
        base = filled(name, range(300))
        view = Tensor(UOp.from_buffer(base.view(256, dtypes.float32, offset).ensure_allocated()))
        assert step(view).numpy().tolist() == [2 * i + 1 for i in range(offset // 4, offset // 4 + 256)]


@pytest.mark.parametrize("dtype", [dtypes.uint8, dtypes.int16, dtypes.float64, dtypes.bool, dtypes.half])
def test_bytes_come_and_go(name, dtype):
    if dtype not in Device[name].renderer.supported_dtypes():
        pytest.skip(f"{name} has no {dtype}")
    data = (np.arange(1001) % 2).astype(dtype.fmt)
    assert Tensor(data, device=name).realize().numpy().tolist() == data.tolist()


def test_the_hosts_memory_is_shared_on_the_cpu():
    host = np.arange(64, dtype=np.float32)
    x = Tensor.from_blob(host.ctypes.data, (64,), dtype=dtypes.float32, device="PINTLE")
    assert (x + 1).tolist() == [i + 1 for i in range(64)]
    host[:] = 5
    assert (x + 1).tolist() == [6] * 64
    x.assign(x * 2).realize()
    Device["PINTLE"].synchronize()
    assert host.tolist() == [10] * 64


def test_the_cpus_memory_is_seen_in_place():
    buffer = filled("PINTLE", range(8))
    seen = np.frombuffer(buffer.as_memoryview(force_zero_copy=True), np.float32)
    Device["PINTLE"].allocator._copyin(buffer._buf, memoryview(np.full(8, 7, np.float32)).cast("B"))
    assert seen.tolist() == [7] * 8


def test_memory_that_no_device_has_is_a_memory_error(name):
    with pytest.raises(MemoryError, match=f"failed on {name}"):
        Buffer(name, 1 << 58, dtypes.uint8).allocate()
    assert Tensor([1.0], device=name).tolist() == [1]


def test_zeros_where_they_are_asked_for(name):
    for _ in range(3):
        buffer = Buffer(name, 1000, dtypes.uint8, options=BufferSpec(zero=True)).allocate()
        assert not buffer.numpy().any()
        Device[name].allocator._copyin(buffer._buf, memoryview(b"\1" * 1000))
        del buffer


@pytest.mark.parametrize("count", [1, 1000, 1 << 20])
def test_transfers_keep_the_order_of_both_devices(second, count):
    here = Tensor(np.full(count, 1.0, np.float32), device="PINTLE").contiguous().realize()
    for i in range(4):
        there = here.to(second).realize()
        here.assign(Tensor(np.full(count, i + 2.0, np.float32), device="PINTLE")).realize()  # must wait until it has been read
        assert there.numpy().max() == there.numpy().min() == i + 1
        back = (there + 1).to("PINTLE").realize()
        assert back.numpy().max() == i + 2


def test_a_freed_buffer_in_flight_does_no_harm(name):
    total = Tensor(np.zeros(1 << 16, np.float32), device=name).contiguous().realize()
    for i in range(20):
        total = (total + Tensor(np.full(1 << 16, float(i), np.float32), device=name).contiguous().realize()).realize()
    Device[name].allocator.free_cache()
    assert total.numpy().tolist() == [190] * (1 << 16)


def test_memory_of_the_host_that_is_not_shared_is_wrapped_whole_or_refused_by_name(second):
    allocator, host = Device[second].allocator, (ctypes.c_uint8 * 100)()
    try:
        memory = allocator.alloc(100, BufferSpec(external_ptr=ctypes.addressof(host) + 1))
    except (RuntimeError, MemoryError) as error:
        assert "100" in f"{error} {error.__cause__}"
    else:
        assert memory.nbytes == 100
