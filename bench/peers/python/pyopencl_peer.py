"""pyopencl on PoCL: the calls of native/opencl.cpp, with its kernels, from Python."""

from pathlib import Path

import numpy as np
import pyopencl
from peer import Peer
from values import CHAIN_LENGTH, FACTOR, TRANSFER_FLOATS, make_x, make_y

KERNELS = Path(__file__).resolve().parent.parent / "kernels" / "peers.cl"
PLATFORM = "Portable"


class PyopenclPeer(Peer):
    def __init__(self):
        super().__init__()
        platforms = [one for one in pyopencl.get_platforms() if PLATFORM in one.name]
        if not platforms:
            raise ValueError(f'there is no OpenCL platform "{PLATFORM}"')
        self.context = pyopencl.Context(platforms[0].get_devices()[:1])
        self.queue = pyopencl.CommandQueue(self.context)
        self.program = pyopencl.Program(self.context, KERNELS.read_text(encoding="ascii")).build()
        self.about = f"pyopencl {pyopencl.VERSION_TEXT} on {platforms[0].version}"

    def buffer(self, values):
        made = pyopencl.Buffer(self.context, pyopencl.mem_flags.READ_WRITE, values.nbytes)
        pyopencl.enqueue_copy(self.queue, made, values)
        return made

    def read(self, buffer, elements):
        values = np.empty(elements, np.float32)
        pyopencl.enqueue_copy(self.queue, values, buffer)
        return values

    def add_saxpy(self, name, elements):
        x, y, kernel = self.buffer(make_x(elements)), self.buffer(make_y(elements)), pyopencl.Kernel(self.program, "saxpy")
        kernel.set_args(np.float32(FACTOR), x, y, np.uint32(elements))
        self.keep(name, (kernel, y, (-(-elements // 256) * 256,), elements, x))

    def saxpy(self, name):
        size = self.sizes[name]
        pyopencl.enqueue_nd_range_kernel(self.queue, size[0], size[2], (256,))
        self.queue.finish()

    def y(self, name):
        return self.read(self.sizes[name][1], self.sizes[name][3])

    def prepare_counter(self):
        self.value = self.buffer(np.zeros(1, np.float32))
        self.counter_kernel = pyopencl.Kernel(self.program, "inc")
        self.counter_kernel.set_args(self.value)

    def launch(self):
        pyopencl.enqueue_nd_range_kernel(self.queue, self.counter_kernel, (1,), (1,))
        self.queue.finish()

    def chain(self):
        enqueue, queue, kernel = pyopencl.enqueue_nd_range_kernel, self.queue, self.counter_kernel
        for _ in range(CHAIN_LENGTH):
            enqueue(queue, kernel, (1,), (1,))
        queue.finish()

    def counter(self):
        return self.read(self.value, 1)

    def prepare_transfer(self):
        self.far = pyopencl.Buffer(self.context, pyopencl.mem_flags.READ_WRITE, TRANSFER_FLOATS * 4)

    def upload(self):
        pyopencl.enqueue_copy(self.queue, self.far, self.sent, is_blocking=True)

    def download(self):
        pyopencl.enqueue_copy(self.queue, self.received, self.far, is_blocking=True)

    def empty(self):
        self.queue.flush()


def create(_kind):
    return PyopenclPeer()
