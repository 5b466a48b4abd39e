"""Every operation of a group on every device over every transport between processes, and all devices in one group.

PINTLE and DEVICES_PROGRAM name the programs; MPIRUN and PINTLE_MPI_PLUGIN too, where there is MPI.
"""

import json
import os
import re
import subprocess
import unittest

PINTLE, PROGRAM, MPIRUN = os.environ["PINTLE"], os.environ["DEVICES_PROGRAM"], os.environ.get("MPIRUN")
DEVICES = ["cpu", "vulkan:swiftshader", "vulkan:llvmpipe", "opencl:pocl", "opencl:rusticl"]

# More ranks than processors, and a machine with other work: a rank that waits gives its processor away.
YIELDING = ["--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1"]
# What MPI itself keeps until the end is not ours to report.
OF_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
          "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}


def shm(count):
    return [PINTLE, "launch", "-n", str(count)], {}


def mpi(count, *options):
    return [MPIRUN, "-np", str(count), *YIELDING, *options], OF_MPI


def mpi_without_ucx(count):
    return mpi(count, "--mca", "osc", "^ucx")


def found():
    """The listed devices, and why others are not: backend -> words."""
    done = subprocess.run([PINTLE, "devices", "--json"], stdout=subprocess.PIPE, text=True, timeout=60, check=True)
    document = json.loads(done.stdout)
    return [device["id"] for device in document["devices"]], {row["backend"]: row["reason"] for row in document["absences"]}


class Suite(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.here, cls.reasons = found()

    def check(self, transport, devices, count):
        if transport is not shm and not MPIRUN:
            self.skipTest("There is no MPI with its launcher.")
        for device in devices:
            if device not in self.here:
                self.skipTest(f"{device} is not here: {self.reasons.get(device.split(':')[0], 'not listed')}")
        start, changes = transport(count)
        done = subprocess.run([*start, PROGRAM, ",".join(devices)], env=dict(os.environ, **changes), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-6000:])
        over = transport.__name__.split("_")[0]
        passed = re.findall(rf"^rank (\d+) of {count} on (\S+) over {over}: passed \((\d+) checks\)$", done.stdout, re.MULTILINE)
        wanted = [(str(rank), devices[rank % len(devices)]) for rank in range(count)]
        self.assertEqual(sorted((rank, device) for rank, device, _ in passed), wanted, done.stdout[-6000:])
        for _, _, checks in passed:
            self.assertGreater(int(checks), 280, done.stdout)  # 9 operations, 4 sizes, 2 dtypes, 2 places: 2 checks of each


def suite_of_one(transport, device):
    return lambda self: self.check(transport, [device], 2)


def suite_of_all(transport):
    def test(self):
        devices = [device for device in DEVICES if device in self.here]
        self.check(transport, devices, max(2, len(devices)))
    return test


for each in (shm, mpi, mpi_without_ucx):
    for one in DEVICES if each is not mpi_without_ucx else ["cpu"]:
        setattr(Suite, f"test_{each.__name__}_on_{one.replace(':', '_')}", suite_of_one(each, one))
    setattr(Suite, f"test_{each.__name__}_on_all_in_one_group", suite_of_all(each))


if __name__ == "__main__":
    unittest.main()
