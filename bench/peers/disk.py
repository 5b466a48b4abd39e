"""What each peer takes on the disk: a program without its symbols and the libraries that it brings, or a wheel with all that it requires."""

import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

from places import DEBIAN_PYTHON, HERE

RUNTIME = re.compile(r"/(libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s|ld-linux[^/]*)\.so")
MIB = 2**20


def said(command, variables=None):
    return subprocess.run(command, capture_output=True, text=True, check=True, env=variables).stdout


def libraries_of(path):
    """Bytes of what a file is linked with, less the runtime of C and C++."""
    found = re.findall(r"(?:=> |^\s+)(/\S+)", said(["ldd", path]), re.MULTILINE)
    return sum(os.path.getsize(os.path.realpath(library)) for library in found if not RUNTIME.search(library))


def program_bytes(path):
    with tempfile.TemporaryDirectory() as folder:
        stripped = os.path.join(folder, "stripped")
        said(["strip", "-o", stripped, path])
        return os.path.getsize(stripped) + libraries_of(path)


def wheel_bytes(places, variables, names):
    """{wheel: bytes with all that it requires}."""
    return json.loads(said([places.python, "-B", str(HERE / "python/wheel_bytes.py"), *names], variables))


def torch_bytes():
    folder, core = said([DEBIAN_PYTHON, "-c", "import os, torch; print(os.path.dirname(torch.__file__)); print(torch._C.__file__)"]).split()
    files = [path for path in Path(folder).rglob("*") if path.is_file() and not path.is_symlink() and path.suffix != ".pyc"]
    return sum(path.stat().st_size for path in files) + libraries_of(core)


def package_bytes(*names):
    """Bytes of the Debian packages among `names` that are installed."""
    asked = ["dpkg-query", "-W", "-f", "${db:Status-Status} ${Installed-Size}\n", *names]
    lines = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("installed "))


def shared_sizes(places):
    """MiB of what several rows need."""
    sizes = {
        "Pintle's library (static)": os.path.getsize(places.build / "libpintle++.a"),
        "lavapipe (mesa-vulkan-drivers, libllvm15)": package_bytes("mesa-vulkan-drivers", "libllvm15"),
        "PoCL (pocl-opencl-icd, libpocl2, libpocl2-common, libllvm14, libclang-cpp14)":
            package_bytes("pocl-opencl-icd", "libpocl2", "libpocl2-common", "libllvm14", "libclang-cpp14"),
        "gcc for Pintle's kernels in C (cpp-12, gcc-12)": package_bytes("cpp-12", "gcc-12"),
    }
    return {name: round(size / MIB, 1) for name, size in sizes.items()}


def peer_sizes(places, variables, set_ups):
    """{name: MiB} of the set-ups; one that cannot be asked is not among them."""
    names = sorted({one.distribution for one in set_ups if one.distribution})
    wheels = wheel_bytes(places, variables, names) if names else {}
    sizes = {}
    for one in set_ups:
        if one.distribution:
            size = wheels.get(one.distribution, 0)
        elif one.name.startswith("torch"):
            size = torch_bytes()
        else:
            size = program_bytes(one.command[0])
        sizes[one.name] = round(size / MIB, 1)
    return sizes
