"""SlangPy on the device KIND, cpu or vulkan: wait_for_idle() after each call."""

import numpy as np
import slangpy
from peer import Peer
from values import CHAIN_LENGTH, FACTOR, TRANSFER_FLOATS, make_x, make_y

SOURCE = """
RWStructuredBuffer<float> x;
RWStructuredBuffer<float> y;
uniform uint n;
uniform float a;
[shader("compute")] [numthreads(256, 1, 1)]
void saxpy(uint3 id: SV_DispatchThreadID) {
  uint i = id.x + id.y * 8388608;
  if (i < n) y[i] = a * x[i] + y[i];
}
[shader("compute")] [numthreads(1, 1, 1)]
void inc(uint3 id: SV_DispatchThreadID) { y[0] = y[0] + 1; }
"""
ROW = 32768  # work-groups in a row of the grid; a row has 8,388,608 threads


class SlangpyPeer(Peer):
    def __init__(self, kind):
        super().__init__()
        self.device = slangpy.Device(type=getattr(slangpy.DeviceType, kind), enable_debug_layers=False)
        self.about = f"slangpy {slangpy.__version__} {self.device.info.api_name} {self.device.info.adapter_name}"
        self.module = self.device.load_module_from_source("peers", SOURCE)
        self.saxpy_kernel = self.kernel("saxpy")

    def kernel(self, name):
        return self.device.create_compute_kernel(self.device.link_program([self.module], [self.module.entry_point(name)]))

    def buffer(self, values):
        usage = slangpy.BufferUsage.shader_resource | slangpy.BufferUsage.unordered_access
        return self.device.create_buffer(size=values.nbytes, struct_size=4, usage=usage, data=values)

    def read(self, buffer):
        return buffer.to_numpy().view(np.float32)

    def add_saxpy(self, name, elements):
        groups = -(-elements // 256)
        threads = [min(groups, ROW) * 256, -(-groups // ROW), 1]
        values = {"x": self.buffer(make_x(elements)), "y": self.buffer(make_y(elements)), "n": elements, "a": FACTOR}
        self.keep(name, (threads, values))

    def saxpy(self, name):
        threads, values = self.sizes[name]
        self.saxpy_kernel.dispatch(thread_count=threads, vars=values)
        self.device.wait_for_idle()

    def y(self, name):
        return self.read(self.sizes[name][1]["y"])

    def prepare_counter(self):
        self.counter_kernel = self.kernel("inc")
        self.value = self.buffer(np.zeros(1, np.float32))

    def launch(self):
        self.counter_kernel.dispatch(thread_count=[1, 1, 1], vars={"y": self.value})
        self.device.wait_for_idle()

    def chain(self):
        encoder = self.device.create_command_encoder()
        for _ in range(CHAIN_LENGTH):
            self.counter_kernel.dispatch(thread_count=[1, 1, 1], vars={"y": self.value}, command_encoder=encoder)
        self.device.submit_command_buffer(encoder.finish())
        self.device.wait_for_idle()

    def counter(self):
        return self.read(self.value)

    def prepare_transfer(self):
        self.far = self.buffer(np.zeros(TRANSFER_FLOATS, np.float32))

    def upload(self):
        self.far.copy_from_numpy(self.sent)
        self.device.wait_for_idle()

    def download(self):
        self.received = self.read(self.far)

    def empty(self):
        self.device.is_submit_finished(0)


def create(kind):
    return SlangpyPeer(kind)
