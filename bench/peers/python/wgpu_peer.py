"""wgpu-py on its Vulkan backend: an encoder, a pass, a submission and a wait for each call."""

import struct

import numpy as np
import wgpu
from peer import Peer
from values import CHAIN_LENGTH, FACTOR, TRANSFER_FLOATS, make_x, make_y

COUNTER = """
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(1)
fn main() { y[0] = y[0] + 1.0; }
"""
SAXPY = """
struct Scalars { a: f32, n: u32 };
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> scalars: Scalars;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.x + id.y * groups.x * 256u;
  if (i < scalars.n) { y[i] = scalars.a * x[i] + y[i]; }
}
"""
ROW = 32768  # work-groups in a row of the grid


class WgpuPeer(Peer):
    def __init__(self):
        super().__init__()
        adapters = [one for one in wgpu.gpu.enumerate_adapters_sync() if one.info["backend_type"] == "Vulkan"]
        if not adapters:
            raise ValueError("wgpu finds no Vulkan adapter")
        self.device = adapters[0].request_device_sync()
        self.about = f"wgpu-py {wgpu.__version__}, {adapters[0].summary}"
        self.saxpy_pipeline = self.pipeline(SAXPY)

    def pipeline(self, code):
        module = self.device.create_shader_module(code=code)
        return self.device.create_compute_pipeline(layout="auto", compute={"module": module, "entry_point": "main"})

    def buffer(self, data):
        usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC | wgpu.BufferUsage.COPY_DST
        return self.device.create_buffer_with_data(data=data, usage=usage)

    def group(self, pipeline, *buffers):
        entries = [{"binding": index, "resource": {"buffer": buffer, "offset": 0, "size": buffer.size}}
                   for index, buffer in enumerate(buffers)]
        return self.device.create_bind_group(layout=pipeline.get_bind_group_layout(0), entries=entries)

    def wait(self):
        self.device._poll_wait()  # wgpuDevicePoll(wait): the quickest wait that the binding has

    def run(self, pipeline, group, grid, times=1):
        encoder = self.device.create_command_encoder()
        one = encoder.begin_compute_pass()
        one.set_pipeline(pipeline)
        one.set_bind_group(0, group)
        for _ in range(times):
            one.dispatch_workgroups(*grid)
        one.end()
        self.device.queue.submit([encoder.finish()])
        self.wait()

    def read(self, buffer):
        return np.frombuffer(self.device.queue.read_buffer(buffer), np.float32)

    def add_saxpy(self, name, elements):
        x, y = self.buffer(make_x(elements)), self.buffer(make_y(elements))
        scalars = self.device.create_buffer_with_data(data=struct.pack("fI", FACTOR, elements), usage=wgpu.BufferUsage.UNIFORM)
        groups = -(-elements // 256)
        self.keep(name, (y, self.group(self.saxpy_pipeline, x, y, scalars), (min(groups, ROW), -(-groups // ROW))))

    def saxpy(self, name):
        _, group, grid = self.sizes[name]
        self.run(self.saxpy_pipeline, group, grid)

    def y(self, name):
        return self.read(self.sizes[name][0])

    def prepare_counter(self):
        self.counter_pipeline = self.pipeline(COUNTER)
        self.value = self.buffer(np.zeros(1, np.float32))
        self.counter_group = self.group(self.counter_pipeline, self.value)

    def launch(self):
        self.run(self.counter_pipeline, self.counter_group, (1, 1))

    def chain(self):
        self.run(self.counter_pipeline, self.counter_group, (1, 1), CHAIN_LENGTH)

    def counter(self):
        return self.read(self.value)

    def prepare_transfer(self):
        self.far = self.buffer(np.zeros(TRANSFER_FLOATS, np.float32))

    def upload(self):
        self.device.queue.write_buffer(self.far, 0, self.sent)
        self.device.queue.submit([])
        self.wait()

    def download(self):
        self.received = self.read(self.far)

    def empty(self):
        self.wait()


def create(_kind):
    return WgpuPeer()
