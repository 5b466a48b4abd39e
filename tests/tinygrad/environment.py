"""Makes the Python of these tests: `environment.py OUT PACKAGE WHEELS SOURCES`.

OUT/venv has tinygrad of the wheels' environment (WHEELS), the package pintle (PACKAGE is its folder) and pintle-tinygrad, installed by pip from a
wheel that is made here; what tinygrad needs besides comes from the system. OUT/tests has the test that tinygrad's source distribution brings.
Where something is not there it says so and ends with 77, a skip.
"""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INTEGRATION = ROOT / "integrations" / "tinygrad"
SKIPPED = 77


def skip(reason):
    print(f"skipped: {reason}; ./dev setup tinygrad installs it")
    sys.exit(SKIPPED)


def site_packages(venv):
    found = sorted(venv.glob("lib/python3*/site-packages"))
    if not found:
        skip(f"there is no environment {venv}")
    return found[0]


def bare(venv):
    """An environment without pip, which sees the system's packages."""
    shutil.rmtree(venv, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", venv], check=True)
    return site_packages(venv)


def give_tinygrad(wheels, site):
    """The files that pip has installed there, so that this pip knows the distribution."""
    for path in ("tinygrad", *(each.name for each in wheels.glob("tinygrad-*.dist-info"))):
        shutil.copytree(wheels / path, site / path, ignore=shutil.ignore_patterns("__pycache__", "ops_pintle.py"))


def make_wheel(pip, out):
    """The wheel of pintle-tinygrad, from a copy: setuptools writes beside its sources."""
    for old in out.glob("pintle_tinygrad-*.whl"):
        old.unlink()
    copy = out / "source"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(INTEGRATION, copy, ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run([pip, "wheel", "-q", "--no-deps", "--no-build-isolation", "--disable-pip-version-check", "-w", out, copy], check=True)
    return next(out.glob("pintle_tinygrad-*.whl"))


def pip_on(wheels_venv, venv, *words):
    """pip of the wheels' environment, for another environment."""
    subprocess.run([wheels_venv / "bin" / "pip", "--python", venv / "bin" / "python", "--disable-pip-version-check", *words], check=True)


def take_tests(sources, folder):
    found = sorted(sources.glob("tinygrad-*.tar.gz"))
    if not found:
        skip(f"there is no source distribution of tinygrad in {sources}")
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(found[-1]) as archive:
        for member in archive:
            if member.name.endswith("/test/test_tiny.py"):
                (folder / "test_tiny.py").write_bytes(archive.extractfile(member).read())


def make(out, package, wheels_venv, sources):
    wheels = site_packages(wheels_venv)
    if not (wheels / "tinygrad").is_dir() or not any(wheels.glob("setuptools-*")):
        skip("tinygrad is not there")
    out.mkdir(parents=True, exist_ok=True)
    take_tests(sources, out / "tests")
    venv = out / "venv"
    site = bare(venv)
    give_tinygrad(wheels, site)
    (site / "pintle.pth").write_text(f"{package}\n", encoding="utf-8")
    pip_on(wheels_venv, venv, "install", "-q", "--no-deps", "--force-reinstall", make_wheel(wheels_venv / "bin" / "pip", out))


if __name__ == "__main__":
    make(*(Path(os.path.abspath(each)) for each in sys.argv[1:5]))
