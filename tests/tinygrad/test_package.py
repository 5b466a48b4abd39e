"""The wheel: what it installs, and that nothing of it stays."""

import os
import subprocess
import zipfile
from pathlib import Path

import environment
import pytest

WHEELS = Path(os.environ.get("TINYGRAD_WHEELS", ""))
OUT = Path(os.environ.get("TINYGRAD_OUT", ""))


@pytest.fixture(scope="module")
def wheel():
    found = sorted(OUT.glob("pintle_tinygrad-*.whl"))
    if not found or not (WHEELS / "bin" / "pip").exists():
        pytest.skip("environment.py has made no wheel here")
    return found[-1]


def files_in(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts}


def test_it_adds_one_file_to_tinygrads_folder(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(next(name for name in names if name.endswith("/METADATA"))).decode()
    assert [name for name in names if name.startswith("tinygrad/")] == ["tinygrad/runtime/ops_pintle.py"]
    assert {name.split("/")[0].split("-")[0] for name in names} == {"tinygrad", "pintle_tinygrad"}
    assert "Requires-Dist: tinygrad==0.14.0" in metadata and "Requires-Dist: pintle-driver" in metadata


def test_after_it_is_uninstalled_no_file_is_left(wheel, tmp_path):
    site = environment.bare(tmp_path / "venv")
    environment.give_tinygrad(environment.site_packages(WHEELS), site)
    before = files_in(site)
    environment.pip_on(WHEELS, tmp_path / "venv", "install", "-q", "--no-deps", wheel)
    assert "tinygrad/runtime/ops_pintle.py" in files_in(site)
    says = subprocess.run([tmp_path / "venv" / "bin" / "python", "-B", "-c", "from tinygrad import Device; print('PINTLE' in Device._devices)"],
                          env={**os.environ, "DEV": "PYTHON"}, capture_output=True, text=True, check=True)
    assert says.stdout == "True\n"
    environment.pip_on(WHEELS, tmp_path / "venv", "uninstall", "-q", "-y", "pintle-tinygrad")
    assert files_in(site) == before
