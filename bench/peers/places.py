"""Where things are, and the variables that every peer gets."""

import os
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DEBIAN_PYTHON = "/usr/bin/python3"  # the one that has Debian's torch
LAVAPIPE = "/usr/share/vulkan/icd.d"
POCL = Path("/etc/OpenCL/vendors/pocl.icd")


@dataclass(frozen=True)
class Places:
    build: Path = ROOT / "build/release"
    venv: Path = ROOT / "build/venv"
    work: Path = ROOT / "build/peers"

    @property
    def python(self):
        return str(self.venv / "bin/python")

    @property
    def pack(self):
        return str(self.build / "bench/peers/peers.pack")

    def program(self, name):
        return str(self.build / "bin" / name)

    def file(self, name):
        return str(self.work / name)

    def plain(self, kind, name):
        """A file or folder for the peer `name`."""
        return self.work / f"{kind}_{''.join(c if c.isalnum() else '_' for c in name)}"


def lavapipe_manifests():
    return sorted(str(path) for path in Path(LAVAPIPE).glob("lvp_icd.*.json"))


def caches(home):
    """The variables by which whatever is compiled for later is kept in `home` alone."""
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    inside = {"XDG_CACHE_HOME": "cache", "POCL_CACHE_DIR": "pocl", "MESA_SHADER_CACHE_DIR": "mesa", "PINTLE_CACHE_DIR": "pintle",
              "CACHEDB": "tinygrad.db"}
    return {**{key: str(home / name) for key, name in inside.items()}, "HOME": str(home), "TMPDIR": str(home), "XDG_RUNTIME_DIR": str(home)}


def environment(places):
    """Vulkan is lavapipe and OpenCL is PoCL for every peer, whatever else is installed."""
    variables = {**os.environ, **caches(places.work / "home"), "PYTHONDONTWRITEBYTECODE": "1", "PEERS_WORK": str(places.work)}
    variables["VK_ICD_FILENAMES"] = variables["VK_DRIVER_FILES"] = ":".join(lavapipe_manifests())
    if POCL.is_file():
        variables["OCL_ICD_VENDORS"] = str(POCL)
    return variables
