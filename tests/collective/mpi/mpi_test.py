"""The mpi transport under mpirun: 2, 3 and 4 ranks, by MPI's shared memory and by its one-sided operations.

MPIRUN, MPI_RANKS, MPI_PROGRAM and PINTLE_MPI_PLUGIN name the programs. Written for OpenMPI, whose options it uses.
"""

import os
import re
import subprocess
import tempfile
import unittest

MPIRUN, RANKS, PROGRAM = os.environ["MPIRUN"], os.environ["MPI_RANKS"], os.environ["MPI_PROGRAM"]

# More ranks than processors, and a machine with other work: a rank that waits gives its processor away.
YIELDING = ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
# As between hosts, with nothing shared. UCX would patch functions that AddressSanitizer has patched already.
OVER_TCP = ["--mca", "osc", "ucx", "--mca", "btl", "self,tcp", "--mca", "pml", "ob1", "-x", "UCX_TLS=tcp,self",
            "-x", "UCX_MEM_MMAP_HOOK_MODE=none"]


def environment_of_ranks(**changes):
    """What MPI keeps until the end is not ours to report, and sizes that nobody has are asked for on purpose."""
    sanitizer = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:allocator_may_return_null=1"
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return {**os.environ, **root, "ASAN_OPTIONS": sanitizer, **changes}


def mpirun(count, command, options=(), **changes):
    environment = environment_of_ranks(**changes)
    line = [MPIRUN, "-np", str(count), *YIELDING, *options, *command]
    return subprocess.run(line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=180)


class Suite(unittest.TestCase):
    def check(self, count, reach, options=()):
        done = mpirun(count, [RANKS, reach, "--gtest_brief=1"], options)
        self.assertEqual(done.returncode, 0, done.stdout[-6000:])
        passed = re.findall(rf"rank (\d) of {count} over {reach}: passed", done.stdout)
        self.assertEqual(sorted(passed), [str(rank) for rank in range(count)], done.stdout[-6000:])

    def test_shared_memory(self):
        for count in (2, 3, 4):
            with self.subTest(ranks=count):
                self.check(count, "any")

    def test_one_sided(self):
        for count in (2, 3, 4):
            with self.subTest(ranks=count):
                self.check(count, "remote_only", ["--mca", "osc", "ucx", "-x", "UCX_MEM_MMAP_HOOK_MODE=none"])

    def test_one_sided_over_tcp(self):
        for count in (2, 3, 4):
            with self.subTest(ranks=count):
                self.check(count, "remote_only", OVER_TCP)


class Start(unittest.TestCase):
    def test_program_that_started_mpi_ends_it(self):
        for level in ("multiple", "funneled"):
            with self.subTest(level=level):
                done = mpirun(2, [PROGRAM, level])
                self.assertEqual(done.returncode, 0, done.stdout[-6000:])

    def test_missing_plugin_is_named_on_every_rank(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "none.so")
            done = mpirun(2, [RANKS, "any"], PINTLE_MPI_PLUGIN=path)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("No plug-in for MPI can be opened; PINTLE_MPI_PLUGIN may have its path.", done.stdout)
        self.assertIn(f'Library "{path}" cannot be opened: {path}: cannot open shared object file', done.stdout)

    def test_alone_without_mpirun(self):
        line = [RANKS, "any", "--gtest_brief=1", "--gtest_filter=MpiNative.AllToAll*:MpiWindows.AreZero*"]
        done = subprocess.run(line, env=environment_of_ranks(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout[-6000:])
        self.assertIn("rank 0 of 1 over any: passed", done.stdout)


if __name__ == "__main__":
    unittest.main()
