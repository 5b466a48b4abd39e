"""bench/peers: a worker's answers, workers that fail, the rounds and cold starts around them, and what IREE's tools print."""

import contextlib
import io
import os
import subprocess
import sys
import time
import types
import unittest

from tree import ROOT, Tree

sys.path.insert(0, str(ROOT / "bench/peers"))

import cold
import iree
import run
from parts import ROUND_PARTS, SIZES
from places import Places
from result import Result, spread
from rounds import Rounds
from set_ups import IreeSetUp, SetUp, WorkerPlayer, all_set_ups
from worker import Worker, WorkerError, settle

FAKE = """
import sys, time
mode = sys.argv[1]
if mode == "no_hello":
    sys.exit("there is no device")
if mode == "cold":
    print("a library says hello", flush=True)
    print("first-result 2048", flush=True)
    sys.exit(0)
print('{"about": "fake ' + mode + '", "rss_kib": 1}', flush=True)
for line in sys.stdin:
    words = line.split()
    if words[0] == "quit":
        break
    if mode == "dies" and words[:2] == ["block", "launch"]:
        sys.exit("segmentation fault, so to speak")
    if mode == "refuses" and words[:2] == ["block", "launch"]:
        print('{"error": "out of memory"}', flush=True)
    elif mode == "wrong" and words[0] == "check":
        print('{"error": "element 3 is 7, not 8"}', flush=True)
    elif mode == "babbles" and words[0] == "check":
        print("warning: no shader model", flush=True)
    elif mode == "silent" and words[0] == "check":
        time.sleep(60)
    elif mode == "spins" and words[0] == "check":
        print('{"ok": true}', flush=True)
        while True:
            pass
    elif words[0] == "check":
        print('{"ok": true}', flush=True)
    elif words[1] == "upload":
        print('{"skip": "not in this peer"}', flush=True)
    else:
        print('{"us": [3.0, 1.0, 2.0]}', flush=True)
"""


def set_up(name, **changes):
    return types.SimpleNamespace(**{"name": name, "how": "somehow", "device": "cpu", "is_reference": False, **changes})


class FakeWorkers(unittest.TestCase):
    def setUp(self):
        tree = Tree()
        self.addCleanup(tree.folder.cleanup)
        tree["fake.py"] = FAKE
        self.tree = tree
        self.started = []
        self.addCleanup(lambda: [worker.stop() for worker in self.started])

    def command(self, mode):
        return [sys.executable, str(self.tree.root / "fake.py"), mode]

    def worker(self, mode, kind=Worker):
        self.started.append(kind(self.command(mode), dict(os.environ), self.tree.root / f"log_{mode}"))
        return self.started[-1]

    def result(self, *names):
        result = Result()
        result.say = lambda words: None
        for name in names:
            result.add(set_up(name), "fake")
        return result


class WorkerTest(FakeWorkers):
    def test_answers(self):
        worker = self.worker("good")
        self.assertEqual(worker.about, "fake good")
        self.assertEqual(worker.block("launch", 3), [3.0, 1.0, 2.0])
        worker.check()
        worker.stop()
        self.assertEqual(worker.process.returncode, 0)

    def test_a_part_that_the_peer_does_not_have_is_none(self):
        self.assertIsNone(self.worker("good").block("upload", 4))

    def test_a_worker_that_does_not_start_says_why(self):
        with self.assertRaisesRegex(WorkerError, "it ended: there is no device"):
            self.worker("no_hello")

    def test_a_program_that_is_not_there(self):
        with self.assertRaises(OSError):
            Worker([str(self.tree.root / "nothing")], dict(os.environ), self.tree.root / "log")

    def test_a_worker_that_dies_says_its_last_words(self):
        worker = self.worker("dies")
        with self.assertRaisesRegex(WorkerError, "it ended: segmentation fault, so to speak"):
            worker.block("launch", 3)
        self.assertFalse(worker.is_alive)

    def test_an_error_leaves_the_worker_alive(self):
        worker = self.worker("refuses")
        with self.assertRaisesRegex(WorkerError, "out of memory"):
            worker.block("launch", 3)
        self.assertEqual(worker.block("chain100", 3), [3.0, 1.0, 2.0])

    def test_what_is_no_json_ends_the_worker(self):
        worker = self.worker("babbles")
        with self.assertRaisesRegex(WorkerError, "not JSON: b'warning: no shader model'"):
            worker.check()
        self.assertFalse(worker.is_alive)

    def test_silence_ends_the_worker(self):
        worker = self.worker("silent")
        with self.assertRaisesRegex(WorkerError, "no answer in 0.2 s"):
            worker.ask("check", 0.2)
        self.assertFalse(worker.is_alive)

    def test_a_worker_that_has_ended_can_be_stopped_and_asked(self):
        worker = self.worker("good")
        worker.stop()
        worker.stop()
        with self.assertRaises((WorkerError, ValueError)):
            worker.check()


class SettleTest(FakeWorkers):
    def test_sleeping_workers_settle(self):
        workers = [self.worker("good"), self.worker("wrong")]
        end = time.monotonic() + 30
        while not settle(workers) and time.monotonic() < end:
            pass
        self.assertTrue(settle(workers))

    def test_a_worker_that_spins_is_waited_for_only_so_long(self):
        worker = self.worker("spins")
        worker.check()
        self.assertFalse(all(settle([worker]) for _ in range(5)))
        worker.kill()

    def test_no_workers_are_asleep(self):
        self.assertTrue(settle([]))


class RoundsTest(FakeWorkers):
    def rounds(self, *modes):
        result = self.result(*modes)
        return Rounds({mode: self.worker(mode, WorkerPlayer) for mode in modes}, result), result

    def test_one_that_dies_is_skipped_and_the_other_goes_on(self):
        rounds, result = self.rounds("good", "dies")
        rounds.check(at_end=False)
        self.assertEqual(rounds.run(2), 2)
        rounds.check(at_end=True)
        rounds.keep()
        self.assertRegex(result.data["skipped"]["dies"]["launch"], "segmentation fault")
        self.assertEqual(list(rounds.players), ["good"])
        self.assertTrue(result.data["peers"]["good"]["checked"])
        kept = result.data["peers"]["good"]["parts"]
        self.assertEqual(set(kept), {part.name for part in ROUND_PARTS} - {"upload"})
        self.assertEqual((kept["launch"]["n"], kept["launch"]["p50"], kept["launch"]["round_medians"]), (6, 2.0, [2.0, 2.0]))
        self.assertEqual(kept["saxpy_1Mi"]["gb_s"]["p50"], 12 * SIZES["saxpy_1Mi"] / 2.0 / 1e3)

    def test_one_part_that_fails_leaves_the_others(self):
        rounds, result = self.rounds("refuses")
        rounds.run(1)
        rounds.keep()
        self.assertEqual(result.data["skipped"], {"refuses": {"launch": "out of memory"}})
        self.assertIn("chain100", result.data["peers"]["refuses"]["parts"])

    def test_wrong_values_end_a_peer_before_the_first_round(self):
        rounds, result = self.rounds("good", "wrong")
        rounds.check(at_end=False)
        self.assertEqual(result.data["skipped"], {"wrong": {"all": "element 3 is 7, not 8"}})
        self.assertEqual(list(rounds.players), ["good"])

    def test_wrong_values_after_the_last_round_are_said(self):
        rounds, result = self.rounds("wrong")
        rounds.check(at_end=True)
        self.assertEqual(result.data["skipped"], {"wrong": {"check": "element 3 is 7, not 8"}})
        self.assertNotIn("checked", result.data["peers"]["wrong"])


class ColdTest(FakeWorkers):
    def test_the_first_result_is_found_among_other_words(self):
        milliseconds, mib = cold.run_cold(self.command("cold"), dict(os.environ))
        self.assertGreater(milliseconds, 0)
        self.assertEqual(mib, 2)

    def test_turns_are_counted_apart_and_a_failure_is_skipped(self):
        result = self.result("good", "bad")
        starts = cold.ColdStarts(Places(work=self.tree.root), dict(os.environ), result, lambda: 1)
        starts.run({"good": self.command("cold"), "bad": self.command("no_hello")}, 1)
        parts = result.data["peers"]["good"]["parts"]
        self.assertEqual((parts["cold_first"]["n"], parts["cold_again"]["n"]), (2, 1))
        self.assertRegex(result.data["skipped"]["bad"]["cold"], "there is no device")

    def test_no_time_left(self):
        result = self.result("good")
        cold.ColdStarts(Places(work=self.tree.root), {}, result, lambda: 0).run({"good": ["true"]}, 1)
        self.assertRegex(result.data["skipped"]["good"]["cold"], "the time is up")


class IreeTest(unittest.TestCase):
    BENCHMARK = """WARNING: the CPU is scaled
{"benchmarks": [{"run_type": "iteration", "real_time": 2000, "time_unit": "ns"}, {"run_type": "iteration", "real_time": 3, "time_unit": "us"},
                {"run_type": "aggregate", "real_time": 9, "time_unit": "us"}]}"""

    def test_benchmarks_are_parsed(self):
        self.assertEqual(iree.parse_benchmark(self.BENCHMARK), [2.0, 3])
        self.assertEqual(iree.parse_benchmark(self.BENCHMARK, 100), [200.0, 300])

    def test_programs_are_whole(self):
        texts = iree.program_texts()
        self.assertEqual(texts["chain"].count("flow.dispatch.region"), 100)
        self.assertIn("return %v100 : tensor<1xf32>", texts["chain"])
        self.assertIn("tensor<1048576xf32>", texts["saxpy_1Mi"])
        for text in texts.values():
            self.assertEqual(text.count("{"), text.count("}"))

    def test_a_tool_that_fails_says_its_words(self):
        with self.assertRaisesRegex(WorkerError, "sh ends with 3: no device"):
            iree.run(["sh", "-c", "echo no device >&2; exit 3"], {})

    def test_without_the_compiler_nothing_is_compiled(self):
        with Tree() as tree, self.assertRaisesRegex(WorkerError, "./dev setup peers"):
            iree.compile_programs(Places(venv=tree.root), {}, {"cpu"})


class SetUpsTest(unittest.TestCase):
    def test_names_are_different_and_pintle_has_a_row_on_each_device(self):
        every = all_set_ups(Places())
        names = [one.name for one in every]
        self.assertEqual(len(names), len(set(names)))
        for device in ("cpu", "vulkan", "opencl"):
            self.assertTrue([one for one in every if one.device == device and one.name.startswith("pintle ")], device)

    def test_what_is_not_there_has_a_reason(self):
        with Tree() as tree:
            places = Places(build=tree.root, venv=tree.root, work=tree.root)
            for one in all_set_ups(places):
                is_elsewhere = one.name == "torch cpu" or isinstance(one, IreeSetUp) and not one.command
                if one.device == "cpu" and not is_elsewhere:
                    self.assertIn("is not there", one.missing(), one.name)

    def test_a_module_that_is_missing_is_said_with_what_brings_it(self):
        with Tree() as tree:
            one = SetUp("nobody", "cpu", "", (sys.executable, "-c", "import no_such_module"), "./dev setup nobody")
            self.assertEqual(one.missing(), "")
            with self.assertRaisesRegex(WorkerError, r"No module named 'no_such_module' \(./dev setup nobody\)$"):
                one.start(Places(work=tree.root), dict(os.environ))

    def test_a_run_of_nothing_that_is_there_still_ends(self):
        with Tree() as tree:
            places = Places(build=tree.root, venv=tree.root, work=tree.root / "work")
            places.work.mkdir()
            every = [one for one in all_set_ups(places) if one.device == "cpu" and one.name != "torch cpu"]
            whole = run.Run(places, every)
            with contextlib.redirect_stderr(io.StringIO()):
                whole.skip_missing()
                whole.prepare()
                whole.run_rounds(whole.start(), 1)
                whole.run_cold(1)
            self.assertEqual(whole.result.data["peers"], {})
            self.assertEqual(set(whole.result.data["skipped"]), {one.name for one in every})

    def test_unknown_names_are_refused(self):
        words = [sys.executable, "-B", str(ROOT / "bench/peers/run.py"), "--only", "pintle gpu"]
        result = subprocess.run(words, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn('there is no set-up "pintle gpu"; there are: hand, numpy, pintle cpu,', result.stderr)

    def test_spread(self):
        self.assertEqual(spread(list(range(101))), {"n": 101, "p10": 10, "p50": 50, "p90": 90})
        self.assertEqual(spread([4.0]), {"n": 1, "p10": 4.0, "p50": 4.0, "p90": 4.0})


if __name__ == "__main__":
    unittest.main()
