"""The forms of a program that are no text: MLIR's portable bytecode, and an executable that the plug-in has serialized."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pintle

HERE = Path(__file__).parent
AFFINE = "main(x: read f32[2,2], by: f32, y: write f32[2,2])"
DOUBLE = "main(x: read f32[4], y: write f32[4])"
TEXT = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %sum = stablehlo.add %x, %x : tensor<4xf32>
  return %sum : tensor<4xf32>
}
"""
DIGEST = 32  # bytes that the cache puts behind the code


def pack_of(folder, form, code, signature):
    (folder / "code").write_bytes(code)
    (folder / "pack.json").write_text(json.dumps({"name": "forms", "entries": [signature], "variants": [{"format": form, "file": "code"}]}))
    return pintle.open_pack(folder)


def run(device, kernel, *arguments, shape):
    out = device.empty(shape)
    device.queue().launch(kernel, *arguments, out, groups=1).wait(60)
    return out.numpy()


@pytest.fixture
def affine():
    """x * by + 1, by JAX 0.10.2: stablehlo.serialize_portable_artifact at its minimum version."""
    return (HERE / "forms" / "affine.mlirbc").read_bytes()


def test_bytecode_runs(device, affine, tmp_path):
    kernel = device.load(pack_of(tmp_path, "stablehlo", affine, AFFINE))["main"]
    x = np.array([[1, 2], [3, 4]], np.float32)
    assert (run(device, kernel, device.buffer(x), 3.0, shape=(2, 2)) == x * 3 + 1).all()


def test_bytecode_needs_shapes(device, affine, tmp_path):
    with pytest.raises(pintle.BuildFailed, match='needs a shape of numbers for "x"'):
        device.load(pack_of(tmp_path, "stablehlo", affine, AFFINE.replace("x: read f32[2,2]", "x: read f32[]")))


def test_bytecode_has_one_entry(device, affine, tmp_path):
    (tmp_path / "code").write_bytes(affine)
    (tmp_path / "pack.json").write_text(json.dumps({"name": "forms", "entries": [AFFINE, "other()"],
                                                    "variants": [{"format": "stablehlo", "file": "code"}]}))
    with pytest.raises(pintle.BuildFailed, match=r"declares \(2\) entries"):
        device.load(pintle.open_pack(tmp_path))


def test_a_shape_of_the_signature_that_the_code_does_not_have_fails_the_launch(device, affine, tmp_path):
    kernel = device.load(pack_of(tmp_path, "stablehlo", affine, AFFINE.replace("x: read f32[2,2]", "x: read f32[3]")))["main"]
    with pytest.raises(pintle.Error, match="The plug-in refuses the launch"):
        run(device, kernel, device.buffer(np.zeros(3, np.float32)), 3.0, shape=(2, 2))


def test_what_the_plugin_serialized_is_a_program(device, tmp_path):
    """An executable from the cache of another process."""
    first, cache = tmp_path / "first", tmp_path / "cache"
    first.mkdir()
    pack_of(first, "stablehlo", TEXT.encode(), DOUBLE)
    load = f"import pintle\nwith pintle.open({device.id!r}) as device: device.load(pintle.open_pack({str(first)!r}))"
    subprocess.run([sys.executable, "-c", load], check=True, env={**os.environ, "PINTLE_CACHE_DIR": str(cache)})
    (file,) = cache.glob("*.pjrt")
    kernel = device.load(pack_of(tmp_path, "pjrt_executable", file.read_bytes()[:-DIGEST], DOUBLE))["main"]
    x = np.arange(4, dtype=np.float32)
    assert (run(device, kernel, device.buffer(x), shape=(4,)) == 2 * x).all()


def test_an_executable_that_is_none_is_refused(device, tmp_path):
    with pytest.raises(pintle.BuildFailed, match="serialized executable"):
        device.load(pack_of(tmp_path, "pjrt_executable", b"nothing of the kind", DOUBLE))
