"""./dev new-backend sample in a copy of the tree: the copy builds, and null's tests and the conformance suite
run on it as they do on null.

Usage: new_backend_runs.py SOURCE COPY CXX CC. The copy is built in COPY/build/dev: the same relative paths as the tree's own
build, so that ccache has every object but the copied ones.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

LEFT_OUT = shutil.ignore_patterns(".git", "build", "__pycache__")


def run(folder, *command):
    print("+", *command, flush=True)
    result = subprocess.run(command, cwd=folder, check=False, text=True, stdout=subprocess.PIPE)
    if result.returncode != 0:
        sys.exit(f"{result.stdout}\nended with {result.returncode}")
    return result.stdout


def conform(folder, device):
    """How the conformance suite ends on the device; a failure ends this."""
    report = json.loads(run(folder, "build/dev/bin/pintle", "conform", "--device", device, "--json"))
    return {key: report[key] for key in ("passed", "failed", "skipped", "gaps")}


def passing(folder, suites):
    """How many unit tests pass; a failing one ends this."""
    words = run(folder, "build/dev/bin/unit_tests", f"--gtest_filter={suites}")
    return int(re.search(r"\[  PASSED  \] (\d+) test", words).group(1))


def main():
    source, copy, cxx, cc = Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:5]
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(source, copy, ignore=LEFT_OUT)
    print(run(copy, "./dev", "new-backend", "sample"))
    assert subprocess.run(["./dev", "new-backend", "sample"], cwd=copy, check=False).returncode != 0, "a second copy is refused"
    run(copy, "cmake", "--preset", "dev", f"-DCMAKE_CXX_COMPILER={cxx}", f"-DCMAKE_C_COMPILER={cc}")
    run(copy, "cmake", "--build", "build/dev", "--target", "pintle_command", "unit_tests")
    run(copy, "./dev", "layers")
    sample, null = conform(copy, "sample"), conform(copy, "null")
    print("sample", sample, "null", null)
    assert sample["failed"] == 0 and sample["passed"] > 0, "sample does not conform"
    assert sample == null, "sample differs from null"
    assert passing(copy, "Sample*") == passing(copy, "Null*") > 0, "sample does not have null's unit tests"
    shutil.rmtree(copy)


if __name__ == "__main__":
    main()
