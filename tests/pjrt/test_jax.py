"""Networks and functions that JAX lowers here, on pjrt's devices, equal to JAX's own results. Skipped where jax is not importable."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from network import PACK, RATE, STEPS, OnDevice, assert_close, example

import pintle

jax = pytest.importorskip("jax", reason="jax is not here; ./dev setup peers installs it")
ROOT = Path(__file__).resolve().parents[2]

import jax.numpy as jnp
import mlp
from mlp import jax_pack

# JAX's CPU compiler and a plug-in's are of different XLA versions, which fuse and sum in different orders: so results are compared as with f64.


def jax_array(*sides, dtype="float32"):
    return jax.ShapeDtypeStruct(sides, dtype)


@pytest.fixture
def load(device, tmp_path):
    """The kernels of functions: each of `functions` is lowered."""
    def load(**functions):
        signatures = jax_pack.write_pack(tmp_path / "made.pack", functions)
        return device.load(pintle.open_pack(tmp_path / "made.pack")), signatures
    return load


@pytest.fixture
def run(device):
    def run(kernel, *arguments):
        device.queue().launch(kernel, *arguments, groups=1).wait(60)
    return run


# The network

def test_the_pack_here_is_what_the_script_writes(tmp_path):
    tested = re.search(r"^jax==([^ ]+)", (ROOT / "tools" / "wheels.txt").read_text(encoding="utf-8"), re.MULTILINE).group(1)
    if jax.__version__ != tested:
        pytest.skip(f"The pack was written by jax {tested}, and this is {jax.__version__}.")
    mlp.write(tmp_path / PACK.name)
    for name in ("pack.json", "mlp.mlir"):
        assert (tmp_path / PACK.name / name).read_text(encoding="utf-8") == (PACK / name).read_text(encoding="utf-8")


def test_a_network_equals_jax(device, tmp_path):
    params, x, labels = example()
    mlp.write(tmp_path / "mlp.pack")
    network = OnDevice(device, params, tmp_path / "mlp.pack")
    assert_close(network.forward(x), jax.jit(mlp.forward)(params, x))
    step, theirs, losses = jax.jit(mlp.step), params, []
    for _ in range(STEPS):
        loss, theirs = step(theirs, x, labels, RATE)
        losses.append(float(loss))
    assert_close(network.steps(x, labels), losses)
    for name, value in network.params().items():
        assert_close(value, theirs[name])
    assert_close(network.forward(x), jax.jit(mlp.forward)(theirs, x))


# What becomes a parameter of what

def test_a_donated_argument_is_updated_by_its_own_result(load, run, device):
    """JAX gives the memory by type alone: the sum would take that of `n`, and `a` that of `mu.a`."""
    def update(state, x):
        return x.sum(), {"mu": {"a": state["mu"]["a"] + 1}, "a": state["a"] * 2, "n": state["n"] + 3}

    state = {"a": jax_array(4), "mu": {"a": jax_array(4)}, "n": jax_array()}
    program, signatures = load(update=jax.jit(update, donate_argnums=0).lower(state, jax_array(5)))
    assert signatures == ["update(state_a: read_write f32[4], state_mu_a: read_write f32[4], state_n: read_write f32[1], x: read f32[5], "
                          "out_0: write f32[1])"]
    a, mu, n, x, total = (device.buffer(np.full(size, value, np.float32)) for size, value in ((4, 10), (4, 20), (1, 30), (5, 1), (1, 0)))
    for _ in range(2):
        run(program["update"], a, mu, n, x, total)
    assert [each.numpy().tolist() for each in (a, mu, n, total)] == [[40] * 4, [22] * 4, [36], [5]]


@pytest.mark.filterwarnings("ignore:Some donated buffers were not usable")
def test_a_donated_argument_without_such_a_result_is_read(load, run, device):
    """JAX gives `y` the memory of `x`, which is the first of its type."""
    def head(state):
        return state["x"][:2] + state["y"][1], {"y": state["y"] * 2}

    program, signatures = load(head=jax.jit(head, donate_argnums=0).lower({"x": jax_array(4), "y": jax_array(4)}))
    assert signatures == ["head(state_x: read f32[4], state_y: read_write f32[4], out_0: write f32[2])"]
    x, y, out = (device.buffer(np.arange(size, dtype=np.float32)) for size in (4, 4, 2))
    run(program["head"], x, y, out)
    assert [each.numpy().tolist() for each in (x, y, out)] == [[0, 1, 2, 3], [0, 2, 4, 6], [1, 2]]


def test_functions_with_functions_of_one_name(load, run, device):
    """Both use a @relu, of different types."""
    program, _ = load(small=jax.jit(jax.nn.relu).lower(jax_array(2)), large=jax.jit(lambda x: jax.nn.relu(x) + 1).lower(jax_array(3)))
    for name, size, wanted in (("small", 2, [0, 0]), ("large", 3, [1, 1, 2])):
        out = device.empty(size)
        run(program[name], device.buffer(np.arange(-1, size - 1, dtype=np.float32)), out)
        assert out.numpy().tolist() == wanted


def test_scalars_and_types(load, run, device):
    def mixed(flags, count, scale, z):
        return jnp.where(flags, count, 0), (jnp.full(2, scale, jnp.bfloat16), jnp.conj(z)), scale * 2

    asked = jax_array(3, dtype="bool"), jax_array(dtype="uint32"), jax_array(), jax_array(2, dtype="complex64")
    program, signatures = load(mixed=jax.jit(mixed).lower(*asked))
    assert signatures == ["mixed(flags: read bool[3], count: u32, scale: f32, z: read complex64[2], out_0: write u32[3], out_1_0: write bf16[2], "
                          "out_1_1: write complex64[2], out_2: write f32[1])"]
    z = np.array([1 + 2j, 3 - 4j], np.complex64)
    outs = [device.empty(3, "u32"), device.empty(2, "bf16"), device.empty(2, "complex64"), device.empty(1)]
    run(program["mixed"], device.buffer(np.array([True, False, True])), 7, 1.5, device.buffer(z), *outs)
    assert outs[0].numpy().tolist() == [7, 0, 7]
    assert outs[1].numpy().tolist() == [0x3FC0] * 2
    assert (outs[2].numpy() == z.conj()).all()
    assert outs[3].numpy().tolist() == [3]


def test_no_argument(load, run, device):
    program, signatures = load(iota=jax.jit(lambda: jnp.arange(4, dtype=jnp.int32)).lower())
    assert signatures == ["iota(out: write i32[4])"]
    out = device.empty(4, "i32")
    run(program["iota"], out)
    assert out.numpy().tolist() == [0, 1, 2, 3]


# The command

FILE = """
import jax, functools
def scale(x, by):
    return x * by
@functools.partial(jax.jit, donate_argnums=0)
def add(x, y):
    return x + y
"""


@pytest.fixture
def model(tmp_path, monkeypatch):
    """A folder with a module, in which the command runs."""
    (tmp_path / "model.py").write_text(FILE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "model", raising=False)
    return tmp_path


WORDS = ["model.py:scale(f32[2,3], f32)", "model:add(i32[4],i32[4])", "-o", "out.pack"]
SIGNATURES = ["scale(x: read f32[2,3], by: f32, out: write f32[2,3])", "add(x: read_write i32[4], y: read i32[4])"]


def test_the_command(model, capsys, device, run):
    assert jax_pack.main(WORDS) == 0
    assert capsys.readouterr().out.splitlines() == SIGNATURES
    program = device.load(pintle.open_pack(model / "out.pack"))
    x, y = device.buffer(np.arange(4, dtype=np.int32)), device.buffer(np.full(4, 10, np.int32))
    run(program["add"], x, y)
    assert x.numpy().tolist() == [10, 11, 12, 13]


def test_the_command_in_a_process(model):
    ended = subprocess.run([sys.executable, "-B", ROOT / "tools" / "jax_pack.py", *WORDS], capture_output=True, text=True, timeout=280)
    assert (ended.returncode, ended.stdout.splitlines()) == (0, SIGNATURES), ended.stderr
    assert pintle.open_pack(model / "out.pack").variants[0].format == "stablehlo"


@pytest.mark.parametrize(("asked", "said"), [
    ("model:scale", "is not MODULE:FUNCTION(TYPES)"),
    ("model:none(f32)", "has no attribute 'none'"),
    ("absent:scale(f32)", "No module named 'absent'"),
    ("model:scale(f33[2], f32)", '"f33[2]" is no type'),
    ("model:scale(f64[2], f32)", "JAX_ENABLE_X64=1"),
    ("model:scale(f32[0], f32)", "tensor<0xf32>"),
])
def test_the_command_refuses(asked, said, model, capsys):
    assert jax_pack.main([asked, "-o", "out.pack"]) == 1
    assert said in capsys.readouterr().err
    assert not (model / "out.pack").exists()


# What no pack can have

def test_an_argument_that_the_function_does_not_use(tmp_path):
    with pytest.raises(jax_pack.BadInput, match=r"has \(2\) arguments and uses \(1\).*keep_unused"):
        jax_pack.write_pack(tmp_path / "x.pack", {"first": jax.jit(lambda a, b: a).lower(jax_array(2), jax_array(2))})


@pytest.mark.parametrize(("folder", "entry", "words"), [("a-b.pack", "f", '"a-b" is no name of a program'), ("x.pack", "<lambda>", '"<lambda>" is no name')])
def test_names_that_are_none(folder, entry, words, tmp_path):
    with pytest.raises(jax_pack.BadInput, match=words):
        jax_pack.write_pack(tmp_path / folder, {entry: jax.jit(lambda a: a + 1).lower(jax_array(2))})


def test_no_function(tmp_path):
    with pytest.raises(jax_pack.BadInput, match="at least one function"):
        jax_pack.write_pack(tmp_path / "x.pack", {})
