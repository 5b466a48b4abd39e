"""Images, samplers and texel buffers: copies with buffers, and arguments of kernels."""

import numpy as np
import pytest

import pintle
from conftest import taken

WIDTH, HEIGHT = 21, 13
PAINT = """
void paint(const pintle_group* group, const pintle_cpu_image* out, uint32_t base) {
  for (uint32_t x = 0; x < out->width; ++x) {
    uint8_t* at = (uint8_t*)out->texels + group->id[0] * out->row_bytes + x * 4;
    at[0] = (uint8_t)x; at[1] = (uint8_t)group->id[0]; at[2] = (uint8_t)base; at[3] = (uint8_t)out->texel;
  }
}
"""
ASK = """
void ask(const pintle_group* group, const pintle_cpu_sampler* s, uint32_t* out) {
  (void)group;
  out[0] = s->filter; out[1] = s->address; out[2] = s->coordinates;
}
"""
RISE = """
void rise(const pintle_group* group, const pintle_cpu_image* in, const pintle_cpu_image* out) {
  (void)group;
  for (uint32_t i = 0; i < in->width; ++i) ((uint32_t*)out->texels)[i] = ((const uint32_t*)in->texels)[i] + in->texel;
}
"""
SCALE = """
kernel void scale(read_only image2d_t in, sampler_t how, write_only image2d_t out) {
  const int2 at = (int2)((int)get_global_id(0), (int)get_global_id(1));
  write_imagef(out, at, read_imagef(in, how, convert_float2(at) + 0.5f) * 0.5f);
}
"""


def kernel_of(device, code, signature):
    return device.load(pintle.source(code, "c", [signature]))[signature.partition("(")[0]]


def usable(device, texel, access="read_write"):
    """Skips, with the reason, on a device that has no such images."""
    support = device.texel_support(texel).image_access
    if support is None or (access != support and support != "read_write"):
        pytest.skip(f"{device.id} has no images of {texel} for {access}: {support}")


def texels(size=(HEIGHT, WIDTH)):
    return np.arange(4 * int(np.prod(size)), dtype=np.uint32).astype(np.uint8).reshape(*size, 4)


def test_texels_come_and_go(device):
    usable(device, "rgba8ui")
    queue, image = device.queue(), device.image((WIDTH, HEIGHT), "rgba8ui", label="frame")
    assert (image.size, image.texel, image.access, image.nbytes) == ((WIDTH, HEIGHT), "rgba8ui", "read_write", 4 * WIDTH * HEIGHT)
    there, back = device.buffer(texels()), device.empty((HEIGHT, WIDTH, 4), "u8")
    queue.submit(pintle.copy(image, there), pintle.copy(back, image)).wait(30)
    assert (back.numpy() == texels()).all() and f"{WIDTH} x {HEIGHT}" in repr(image)


def test_a_part_has_its_own_rows(device):
    usable(device, "rgba8ui")
    queue, image = device.queue(), device.image((WIDTH, HEIGHT), "rgba8ui")
    zeros, small = device.buffer(np.zeros((HEIGHT, WIDTH, 4), np.uint8)), device.buffer(texels((3, 8)))
    back = device.empty((HEIGHT, WIDTH, 4), "u8")
    part = pintle.ImagePart(2, 1, width=5, height=3, row_bytes=8 * 4)
    queue.submit(pintle.copy(image, zeros), pintle.copy(image, small, part=part), pintle.copy(back, image)).wait(30)
    wanted = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
    wanted[1:4, 2:7] = texels((3, 8))[:, :5]
    assert (back.numpy() == wanted).all() and "width=5" in repr(part)


def test_images_of_three_dimensions(device):
    if device.image_limits.max_image_3d == 0:
        pytest.skip(f"{device.id} has no images of three dimensions")
    usable(device, "rgba8ui")
    queue, image = device.queue(), device.image((5, 4, 3), "rgba8ui")
    there, back = device.buffer(texels((3, 4, 5))), device.empty((3, 4, 5, 4), "u8")
    queue.submit(pintle.copy(image, there), pintle.copy(back, image)).wait(30)
    assert image.size == (5, 4, 3) and (back.numpy() == texels((3, 4, 5))).all()


def test_a_kernel_writes_an_image(cpu):
    paint = kernel_of(cpu, PAINT, "paint(out: write image2d rgba8ui, base: u32) group 1")
    queue, image, back = cpu.queue(), cpu.image((WIDTH, HEIGHT), "rgba8ui"), cpu.empty((HEIGHT, WIDTH, 4), "u8")
    assert paint.parameters[0].kind == "image" and paint.parameters[0].dtype is None
    queue.launch(paint, image, 77, groups=HEIGHT)
    queue.submit(pintle.copy(back, image)).wait(30)
    assert back.numpy()[3, 4].tolist()[:3] == [4, 3, 77]
    recording = cpu.record(paint.command(image, pintle.slot(0), groups=HEIGHT), pintle.copy(back, image))
    for base in (1, 2):
        queue.replay(recording, base).wait(30)
        assert back.numpy()[3, 4].tolist()[:3] == [4, 3, base]


def test_a_kernel_samples_an_image(device):
    usable(device, "rgba8", "read")
    usable(device, "rgba8", "write")
    pack = pintle.source(SCALE, "opencl_c", ["scale(in: read image2d, how: sampler, out: write image2d rgba8) group 1,1"])
    scale = taken(device, pack)["scale"]
    queue, size = device.queue(), (WIDTH, HEIGHT)
    source, target = device.image(size, access="read"), device.image(size, access="write")
    back, bytes_in = device.empty((HEIGHT, WIDTH, 4), "u8"), np.full((HEIGHT, WIDTH, 4), 200, np.uint8)
    how = pintle.Sampler(coordinates="texels")
    queue.submit(pintle.copy(source, device.buffer(bytes_in)), scale.command(source, how, target, groups=size), pintle.copy(back, target)).wait(30)
    assert (back.numpy() == 100).all()


def test_a_sampler_arrives(cpu):
    ask = kernel_of(cpu, ASK, "ask(s: sampler, out: write u32[]) group 1")
    queue, out = cpu.queue(), cpu.empty(3, "u32")
    queue.launch(ask, pintle.Sampler(), out, groups=1).wait(30)
    assert out.numpy().tolist() == [1, 1, 1]
    how = pintle.Sampler("linear", "border", "texels")
    queue.launch(ask, how, out, groups=1).wait(30)
    assert out.numpy().tolist() == [2, 2, 2] and repr(how) == "pintle.Sampler('linear', 'border', 'texels')"
    with pytest.raises(pintle.InvalidArgument):  # these two do not go together
        queue.launch(ask, pintle.Sampler("nearest", "repeat", "texels"), out, groups=1)


def test_a_buffer_is_read_as_texels(cpu):
    rise = kernel_of(cpu, RISE, "rise(in: read texel_buffer, out: write texel_buffer r32ui) group 1")
    queue, words = cpu.queue(), cpu.buffer(np.arange(1000, dtype=np.uint32))
    out = cpu.buffer(np.zeros(1000, np.uint32))
    texels = pintle.TexelBuffer(words[256:756], "r32ui")
    assert texels.texel == "r32ui" and texels.memory.nbytes == 2000
    queue.launch(rise, texels, pintle.TexelBuffer(out, "r32ui"), groups=1)
    seen = out.numpy()  # waits for the launch: the buffer is in use by way of its texels
    number = seen[0] - 256
    assert (seen[:500] == np.arange(256, 756) + number).all() and (seen[500:] == 0).all()
    with pytest.raises(pintle.InvalidArgument):
        queue.launch(rise, texels, pintle.TexelBuffer(out, "r32f"), groups=1)


def test_another_argument_is_a_type_error(cpu):
    paint, ask = kernel_of(cpu, PAINT, "paint(out: write image2d rgba8ui, base: u32) group 1"), kernel_of(cpu, ASK, "ask(s: sampler, out: write u32[]) group 1")
    rise = kernel_of(cpu, RISE, "rise(in: read texel_buffer, out: write texel_buffer r32ui) group 1")
    buffer, image, how, queue = cpu.empty(16, "u32"), cpu.image((4, 4), "rgba8ui"), pintle.Sampler(), cpu.queue()
    for kernel, arguments in ((paint, (buffer, 1)), (paint, (None, 1)), (paint, ((image, 3), 1)), (ask, (image, buffer)), (ask, ("linear", buffer)),
                              (rise, (buffer, buffer)), (rise, (image, image))):
        with pytest.raises(TypeError):
            queue.launch(kernel, *arguments, groups=1)
    with pytest.raises(pintle.InvalidArgument):  # the kernel has no sampler of its own
        queue.launch(paint, (image, how), 1, groups=1)
    with pytest.raises(TypeError):
        pintle.TexelBuffer(image, "r32ui")


def test_dead_and_foreign_images_are_refused(cpu):
    paint = kernel_of(cpu, PAINT, "paint(out: write image2d rgba8ui, base: u32) group 1")
    queue, buffer = cpu.queue(), cpu.empty(64, "u8")
    with cpu.image((4, 4), "rgba8ui") as image:
        command = pintle.copy(buffer, image)
    assert image.closed and "closed" in repr(image)
    for use in (lambda: queue.submit(command), lambda: queue.launch(paint, image, 1, groups=1), lambda: pintle.copy(buffer, image), lambda: image.size):
        with pytest.raises(pintle.Stale):
            use()
    other = pintle.open("cpu?inline")
    with pytest.raises(pintle.InvalidArgument):
        queue.launch(paint, other.image((4, 4), "rgba8ui"), 1, groups=1)


@pytest.mark.parametrize("make, kind", [
    (lambda device: device.image((4,)), pintle.InvalidArgument), (lambda device: device.image((4, 0)), pintle.InvalidArgument),
    (lambda device: device.image((4, 1 << 31)), pintle.InvalidArgument), (lambda device: device.image((4, -1)), pintle.InvalidArgument),
    (lambda device: device.image((4, 4), "rgb8"), pintle.NotFound), (lambda device: device.image((4, 4), access="often"), pintle.InvalidArgument),
    (lambda device: device.image((4, 1.5)), TypeError), (lambda device: device.texel_support("x"), pintle.NotFound),
    (lambda device: pintle.Sampler("blurred"), pintle.InvalidArgument), (lambda device: pintle.TexelBuffer(device.empty(4), "x"), pintle.NotFound),
    (lambda device: pintle.ImagePart(-1), pintle.InvalidArgument), (lambda device: pintle.ImagePart(width=1 << 32), pintle.InvalidArgument),
    (lambda device: pintle.copy(device.image((4, 4)), device.image((4, 4))), TypeError), (lambda device: pintle.copy(device.image((4, 4)), 3), TypeError),
    (lambda device: pintle.copy(device.empty(4), device.empty(4), part=pintle.ImagePart()), TypeError),
    (lambda device: pintle.copy(device.image((4, 4)), device.empty(64, "u8"), part=3), TypeError)])
def test_wrong_images_are_refused(cpu, make, kind):
    with pytest.raises(kind):
        make(cpu)


def test_a_buffer_that_is_too_small_is_refused(cpu):
    image, queue = cpu.image((4, 4)), cpu.queue()
    for command in (pintle.copy(image, cpu.empty(63, "u8")), pintle.copy(cpu.empty(64, "u8"), image, part=pintle.ImagePart(3, width=2, height=1))):
        with pytest.raises(pintle.InvalidArgument):
            queue.submit(command)


def test_limits_and_support_are_facts(device):
    limits = device.image_limits
    assert all(isinstance(each, int) and each >= 0 for each in limits)
    support = device.texel_support("rgba8")
    assert support.image_access in (None, "read", "write", "read_write") and isinstance(support.is_filtered, bool)
    assert (limits.max_image_2d > 0) == any(device.texel_support(texel).image_access for texel in ("rgba8", "rgba32f", "r32ui"))


def test_a_replay_binds_the_buffer_of_an_image(cpu):
    image, queue = cpu.image((4, 4), "rgba8ui"), cpu.queue()
    recording = cpu.record(pintle.copy(image, pintle.slot(0)), pintle.copy(pintle.slot(1), image))
    there, back = cpu.buffer(texels((4, 4))), cpu.empty((4, 4, 4), "u8")
    queue.replay(recording, there, back)
    assert (back.numpy() == texels((4, 4))).all()
    for wrong, kind in ((np.zeros(64, np.uint8), TypeError), (3, TypeError), (cpu.empty(63, "u8"), pintle.InvalidArgument)):
        with pytest.raises(kind):
            queue.replay(recording, there, wrong)
    with pytest.raises(pintle.InvalidArgument):
        cpu.record(pintle.copy(image, pintle.slot(0)), pintle.upload(cpu.empty(64, "u8"), pintle.slot(0)))
    with pytest.raises(TypeError):
        pintle.copy(image, None)
