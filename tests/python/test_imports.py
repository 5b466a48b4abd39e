"""The package as a stranger meets it: what an import loads, and what is annotated and documented."""

import enum
import inspect
import os
import subprocess
import sys

import pytest

import child
import pintle

HEAVY = ("numpy", "asyncio", "torch", "logging", "typing_extensions", "inspect", "tempfile", "subprocess", "multiprocessing")


@pytest.mark.parametrize("module", HEAVY)
def test_an_import_does_not_import(module):
    assert child.passes(f"import sys, pintle; print({module!r} in sys.modules)", prelude="") == "False\n"


def test_an_import_starts_nothing():
    code = "import os, pintle; print(len(os.listdir('/proc/self/task')))"
    assert child.passes(code, prelude="") == "1\n"


def test_a_device_works_without_numpy():
    code = """
    import sys
    sys.modules["numpy"] = None
    import pintle
    device = pintle.open("cpu")
    print(device.buffer([1, 2, 3], "i32").nbytes, pintle.devices()[0].id != "")
    queue = device.queue()
    queue.submit(pintle.fill(device.empty(4), 1.0)).wait(30)
    """
    assert child.passes(code, prelude="") == "12 True\n"


def test_an_import_writes_nothing_and_warns_nothing():
    done = subprocess.run([sys.executable, "-B", "-X", "dev", "-W", "error", "-c", "import pintle"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_reload_and_a_second_import_are_the_same():
    code = """
    import sys, pintle
    first = pintle.Error
    import pintle as again
    print(again.Error is first)
    """
    assert child.passes(code, prelude="") == "True\n"


def public():
    """(name, object) of everything that the package offers, with the members of classes that are its own."""
    for name in pintle.__all__:
        its = getattr(pintle, name)
        yield f"pintle.{name}", its
        if not inspect.isclass(its) or issubclass(its, (enum.Enum, BaseException)):
            continue
        for member in sorted({each for kind in its.__mro__ if kind.__module__.startswith("pintle") for each in vars(kind)}):
            if not member.startswith("_"):
                yield f"pintle.{name}.{member}", inspect.getattr_static(its, member)


def of_a_named_tuple(name):
    kind = getattr(pintle, name.split(".")[1], None)
    member = name.split(".")[-1]
    return name.count(".") == 2 and hasattr(kind, "_fields") and (member in kind._fields or member in ("count", "index"))


def test_all_names_what_the_package_has():
    assert len(pintle.__all__) == len(set(pintle.__all__))
    contract = {"devices", "open", "open_pack", "source", "Device", "Buffer", "View", "Queue", "Kernel", "Program", "Point", "Signal", "Recording",
                "copy", "fill", "upload", "download", "barrier", "timestamp", "slot", "wait_all", "wait_any", "Error", "DeviceInfo", "DeviceList", "Absence",
                "Capability", "InvalidArgument", "Unsupported", "Unavailable", "NotFound", "OutOfMemory", "BuildFailed", "Timeout", "Cancelled", "DeviceLost",
                "ProcessPoisoned", "PeerLost", "Stale", "IOFailed", "Internal"}
    assert contract <= set(pintle.__all__)


@pytest.mark.parametrize("name, its", public(), ids=[name for name, _ in public()])
def test_it_has_a_docstring(name, its):
    if of_a_named_tuple(name):
        pytest.skip("a member of a named tuple; its class describes it")
    documented = its.fget if isinstance(its, property) else getattr(its, "__func__", its)
    if inspect.isclass(its) or callable(documented) or inspect.isroutine(documented) or inspect.isdatadescriptor(documented):
        text = inspect.getdoc(documented)
        assert text and len(text) > 10, f"{name} has no docstring"


def stubs():
    """The text of the stubs of the extension."""
    with open(os.path.join(os.path.dirname(pintle.__file__), "_native.pyi"), encoding="utf-8") as file:
        return file.read()


@pytest.mark.parametrize("name, its", public(), ids=[name for name, _ in public()])
def test_it_is_annotated(name, its):
    function = its.fget if isinstance(its, property) else getattr(its, "__func__", its)
    if not inspect.isfunction(function):
        if inspect.isroutine(function) or inspect.isdatadescriptor(function):
            if not of_a_named_tuple(name):
                assert f"def {name.split('.')[-1]}(" in stubs(), f"{name} is in no stub"
        return
    signature = inspect.signature(function)
    missing = [each for each, parameter in signature.parameters.items() if parameter.annotation is parameter.empty and each not in ("self", "cls")]
    assert not missing, f"{name}: {missing} have no annotation"
    assert signature.return_annotation is not signature.empty, f"{name} has no annotation of what it answers"


@pytest.mark.parametrize("name", ["launch", "submit", "replay"])
def test_help_of_the_fast_methods_has_their_names(name):
    text = inspect.getdoc(getattr(pintle.Queue, name))
    assert text
    signature = str(inspect.signature(getattr(pintle.Queue, name)))
    assert "after" in signature


def test_the_package_is_typed():
    assert os.path.exists(os.path.join(os.path.dirname(pintle.__file__), "py.typed"))


def test_the_extension_is_for_every_python():
    from pintle import _native
    assert _native.__file__.endswith("_native.abi3.so")
    needed = subprocess.run(["readelf", "-Ws", "--dyn-syms", _native.__file__], capture_output=True, text=True)
    if needed.returncode == 0:
        private = [line.split()[-1] for line in needed.stdout.splitlines() if " UND " in line and line.split()[-1].startswith("_Py")]
        # These three are in the limited API, by macros.
        assert set(private) <= {"_Py_NoneStruct", "_Py_TrueStruct", "_Py_FalseStruct", "_Py_NotImplementedStruct", "_Py_Dealloc", "_Py_EllipsisObject", "_PyObject_GC_New"}
