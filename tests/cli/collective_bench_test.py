"""`pintle bench collective`: nccl-tests' flags, rows and checks."""

import csv
import io
import json
import os
import shutil
import subprocess
import unittest
import xml.dom.minidom

from harness import INVALID, OK, PINTLE, UNAVAILABLE, USAGE, CommandCase, clean_environment

OPERATIONS = ("all_reduce", "reduce_scatter", "all_gather", "broadcast", "reduce", "gather", "scatter", "all_to_all",
              "send_recv", "barrier")
PARTED = ("reduce_scatter", "all_gather", "gather", "scatter", "all_to_all")
FOLDING = ("all_reduce", "reduce_scatter", "reduce")
ROOTED = ("broadcast", "reduce", "gather", "scatter")
BYTES = {"bool": 1, "i8": 1, "u8": 1, "f8_e4m3fn": 1, "f8_e5m2": 1, "i16": 2, "u16": 2, "f16": 2, "bf16": 2, "i32": 4,
         "u32": 4, "f32": 4, "i64": 8, "u64": 8, "f64": 8, "complex64": 8}
QUICK = ("-w", "1", "-n", "3")


def factor(operation, ranks):
    """busbw / algbw, as nccl-tests' PERFORMANCE.md has it."""
    if operation == "all_reduce":
        return 2 * (ranks - 1) / ranks
    return (ranks - 1) / ranks if operation in PARTED else 1


def rounded(size, operation, ranks, element):
    """The size that a row has where `size` is asked for."""
    unit = element * (ranks if operation in PARTED else 1)
    return 0 if size == 0 else max(size - size % unit, unit)


class CollectiveBench(CommandCase):
    def collective(self, *arguments, **options):
        return self.json("bench", "collective", *QUICK, *arguments, **options)

    def check_rows(self, document, ranks, transport):
        self.assertEqual((document["ranks"], document["transport"]), (ranks, transport))
        self.assertTrue(document["rows"])
        for row in document["rows"]:
            with self.subTest(row=row):
                self.check_row(row, ranks)

    def check_row(self, row, ranks):
        operation = row["op"]
        self.assertEqual(row["wrong"], 0)
        self.assertTrue(0 < row["min_us"] <= row["time_us"] <= row["p99_us"])
        self.assertAlmostEqual(row["algbw"], row["size"] / row["time_us"] / 1000)
        self.assertAlmostEqual(row["busbw"], row["algbw"] * factor(operation, ranks))
        self.assertEqual(row["redop"] is not None, operation in FOLDING)
        self.assertEqual(row["root"] is not None, operation in ROOTED)
        if operation == "barrier":
            self.assertEqual((row["size"], row["count"], row["dtype"]), (0, 0, None))
        else:
            self.assertEqual(row["size"], row["count"] * BYTES[row["dtype"]])

    def sizes(self, operation, *arguments):
        return [row["size"] for row in self.collective(operation, *arguments)["rows"]]

    def test_every_operation_among_threads(self):
        for ranks in (2, 3, 4):
            document = self.collective(*OPERATIONS, "--ranks", ranks, "-b", "8", "-e", "40K", "-f", "71.5", "-r", "1")
            self.check_rows(document, ranks, "threads")
            self.assertEqual(sorted({row["op"] for row in document["rows"]}), sorted(OPERATIONS))
            for operation in OPERATIONS[:-1]:
                asked = (8, 572, 40898)
                expected = [rounded(size, operation, ranks, 4) for size in asked]
                self.assertEqual([row["size"] for row in document["rows"] if row["op"] == operation], expected)

    def test_alone(self):
        document = self.collective("--ranks", 1, "-e", "1K", *[o for o in OPERATIONS if o != "send_recv"])
        self.check_rows(document, 1, "threads")
        result = self.command("bench", "collective", "send_recv", "--ranks", 1, code=INVALID)
        self.assertIn("2 ranks", result.stderr)

    def test_every_operation_among_processes(self):
        document = self.collective(*OPERATIONS, "--ranks", 3, "--transport", "shm", "-b", "1K", "-e", "64K", "-f", "8")
        self.check_rows(document, 3, "shm")
        self.assertEqual({row["op"] for row in document["rows"]}, set(OPERATIONS))

    def test_ranks_that_were_launched_join(self):
        launched = ["launch", "-n", "2", "--", PINTLE, "bench", "collective", *QUICK, "-e", "1K"]
        self.check_rows(json.loads(self.command(*launched, "--json").stdout), 2, "shm")
        text = self.command(*launched).stdout
        self.assertEqual(text.count("# ranks 2, transport shm"), 1)
        result = self.command(*launched, "--ranks", "3", code=INVALID)
        self.assertIn("--ranks (3)", result.stderr)
        result = self.command(*launched, "--transport", "threads", code=INVALID)
        self.assertIn("PINTLE_RANKS=2", result.stderr)

    def test_every_dtype_and_reduction(self):
        document = self.collective("-d", "all", "-o", "all", "-b", "100", "-e", "100", "--ranks", 3)
        self.check_rows(document, 3, "threads")
        pairs = {(row["dtype"], row["redop"]) for row in document["rows"]}
        # 11 reductions; 6 floats are without 3 bit operations, complex64 has 3 reductions, bool is without mean.
        self.assertEqual(len(pairs), 8 * 11 + 6 * 8 + 3 + 10)
        self.assertEqual({dtype for dtype, _ in pairs}, set(BYTES))
        self.assertNotIn(("f32", "bit_and"), pairs)
        moved = self.collective("all_to_all", "-d", "all", "-o", "all", "-b", "100", "-e", "100")["rows"]
        self.assertEqual(sorted(row["dtype"] for row in moved), sorted(BYTES))

    def test_algorithms(self):
        for algorithm in ("direct", "ring", "halving_doubling", "tree"):
            document = self.collective("all_reduce", "all_gather", "broadcast", "--ranks", 4, "--algorithm", algorithm,
                                       "-b", "1001", "-e", "300K", "-f", "17")
            self.check_rows(document, 4, "threads")
            self.assertEqual(document["algorithm"], algorithm)
        document = self.collective("all_reduce", "-d", "f16", "--ranks", 3, "--reproducible", "-e", "64K")
        self.check_rows(document, 3, "threads")
        self.assertIs(document["reproducible"], True)

    def test_sizes(self):
        self.assertEqual(self.sizes("all_reduce", "-b", "1K", "-e", "8KiB", "-f", "2"), [1024, 2048, 4096, 8192])
        self.assertEqual(self.sizes("all_reduce", "-b", "0", "-e", "64", "-f", "4"), [0, 4, 16, 64])
        self.assertEqual(self.sizes("all_gather", "-b", "0", "-e", "100", "--ranks", "3"), [0, 12, 48])
        self.assertEqual(self.sizes("all_reduce", "-b", "10", "-e", "30", "-i", "10"), [8, 20, 28])
        self.assertEqual(self.sizes("all_reduce", "-b", "1", "-e", "8", "-f", "1.1"), [4, 8])
        self.assertEqual(self.sizes("all_reduce", "-b", "0", "-e", "0"), [0])
        self.assertEqual(self.sizes("all_to_all", "-b", "1", "-e", "1", "-d", "f64", "--ranks", "4"), [32])

    def test_unchecked_rows_say_so(self):
        document = self.collective("-c", "0", "-e", "64")
        self.assertEqual({row["wrong"] for row in document["rows"]}, {None})
        self.assertIsNone(document["wrong"])
        text = self.command("bench", "collective", *QUICK, "-c", "0", "-e", "64").stdout
        self.assertTrue(all(line.split()[-1] == "-" for line in text.splitlines() if not line.startswith("#")))

    def test_text_is_like_that_of_nccl_tests(self):
        lines = self.command("bench", "collective", *QUICK, "-b", "8", "-e", "2K", "-f", "16").stdout.splitlines()
        self.assertIn("# ranks 2, transport threads, host processors", lines[0])
        rows = [line.split() for line in lines if not line.startswith("#")]
        self.assertEqual([row[:6] for row in rows], [["all_reduce", str(size), str(size // 4), "f32", "sum", "-1"]
                                                     for size in (8, 128, 2048)])
        self.assertEqual({row[-1] for row in rows}, {"0"})
        self.assertEqual(lines[-2], "# Out of bounds values : 0 OK")
        self.assertRegex(lines[-1], r"^# Avg bus bandwidth    : \d+\.\d+$")

    def test_csv(self):
        text = self.command("bench", "collective", "broadcast", "barrier", *QUICK, "-e", "1K", "-r", "1", "--csv").stdout
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual([(row["op"], row["size"], row["root"]) for row in rows],
                         [("broadcast", str(8 * 4**i), "1") for i in range(4)] + [("barrier", "0", "-1")])
        for row in rows:
            self.assertEqual(row["wrong"], "0")
            self.assertTrue(float(row["min_us"]) <= float(row["time_us"]) <= float(row["p99_us"]))
            self.assertAlmostEqual(float(row["algbw"]), int(row["size"]) / float(row["time_us"]) / 1000, delta=2e-3)

    def test_picture(self):
        document = self.collective("all_reduce", "all_gather", "barrier", "-b", "0", "-e", "16K", "--svg", "a.svg")
        picture = xml.dom.minidom.parse(str(self.folder / "a.svg")).documentElement
        self.assertEqual(picture.tagName, "svg")
        drawn = [row for row in document["rows"] if row["size"] > 0]
        circles = picture.getElementsByTagName("circle")
        self.assertEqual(len(circles), len(drawn))
        self.assertEqual(len(picture.getElementsByTagName("polyline")), 2)
        # Height is busbw on one scale, and each factor of 4 in size is one step to the right.
        heights = [-float(circle.getAttribute("cy")) for circle in circles]
        by_height = sorted(range(len(drawn)), key=lambda i: heights[i])
        values = [drawn[i]["busbw"] for i in by_height]
        for lower, higher in zip(values, values[1:]):
            self.assertLessEqual(lower, higher + 0.001 * max(values))
        places = [float(circle.getAttribute("cx")) for circle in circles][:3]
        self.assertAlmostEqual(places[2] - places[1], places[1] - places[0], delta=0.2)
        words = [text.firstChild.data for text in picture.getElementsByTagName("text")]
        for word in ("all_reduce f32 sum", "all_gather f32", "GB/s", "4 B", "16 KiB"):
            self.assertIn(word, words)

    def test_a_wrong_command_line(self):
        for arguments, words in (
                (["-f", "1"], ["-f", '"1"']), (["-f", "nan"], ["nan"]), (["-f", "inf"], ["inf"]), (["-f", "0"], ["-f"]),
                (["-b", "1M", "-e", "1K"], ["-b (1048576 bytes)", "-e (1024 bytes)"]), (["-b", "3Q"], ["3Q", "32K"]),
                (["-b", "18446744073709551615K"], ["18446744073709551615K"]), (["-b", "-8"], ["-8"]),
                (["-d", "f99"], ["f99", "f8_e4m3fn", "complex64"]), (["-o", "luck"], ["luck", "sum", "logical_xor"]),
                (["luck"], ["luck", *OPERATIONS]), (["-n", "0"], ["-n"]), (["-c", "2"], ["-c"]), (["-i", "0"], ["-i"]),
                (["-i", "4", "-f", "2"], ["-i", "-f"]), (["--ranks", "0"], ["--ranks", "1024"]),
                (["--ranks", "1025"], ["1025"]), (["--transport", "tcp"], ["tcp", "threads", "shm", "mpi"]),
                (["--algorithm", "luck"], ["luck", "halving_doubling"]), (["--timeout", "0"], ["--timeout"]),
                (["-r", "-1"], ["-r", '"-1"'])):
            self.refused("bench", "collective", *arguments, code=USAGE, words=words)
        self.refused("bench", "--pairs", "31", "collective", code=USAGE, words=["--pairs"])
        self.usage_error("bench", "collective", "--csv", words=["--csv"])

    def test_what_cannot_run(self):
        self.refused("bench", "collective", "--transport", "mpi", "--ranks", "4", code=UNAVAILABLE,
                     words=["mpirun -n 4 pintle bench collective --transport mpi"])
        for arguments, words in ((["broadcast", "-r", "2"], ["(2)"]), (["-d", "f32", "-o", "bit_and"], ["f32", "bit_and"])):
            result = self.command("bench", "collective", *QUICK, *arguments, code=INVALID)
            for word in words:
                self.assertIn(word, result.stderr)

    def test_help_is_its_own(self):
        text = self.command("bench", "collective", "--help").stdout
        for flag in ("-b", "-e", "-f", "-w", "-n", "-c", "--ranks", "--transport", "--svg"):
            self.assertIn(f"  {flag} ", text)
        self.assertNotIn("dispatch_hot", text)
        self.assertIn("collective", self.command("bench", "--help").stdout)

    @unittest.skipUnless(shutil.which("mpirun"), "mpirun is not here")
    def test_ranks_of_mpi(self):
        environment = {**clean_environment(), "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        # What MPI keeps until the end is not ours to report.
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        if "PINTLE_MPI_PLUGIN" in os.environ:
            environment["PINTLE_MPI_PLUGIN"] = os.environ["PINTLE_MPI_PLUGIN"]
        result = subprocess.run(["mpirun", "-n", "2", "--oversubscribe", PINTLE, "bench", "collective", *OPERATIONS, *QUICK,
                                 "-e", "64K", "--json"], env=environment, capture_output=True, text=True, timeout=120,
                                check=False, cwd=self.folder)
        if result.returncode == UNAVAILABLE and "plug-in" in result.stderr:
            self.skipTest("the plug-in for MPI is not built here")
        self.assertEqual(result.returncode, OK, result.stderr)
        self.check_rows(json.loads(result.stdout), 2, "mpi")


if __name__ == "__main__":
    unittest.main()
