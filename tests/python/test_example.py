"""The example of the documentation, word for word, as a program."""

import numpy as np
import pytest

import child
from conftest import taken

EXAMPLE = '''import numpy as np, pintle
x, y = np.full(1000, 3, np.float32), np.ones(1000, np.float32)
pack = pintle.open_pack("saxpy.pack")              # or pintle.source(text, format="opencl_c"); the wheel ships saxpy.pack
device = pintle.open("best", pack)                 # the best device that can run it; pintle.devices() lists all, and what is absent and why
saxpy = device.load(pack)["saxpy"]
dx, dy = device.buffer(x), device.buffer(y)        # always a copy; device.wrap(x) shares the memory, or raises
queue = device.queue()
done = queue.launch(saxpy, 2.0, dx, dy, 1000, items=1000)     # submits; saxpy.command(…) builds one for a list or a recording
done.wait(1.0)                                     # or: await done
print(dy.numpy())                                  # waits for the last write and copies where the memory is not the host's
'''


def run_in(folder, monkeypatch, code, **environment):
    monkeypatch.chdir(folder)
    return child.passes(code, "-W", "error", prelude="", **environment)


def test_it_runs_as_it_is_written(tmp_path, monkeypatch):
    assert run_in(tmp_path, monkeypatch, EXAMPLE) == f"{np.full(1000, 7, np.float32)}\n"


def test_it_runs_on_each_device(device, tmp_path, monkeypatch):
    assert run_in(tmp_path, monkeypatch, EXAMPLE, PINTLE_DEVICE=device.id) == f"{np.full(1000, 7, np.float32)}\n"


def test_it_runs_with_await(tmp_path, monkeypatch):
    code = EXAMPLE.replace("done.wait(1.0) ", "import asyncio\nasync def main(): await done\nasyncio.run(main()) ")
    assert "await done\n" in code
    assert run_in(tmp_path, monkeypatch, code) == f"{np.full(1000, 7, np.float32)}\n"


def test_a_file_here_comes_before_the_shipped_pack(tmp_path, monkeypatch):
    (tmp_path / "saxpy.pack").write_bytes(b"no pack")
    monkeypatch.chdir(tmp_path)
    status, _, err = child.run(EXAMPLE, prelude="")
    assert status == 1 and "pintle.errors.InvalidArgument" in err and "saxpy.pack" in err


@pytest.mark.parametrize("format, text", [
    ("c", "void scale(const pintle_group* group, float a, float* x) { x[group->id[0]] *= a; }\n"),
    ("opencl_c", "kernel void scale(float a, global float* x) { x[get_global_id(0)] *= a; }\n"),
    ("glsl", "#version 450\nlayout(binding = 0) buffer X { float x[]; };\nlayout(push_constant) uniform S { float a; };\n"
             "void main() { x[gl_GlobalInvocationID.x] *= a; }\n")])
def test_a_source_is_a_pack(device, format, text):
    import pintle
    pack = pintle.source(text, format=format, signatures=["scale(a: f32, x: read_write f32[])"])
    scale = device.load(pack)["scale"] if (device.id, format) == ("cpu", "c") else taken(device, pack)["scale"]
    x = device.buffer(np.arange(8, dtype=np.float32))
    device.queue().launch(scale, 2, x, groups=8).wait(30)
    assert x.numpy().tolist() == [2.0 * i for i in range(8)]


SCALE = """kernel void scale(float a, global float* x, uint n) {
  const uint i = get_global_id(0);
  if (i < n) x[i] *= a;
}
"""


def test_a_source_needs_no_signatures(device):
    import pintle
    try:
        pack = pintle.source(SCALE, format="opencl_c")
    except pintle.InvalidArgument as error:
        assert "signatures" in str(error) and "clang-19" in str(error)
        pytest.skip(str(error).splitlines()[0])
    (signature,) = pack.variants[0].signatures
    assert signature.startswith("scale(") and "f32[]" in signature and "u32" in signature
    scale = taken(device, pack)["scale"]
    x = device.buffer(np.arange(1000, dtype=np.float32))
    device.queue().launch(scale, 2.0, x, 1000, items=1000).wait(30)
    assert x.numpy().tolist() == [2.0 * i for i in range(1000)]


def test_a_source_that_does_not_tell_its_entries_needs_signatures():
    import pintle
    with pytest.raises(pintle.InvalidArgument, match="signature"):
        pintle.source("void scale(const pintle_group* group, float a, float* x) {}", format="c")
    with pytest.raises(TypeError, match="signatures"):
        pintle.source(SCALE, format="opencl_c", signatures="scale(a: f32, x: read_write f32[], n: u32)")
