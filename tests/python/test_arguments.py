"""Arguments of launches: what is wrong is an exception before anything is submitted."""

import numpy as np
import pytest

import pintle

TYPES = """
void take(const pintle_group* group, void* const* a) {
  unsigned char* out = a[12];
  const unsigned sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 1, 2};
  unsigned at = 0;
  for (unsigned i = 0; i < 12; ++i) {
    const unsigned char* from = a[i];
    for (unsigned k = 0; k < sizes[i]; ++k) out[at++] = from[k];
  }
}
"""
NAMES = ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64", "bool", "f16")
NUMPY = ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8", "?", "f2")
SIGNATURE = f"take({', '.join(f'p{i}: {name}' for i, name in enumerate(NAMES))}, out: write u8[])"
FINE = [1, -2, 3, -4, 5, -6, 7, -8, 0.5, -0.25, True, 1.5]
WRONG = {"u8": (256, 300, -1), "i8": (128, -129), "u16": (65536, -1), "i16": (32768, -32769), "u32": (1 << 32, -1), "i32": (1 << 31, -(1 << 31) - 1),
         "u64": (1 << 64, -1), "i64": (1 << 63, -(1 << 63) - 1)}
EDGES = {"u8": (0, 255), "i8": (-128, 127), "u16": (0, 65535), "i16": (-32768, 32767), "u32": (0, (1 << 32) - 1), "i32": (-(1 << 31), (1 << 31) - 1),
         "u64": (0, (1 << 64) - 1), "i64": (-(1 << 63), (1 << 63) - 1)}


@pytest.fixture(scope="module")
def take(cpu):
    return cpu.load(pintle.source(TYPES, format="c", signatures=[SIGNATURE]))["take"]


@pytest.fixture
def queue(cpu):
    made = cpu.queue()
    yield made
    made.close()


@pytest.fixture
def xy(cpu):
    return cpu.buffer(np.full(1000, 3, np.float32)), cpu.buffer(np.ones(1000, np.float32))


def taken(cpu, queue, take, arguments):
    """What the kernel has got, by type."""
    out = cpu.buffer(np.zeros(45, np.uint8))
    queue.launch(take, *arguments, out, groups=1).wait(30)
    data, at, found = out.numpy().tobytes(), 0, []
    for name in NUMPY:
        size = np.dtype(name).itemsize
        found.append(np.frombuffer(data[at:at + size], name)[0].item())
        at += size
    return found


def refused(queue, kind, *arguments, words=(), **options):
    """The launch raises, has every word in its text, and nothing was submitted."""
    before = queue.submit().value
    with pytest.raises(kind) as caught:
        queue.launch(*arguments, **options)
    for word in words:
        assert word in str(caught.value)
    after = queue.submit()
    assert after.value == before + 1
    after.wait(30)  # and the queue goes on
    return caught.value


def test_each_scalar_arrives(cpu, queue, take):
    assert taken(cpu, queue, take, FINE) == FINE


@pytest.mark.parametrize("name, value", [(name, value) for name in EDGES for value in EDGES[name]])
def test_the_ends_of_a_range_arrive(cpu, queue, take, name, value):
    arguments = list(FINE)
    arguments[NAMES.index(name)] = value
    assert taken(cpu, queue, take, arguments) == arguments


@pytest.mark.parametrize("name, value", [(name, value) for name in WRONG for value in WRONG[name]])
def test_a_number_out_of_range_is_refused(cpu, queue, take, name, value):
    arguments = list(FINE)
    arguments[NAMES.index(name)] = value
    error = refused(queue, pintle.InvalidArgument, take, *arguments, cpu.empty(45, "u8"), groups=1, words=(f"p{NAMES.index(name)}", name))
    assert abs(value) >= 1 << 63 or str(value) in str(error)


@pytest.mark.parametrize("value", [10 ** 400, -10 ** 400])
def test_an_enormous_number_is_refused(cpu, queue, take, value):
    for name in ("u8", "i64", "f32", "f64"):
        arguments = list(FINE)
        arguments[NAMES.index(name)] = value
        refused(queue, (pintle.InvalidArgument, OverflowError), take, *arguments, cpu.empty(45, "u8"), groups=1)


@pytest.mark.parametrize("name", list(EDGES))
@pytest.mark.parametrize("value", [1.5, 1.0, "1", None, b"1", [1], 1j])
def test_what_is_no_integer_is_a_type_error(cpu, queue, take, name, value):
    arguments = list(FINE)
    arguments[NAMES.index(name)] = value
    if isinstance(value, bytes):  # a byte is the bytes of a u8, and of nothing longer
        refused(queue, (TypeError, pintle.InvalidArgument), take, *arguments, cpu.empty(45, "u8"), groups=1)
    else:
        refused(queue, TypeError, take, *arguments, cpu.empty(45, "u8"), groups=1, words=(f"p{NAMES.index(name)}",))


@pytest.mark.parametrize("name", ["f16", "f32", "f64"])
@pytest.mark.parametrize("value", ["1.0", None, [1.0], 1j, b"x"])
def test_what_is_no_number_is_a_type_error(cpu, queue, take, name, value):
    arguments = list(FINE)
    arguments[NAMES.index(name)] = value
    refused(queue, (TypeError, pintle.InvalidArgument) if isinstance(value, bytes) else TypeError, take, *arguments, cpu.empty(45, "u8"), groups=1)


@pytest.mark.parametrize("make", [np.uint8, np.int64, np.uint32])
def test_an_integer_of_numpy_is_an_integer(cpu, queue, take, make):
    assert taken(cpu, queue, take, [make(7), *FINE[1:]]) == [7, *FINE[1:]]


def test_a_float_of_numpy_is_a_float(cpu, queue, take):
    arguments = [*FINE[:8], np.float32(0.5), np.float64(-0.25), np.bool_(True), np.float16(1.5)]
    assert taken(cpu, queue, take, arguments) == FINE


def test_infinity_and_nan_arrive(cpu, queue, take):
    arguments = [*FINE[:8], float("inf"), float("-inf"), False, float("nan")]
    found = taken(cpu, queue, take, arguments)
    assert found[8] == float("inf") and found[9] == float("-inf") and found[11] != found[11]


@pytest.mark.parametrize("count", [0, 1, 3, 5, 40])
def test_another_number_of_arguments_has_the_signature(queue, cpu_saxpy, xy, count):
    arguments = (2.0, *xy, 1000, *range(40))[:count]
    error = refused(queue, TypeError, cpu_saxpy, *arguments, items=1000, words=("saxpy", "read f32[]", str(count)))
    assert "4" in str(error)


@pytest.mark.parametrize("value", [None, 1, 1.0, "x", np.ones(1000, np.float32), [1.0], object()])
def test_what_is_no_buffer_is_a_type_error(queue, cpu_saxpy, xy, value):
    refused(queue, TypeError, cpu_saxpy, 2.0, value, xy[1], 1000, items=1000, words=("x", type(value).__name__))


@pytest.mark.parametrize("dtype", ["f64", "f16", "u32", "i32", "u64", "complex64", "bf16"])
def test_a_buffer_of_another_dtype_is_refused(cpu, queue, cpu_saxpy, xy, dtype):
    wrong = cpu.empty(1000, dtype)
    refused(queue, pintle.InvalidArgument, cpu_saxpy, 2.0, wrong, xy[1], 1000, items=1000, words=(dtype, "f32", "x"))


def test_a_buffer_of_another_device_is_refused(device, cpu, queue, cpu_saxpy, xy):
    other = pintle.open("null") if device.id == "cpu" else device
    theirs = other.empty(1000)
    refused(queue, pintle.InvalidArgument, cpu_saxpy, 2.0, theirs, xy[1], 1000, items=1000, words=("x",))


def test_a_kernel_of_another_device_is_refused(device, saxpy):
    if device.id == "cpu":
        device = pintle.open("null")
    else:
        saxpy = pintle.open("cpu").load(pintle.open_pack("saxpy.pack"))["saxpy"]
    x = device.empty(1000)
    refused(device.queue(), pintle.InvalidArgument, saxpy, 2.0, x, x, 1000, items=1000)


def test_a_closed_buffer_is_stale(queue, cpu, cpu_saxpy, xy):
    dead = cpu.empty(1000)
    dead.close()
    refused(queue, pintle.Stale, cpu_saxpy, 2.0, dead, xy[1], 1000, items=1000)
    for use in (dead.numpy, dead.seal, lambda: dead[0:2].numpy(), lambda: pintle.fill(dead, 1.0), lambda: np.from_dlpack(dead)):
        with pytest.raises(pintle.Stale):
            use()
    assert "closed" in repr(dead)


def test_a_view_of_a_closed_buffer_is_stale(queue, cpu, cpu_saxpy, xy):
    dead = cpu.empty(1000)
    view = dead[0:1000]
    dead.close()
    refused(queue, pintle.Stale, cpu_saxpy, 2.0, view, xy[1], 1000, items=1000)


def test_a_closed_kernel_and_a_closed_queue_are_stale(cpu, xy):
    kernel, queue = cpu.load(pintle.open_pack("saxpy.pack"))["saxpy"], cpu.queue()
    kernel.close()
    refused(queue, pintle.Stale, kernel, 2.0, *xy, 1000, items=1000)
    queue.close()
    with pytest.raises(pintle.Stale):
        queue.submit()


@pytest.mark.parametrize("options", [{"items": 0}, {"groups": 0}, {"items": -1}, {"groups": (1, 0)}, {"items": (1, 1, 1, 1)}, {"items": ()},
                                     {"items": 1 << 70}, {"groups": (1 << 33, 1 << 33, 1 << 33)}])
def test_an_impossible_extent_is_refused_or_empty(queue, cpu_saxpy, xy, options):
    with pytest.raises((pintle.InvalidArgument, pintle.Unsupported, TypeError, OverflowError)):
        queue.launch(cpu_saxpy, 2.0, *xy, 1000, **options)


@pytest.mark.parametrize("options", [{}, {"items": 1, "groups": 1}, {"items": None}, {"items": 1.5}, {"items": "1"}, {"items": (1, 2.0)}, {"item": 1},
                                     {"items": 1, "after": 3}, {"items": 1, "after": [3]}, {"items": 1, "after": [None]}, {"items": 1, "label": 3}])
def test_an_extent_of_another_form_is_a_type_error(queue, cpu_saxpy, xy, options):
    refused(queue, TypeError, cpu_saxpy, 2.0, *xy, 1000, **options)


@pytest.mark.parametrize("kernel", [None, 3, "saxpy", print])
def test_what_is_no_kernel_is_a_type_error(queue, xy, kernel):
    refused(queue, TypeError, kernel, 2.0, *xy, 1000, items=1000)


def test_no_kernel_at_all_is_a_type_error(queue):
    refused(queue, TypeError)
    refused(queue, TypeError, items=1)


def test_a_slot_is_refused_in_a_launch(queue, cpu_saxpy, xy):
    refused(queue, (TypeError, pintle.InvalidArgument), cpu_saxpy, pintle.slot(0), *xy, 1000, items=1000)


def test_a_declared_shape_is_checked(cpu, queue):
    text = "void f(const pintle_group* group, float* x, unsigned n) { x[0] = n; }"
    kernel = cpu.load(pintle.source(text, format="c", signatures=["f(x: read_write f32[n], n: u32)"]))["f"]
    refused(queue, pintle.InvalidArgument, kernel, cpu.empty(10), 11, groups=1, words=("40", "44", "x"))
    queue.launch(kernel, cpu.empty(11), 11, groups=1).wait(30)


ADD = "void add(const pintle_group* group, const float* x, float* y, unsigned n) { for (unsigned i = 0; i < n; ++i) y[i] += x == 0 ? 1 : x[i]; }"


@pytest.fixture(scope="module")
def add(cpu):
    return cpu.load(pintle.source(ADD, format="c", signatures=["add(x: optional read f32[n], y: read_write f32[n], n: u32)"]))["add"]


def test_none_is_no_buffer_for_an_optional_parameter(cpu, queue, add, xy):
    assert [parameter.is_optional for parameter in add.parameters] == [True, False, False]
    queue.launch(add, None, xy[1], 1000, groups=1)
    queue.submit(add.command(xy[0], xy[1], 1000, groups=1), add.command(None, xy[1], 1000, groups=1)).wait(30)
    assert (xy[1].numpy() == 1 + 1 + 3 + 1).all()
    recording = cpu.record(add.command(None, pintle.slot(0), 1000, groups=1))
    queue.replay(recording, xy[1]).wait(30)
    assert (xy[1].numpy() == 7).all()


def test_none_is_a_type_error_where_the_signature_does_not_say_optional(queue, add, xy):
    refused(queue, TypeError, add, xy[0], None, 1000, groups=1, words=("[y]", "[add]", "NoneType"))
    refused(queue, TypeError, add, xy[0], xy[1], None, groups=1, words=("[n]",))


def test_a_slot_of_an_optional_parameter_takes_no_none(cpu, queue, add, xy):
    recording = cpu.record(add.command(pintle.slot(0), xy[1], 1000, groups=1))
    with pytest.raises(TypeError, match=r"\[x\].*NoneType"):
        queue.replay(recording, None)
    queue.replay(recording, xy[0]).wait(30)
    assert (xy[1].numpy() == 4).all()


def test_an_element_that_raises_is_not_swallowed(queue, cpu_saxpy, xy):
    class Rude:
        def __index__(self):
            raise RuntimeError("rude")
    with pytest.raises((RuntimeError, TypeError)):
        queue.launch(cpu_saxpy, 2.0, *xy, Rude(), items=1000)
    queue.submit().wait(30)


def test_after_may_raise_while_it_is_read(queue, cpu_saxpy, xy):
    def points():
        yield queue.submit()
        raise RuntimeError("no more")
    with pytest.raises(RuntimeError, match="no more"):
        queue.launch(cpu_saxpy, 2.0, *xy, 1000, items=1000, after=points())
    queue.submit().wait(30)
