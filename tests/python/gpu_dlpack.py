"""DLPack over a GPU's own memory, both ways, with a producer and a consumer that call the driver themselves. The driver is a simulated one: TEST_GPU
says whose."""

import ctypes
import gc
import os
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int32, c_int64, c_size_t, c_uint, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p, py_object

import numpy as np
import pytest

import exchange
import pintle

GPU = os.environ["TEST_GPU"]
KIND, PINNED, OTHER = {"cuda": (2, 3, 10), "hip": (10, 11, 2)}[GPU]
COUNT = 1 << 20


class Tensor(Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32), ("code", c_uint8), ("bits", c_uint8),
                ("lanes", c_uint16), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


class Managed(Structure):
    pass


Deleter = CFUNCTYPE(None, POINTER(Managed))
Managed._fields_ = [("major", c_uint32), ("minor", c_uint32), ("context", c_void_p), ("deleter", Deleter), ("flags", c_uint64), ("tensor", Tensor)]
NAME = b"dltensor_versioned"
make_capsule = ctypes.pythonapi.PyCapsule_New
make_capsule.restype, make_capsule.argtypes = py_object, [c_void_p, c_char_p, c_void_p]
pointer_in = ctypes.pythonapi.PyCapsule_GetPointer
pointer_in.restype, pointer_in.argtypes = c_void_p, [py_object, c_char_p]


class Driver:
    """The driver's calls that the other library makes, in the context that such libraries use."""

    NAMES = {"cuda": ("libcuda.so.1", "cuMemAlloc_v2", "cuMemsetD32Async", "cuStreamCreate", "cuEventCreate", "cuEventRecord", "cuStreamWaitEvent",
                      "cuMemcpyDtoHAsync_v2", "cuStreamSynchronize"),
             "hip": ("libamdhip64.so.6", "hipMalloc", "hipMemsetD32Async", "hipStreamCreateWithFlags", "hipEventCreateWithFlags", "hipEventRecord",
                     "hipStreamWaitEvent", "hipMemcpyDtoHAsync", "hipStreamSynchronize")}

    def __init__(self):
        name, *calls = self.NAMES[GPU]
        self.library = ctypes.CDLL(name)
        (self.malloc, self.memset, self.stream_create, self.event_create, self.record, self.wait, self.download,
         self.synchronize) = (getattr(self.library, each) for each in calls)
        self.memset.argtypes = [c_void_p, c_uint, c_size_t, c_void_p]
        self.record.argtypes, self.wait.argtypes = [c_void_p, c_void_p], [c_void_p, c_void_p, c_uint]
        self.download.argtypes = [c_void_p, c_void_p, c_size_t, c_void_p]
        if GPU == "cuda":
            context = c_void_p()
            self.check(self.library.cuInit(0), self.library.cuDevicePrimaryCtxRetain(byref(context), 0), self.library.cuCtxPushCurrent_v2(context))
        self.stream, self.event = c_void_p(), c_void_p()
        self.check(self.stream_create(byref(self.stream), 1), self.event_create(byref(self.event), 2))

    @staticmethod
    def check(*statuses):
        assert statuses == (0,) * len(statuses)

    def allocate(self, size):
        address = c_void_p()
        self.check(self.malloc(byref(address), c_size_t(size)))
        return address.value

    def words(self, address, count):
        """As a consumer reads them, in a stream of its own."""
        out = (c_uint32 * count)()
        self.check(self.download(out, address, count * 4, self.stream))
        self.check(self.synchronize(self.stream))
        return np.frombuffer(out, np.uint32)


class Producer:
    """Another library's tensor: its words are set by work in a stream of its own, and the consumer's stream is told to wait for it."""

    def __init__(self, driver, address, value, number=0):
        self.driver, self.number, self.streams, self.deleted = driver, number, [], 0
        self.shape = (c_int64 * 1)(COUNT)
        self.deleter = Deleter(self._delete)
        self.managed = Managed(major=1, deleter=self.deleter, tensor=Tensor(address, KIND, number, 1, 1, 32, 1, self.shape))
        for each in range(16):  # it takes a while until the words are there
            driver.check(driver.memset(address, value if each == 15 else 0, COUNT, driver.stream))
        driver.check(driver.record(driver.event, driver.stream))

    def _delete(self, _):
        self.deleted += 1

    def __dlpack_device__(self):
        return (KIND, self.number)

    def __dlpack__(self, *, stream=None, max_version=None):
        self.streams.append(stream)
        if stream is not None:
            self.driver.check(self.driver.wait(stream, self.driver.event, 0))
        return make_capsule(ctypes.addressof(self.managed), NAME, None)


@pytest.fixture(scope="module")
def driver():
    return Driver()


@pytest.fixture(scope="module")
def gpu(driver):
    opened = pintle.open("cuda:0?primary" if GPU == "cuda" else "hip:0")
    yield opened
    opened.close()


def managed_of(capsule):
    """The tensor, which lives as long as what this answers."""
    managed = Managed.from_address(pointer_in(capsule, NAME))
    managed.capsule = capsule
    return managed


def filled(gpu, value, shape=(10, 100), **options):
    buffer = gpu.empty(shape, "u32", **options)
    gpu.queue().submit(pintle.fill(buffer, value))
    return buffer


@pytest.mark.parametrize("copy", [None, False, True])
def test_a_tensor_is_taken_when_its_producers_work_is_done(driver, gpu, copy):
    producer = Producer(driver, driver.allocate(4 * COUNT), 5)
    buffer = gpu.from_dlpack(producer, copy=copy)
    assert producer.streams and producer.streams[0] not in (None, 0, -1)
    seen = gpu.empty(COUNT, "u32")
    gpu.queue().submit(pintle.copy(seen, buffer)).wait(30)  # a stream of which the producer knows nothing
    assert (seen.numpy() == 5).all()
    assert (buffer.__dlpack_device__() == (KIND, 0)) and (pintle._native.dlpack_place(buffer) == (KIND, 0))
    same = managed_of(buffer.__dlpack__(max_version=(1, 0))).tensor.data == producer.managed.tensor.data
    assert same == (copy is not True)
    del buffer
    gc.collect()
    pintle.open("cpu").close()  # lets go of what is left to let go of
    assert producer.deleted == 1


def test_a_buffer_is_a_tensor_in_its_own_memory(driver, gpu):
    buffer = filled(gpu, 7)
    capsule = buffer.__dlpack__(stream=driver.stream.value, max_version=(1, 0))
    its = managed_of(capsule)
    assert (its.tensor.device_type, its.tensor.device_id, its.tensor.ndim, its.flags) == (KIND, 0, 2, 0)
    assert its.tensor.shape[:2] == [10, 100] and its.tensor.strides[:2] == [100, 1]
    buffer.close()  # the tensor keeps the bytes
    del buffer
    gc.collect()
    assert (driver.words(its.tensor.data, 1000) == 7).all()


def test_a_copy_is_another_tensor(driver, gpu):
    buffer = filled(gpu, 8)
    copied, shared = managed_of(buffer.__dlpack__(max_version=(1, 0), copy=True)), managed_of(buffer.__dlpack__(max_version=(1, 0)))
    assert copied.flags == 2 and copied.tensor.data != shared.tensor.data and (driver.words(copied.tensor.data, 1000) == 8).all()


def test_a_sealed_buffer_is_read_only(gpu):
    buffer = filled(gpu, 9)
    buffer.seal()
    assert managed_of(buffer.__dlpack__(max_version=(1, 0))).flags == 1
    with pytest.raises(BufferError, match="sealed"):
        buffer.__dlpack__()


def test_the_host_may_ask_for_a_copy(gpu):
    buffer = filled(gpu, 3)
    its = managed_of(buffer.__dlpack__(max_version=(1, 0), dl_device=(1, 0)))
    assert (its.tensor.device_type, its.flags) == (1, 2)
    assert (np.frombuffer((c_uint32 * 1000).from_address(its.tensor.data), np.uint32) == 3).all()
    with pytest.raises(BufferError, match="a tensor is a copy"):
        buffer.__dlpack__(dl_device=(1, 0), copy=False)
    with pytest.raises(BufferError, match="not the buffer's own"):
        buffer.__dlpack__(dl_device=(KIND, 1))
    with pytest.raises(BufferError, match="none of the CPU's"):
        buffer.__dlpack__(dl_device=(1, 0), stream=5)
    with pytest.raises(BufferError, match="The stream"):
        buffer.__dlpack__(stream=-2)


def test_pinned_memory_is_the_hosts(gpu):
    buffer = filled(gpu, 4, placement="host")
    assert buffer.__dlpack_device__() == (1, 0) and (np.from_dlpack(buffer) == 4).all()
    its = managed_of(buffer.__dlpack__(max_version=(1, 0), dl_device=(PINNED, 0)))
    assert (its.tensor.device_type, its.tensor.data) == (PINNED, buffer.numpy().ctypes.data)
    with pytest.raises(BufferError):
        filled(gpu, 4).__dlpack__(max_version=(1, 0), dl_device=(PINNED, 0))


def test_a_tensor_of_another_device_is_refused(driver, gpu):
    address = driver.allocate(4 * COUNT)
    elsewhere = Producer(driver, address, 1, number=1)
    with pytest.raises(pintle.Unsupported, match="device 1"):  # its deleter, which is Python's, leaves the error alone
        gpu.from_dlpack(elsewhere)
    gc.collect()
    pintle.open("cpu").close()
    assert elsewhere.deleted == 1
    with pytest.raises(pintle.Unsupported, match="cpu is another one"):
        pintle.open("cpu").from_dlpack(Producer(driver, address, 1))
    producer = Producer(driver, address, 1)
    producer.__class__ = type("Other", (Producer,), {"__dlpack_device__": lambda self: (OTHER, 0)})
    with pytest.raises(pintle.Unsupported, match=f"{gpu.id.split('?')[0]}.* is another one".replace("[", r"\[")):
        gpu.from_dlpack(producer)


def test_c_code_gets_a_tensor_in_the_gpus_memory_when_the_work_on_it_is_done(driver, gpu):
    from test_dlpack_exchange import given, taken
    buffer = filled(gpu, 6)
    managed = taken(buffer)
    its = managed.contents.tensor
    assert (its.device_type, its.device_id) == (KIND, 0) and (driver.words(its.data, 1000) == 6).all()
    again = given(managed)
    assert again.device.id.startswith(GPU) and (again.numpy() == 6).all()


def test_a_tensor_keeps_the_device_open(driver):
    device = pintle.open("cuda:0?primary" if GPU == "cuda" else "hip:0")
    buffer = filled(device, 2)
    capsule = buffer.__dlpack__(max_version=(1, 0))
    address = managed_of(capsule).tensor.data
    device.close()
    del device, buffer
    gc.collect()
    assert (driver.words(address, 1000) == 2).all()


def words_of(gpu, buffer):
    """The buffer's words, copied by a stream of which nobody else knows."""
    seen = gpu.empty(COUNT, "u32")
    gpu.queue().submit(pintle.copy(seen, buffer)).wait(30)
    return seen.numpy()


def slowly_set(driver, address, value, stream):
    """It takes a while until the words are there."""
    for each in range(16):
        driver.check(driver.memset(address, value if each == 15 else 0, COUNT, stream))


def tensor_at(address, number=0):
    deleted, shape = [], (c_int64 * 1)(COUNT)
    managed = exchange.Managed(major=1, deleter=exchange.Deleter(lambda _: deleted.append(1)), tensor=exchange.Tensor(address, KIND, number, 1, 1, 32, 1, shape))
    return exchange.keep(managed, shape), deleted


@pytest.mark.parametrize("is_default", [False, True], ids=["a stream", "the default stream"])
def test_a_tensor_of_a_type_with_functions_is_taken_behind_its_current_stream(driver, gpu, is_default):
    address, stream = driver.allocate(4 * COUNT), None if is_default else driver.stream.value
    managed, deleted = tensor_at(address)
    its = exchange.offer(managed, stream=stream)
    slowly_set(driver, address, 6, stream)
    buffer = gpu.from_dlpack(its)
    assert its.asked == {"tensor": 1, "stream": 1} and (words_of(gpu, buffer) == 6).all() and buffer.native.address == address
    assert not deleted


def test_a_stream_that_cannot_be_wrapped_is_left_to_the_methods(driver, gpu):
    producer = Producer(driver, driver.allocate(4 * COUNT), 5)
    managed, deleted = tensor_at(producer.managed.tensor.data)
    its = exchange.offer(managed, stream=2, methods=producer)  # the default stream of each thread
    buffer = gpu.from_dlpack(its)
    assert its.asked["stream"] == 1 and producer.streams and deleted == [1] and (words_of(gpu, buffer) == 5).all()


def test_a_tensor_of_another_device_is_refused_by_functions_too(driver, gpu):
    for number, device in ((1, gpu), (0, pintle.open("cpu"))):
        managed, deleted = tensor_at(driver.allocate(4 * COUNT), number)
        with pytest.raises(pintle.Unsupported, match=f"device {number}.* is another one"):
            device.from_dlpack(exchange.offer(managed, stream=driver.stream.value))
        gc.collect()
        assert deleted == [1]


def test_what_c_code_hands_over_is_taken_behind_the_stream_that_it_was_told(driver, gpu):
    from test_dlpack_exchange import given, table
    told = c_void_p(5)
    assert table().stream(KIND, 0, byref(told)) == 0 and told.value is None  # the default stream
    managed, deleted = tensor_at(driver.allocate(4 * COUNT))
    slowly_set(driver, managed.tensor.data, 9, None)
    buffer = given(ctypes.pointer(managed))
    assert buffer.native.address == managed.tensor.data and (words_of(gpu, buffer) == 9).all() and not deleted


def test_ones_own_stream_and_memory(driver, gpu):
    address, out = driver.allocate(4 * COUNT), gpu.empty(COUNT, "u32")
    theirs, over = gpu.wrap_queue(driver.stream.value, label="theirs"), gpu.wrap_memory(address, COUNT, "u32", nbytes=4 * COUNT)
    assert theirs.native.stream == driver.stream.value and over.native.address == address and gpu.native.device == 0
    slowly_set(driver, address, 40, driver.stream)
    theirs.submit(pintle.copy(out, over)).wait(30)  # in the caller's own stream
    assert (out.numpy() == 40).all()
    slowly_set(driver, address, 41, driver.stream)
    gpu.queue().submit(pintle.copy(out, over), after=[theirs.submit()]).wait(30)  # behind what is in it so far
    assert (out.numpy() == 41).all()
    for use in (lambda: gpu.wrap_memory(1, COUNT, "u32"), lambda: gpu.wrap_queue(2)):  # 2: the default stream of each thread
        with pytest.raises(pintle.InvalidArgument):
            use()


def test_a_device_over_ones_own_context(driver, gpu):
    with pintle.wrap_device(gpu.native) as theirs:
        assert theirs.native == gpu.native
        buffer = filled(theirs, 7)
        assert (buffer.numpy() == 7).all()
        over = gpu.wrap_memory(buffer.native, (10, 100), "u32", owner=buffer)
        assert (over.numpy() == 7).all()
