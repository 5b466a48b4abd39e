"""`pintle launch`: the ranks of a group as processes."""

import json
import os
import signal
import subprocess
import time
import unittest
from pathlib import Path

from harness import INVALID, PINTLE, UNAVAILABLE, USAGE, CommandCase, clean_environment


class Launch(CommandCase):
    def shell(self, ranks, script, *options, **expected):
        return self.command("launch", "-n", ranks, *options, "sh", "-c", script, **expected)

    def start(self, ranks, script, *options):
        """The launcher as it runs; its ranks say a line each when they are ready."""
        launcher = subprocess.Popen([PINTLE, "launch", "-n", str(ranks), *options, "sh", "-c", script], text=True, cwd=self.folder,
                                    env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(launcher.stdout.close)
        self.addCleanup(launcher.stderr.close)
        self.addCleanup(launcher.kill)
        return launcher, [launcher.stdout.readline().strip() for _ in range(ranks)]

    def test_each_process_knows_its_place(self):
        text = self.shell(3, "echo $PINTLE_RANK of $PINTLE_RANKS in $PINTLE_GROUP_MEMORY").stdout
        lines = sorted(text.splitlines())
        self.assertEqual([line.split(" in ")[0] for line in lines], ["0 of 3", "1 of 3", "2 of 3"])
        self.assertEqual(len({line.split(" in ")[1] for line in lines}), 1)

    def test_they_share_memory_without_a_name(self):
        before = set(os.listdir("/dev/shm"))
        text = self.shell(2, "readlink /proc/self/fd/$PINTLE_GROUP_MEMORY; ls /dev/shm | sed s/^/shm:/").stdout
        self.assertEqual(text.count("/memfd:pintle-ranks (deleted)"), 2)
        self.assertLessEqual({line[4:] for line in text.splitlines() if line.startswith("shm:")}, before)

    def test_the_environment_and_the_standard_streams_are_shared(self):
        result = self.shell(2, "echo out $GIVEN; echo error >&2; cat", environment={"GIVEN": "value"})
        self.assertEqual(result.stdout, "out value\n" * 2)
        self.assertEqual(result.stderr, "error\n" * 2)

    def test_options_behind_the_program_are_its_own(self):
        words = ["--json", "-n", "7", "--restarts", "--help", "--", "launch"]
        self.assertEqual(self.command("launch", "-n", 1, "echo", *words).stdout, " ".join(words) + "\n")
        self.assertEqual(self.command("launch", "-n", 1, "--", "echo", *words).stdout, " ".join(words) + "\n")

    def test_failures_are_named_and_the_lowest_rank_gives_the_code(self):
        result = self.shell(4, "exit $((PINTLE_RANK * 7))", code=7)
        self.assertEqual(result.stderr, "".join(f"Rank {rank} has ended with exit code {7 * rank}.\n" for rank in (1, 2, 3)))
        result = self.shell(3, "test $PINTLE_RANK != 2 || kill -9 $$", code=137)
        self.assertEqual(result.stderr, "Rank 2 was ended by signal 9 (kill, which for want of memory the system sends too).\n")

    def test_json_has_each_end(self):
        script = "case $PINTLE_RANK in 1) exit 3;; 2) kill -9 $$;; esac"
        document = json.loads(self.shell(3, script, "--json", code=3).stdout)
        self.assertEqual(document, {"ranks": [{"rank": 0, "code": 0, "signal": None, "restarts": 0},
                                              {"rank": 1, "code": 3, "signal": None, "restarts": 0},
                                              {"rank": 2, "code": None, "signal": 9, "restarts": 0}], "exit": 3})

    def test_a_failed_rank_is_started_again(self):
        once = "test $PINTLE_RANK = 0 || mkdir began$PINTLE_RANK 2>/dev/null && test $PINTLE_RANK != 1 || test -d again || "
        script = once + "{ mkdir again; kill -9 $$; }"
        result = self.shell(2, script, "--restarts", "2")
        self.assertEqual(result.stderr, "Rank 1 was ended by signal 9 (kill, which for want of memory the system sends too); it is started again (1 of 2).\n")

    def test_restarts_are_counted_together_and_end(self):
        result = self.shell(1, "exit 5", "--restarts", "3", "--json", code=5)
        self.assertEqual(json.loads(result.stdout)["ranks"][0]["restarts"], 3)
        self.assertEqual(result.stderr.count("it is started again"), 3)
        document = json.loads(self.shell(3, "exit 5", "--restarts", "4", "--json", code=5).stdout)
        self.assertEqual(sum(row["restarts"] for row in document["ranks"]), 4)

    def test_signals_are_passed_on_and_waited_for(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            script = "trap 'echo bye; exit 3' TERM INT; echo ready; while :; do sleep 0.01; done"
            launcher, lines = self.start(2, script, "--restarts", "9")
            self.assertEqual(lines, ["ready"] * 2)
            launcher.send_signal(number)
            out, error = launcher.communicate(timeout=60)
            self.assertEqual(out, "bye\n" * 2)
            self.assertEqual(error, "Rank 0 has ended with exit code 3.\nRank 1 has ended with exit code 3.\n")
            self.assertEqual(launcher.returncode, 3)

    def until_stopped(self, process):
        """A process that stops itself has said so before."""
        while Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "T":
            time.sleep(0.001)

    def test_a_stopped_rank_hears_that_it_is_to_end(self):
        launcher, lines = self.start(2, "trap 'echo bye; exit 3' TERM; echo $$; test $PINTLE_RANK = 1 || kill -STOP $$; while :; do sleep 0.01; done",
                                     "--restarts", "9")
        self.until_stopped(lines[0] if self.is_rank(lines[0], 0) else lines[1])
        launcher.send_signal(signal.SIGTERM)
        out, error = launcher.communicate(timeout=60)
        self.assertEqual(out, "bye\n" * 2)
        self.assertEqual(error, "Rank 0 has ended with exit code 3.\nRank 1 has ended with exit code 3.\n")
        self.assertEqual(launcher.returncode, 3)

    def is_rank(self, process, rank):
        return f"PINTLE_RANK={rank}\0".encode() in Path(f"/proc/{process}/environ").read_bytes()

    def test_ranks_that_do_not_end_when_asked_are_killed(self):
        launcher, _ = self.start(2, "trap '' TERM; echo ready; while test $PINTLE_RANK = 1; do sleep 0.01; done", "--grace", "1")
        launcher.send_signal(signal.SIGTERM)
        out, error = launcher.communicate(timeout=60)
        self.assertEqual(out, "")
        self.assertEqual(error, "Rank 1 has not ended within 1 s; it is killed.\n"
                                "Rank 1 was ended by signal 9 (kill, which for want of memory the system sends too).\n")
        self.assertEqual(launcher.returncode, 137)

    def test_without_standard_output_the_memory_of_the_ranks_is_whole(self):
        script = "echo destroyed; head -c 8 /proc/self/fd/$PINTLE_GROUP_MEMORY > magic$PINTLE_RANK; test ! /proc/self/fd/1 -ef /dev/null || touch null$PINTLE_RANK"
        for closed in (">&-", "<&- >&-", "2>&- >&-", "<&- >&- 2>&-"):
            subprocess.run(["sh", "-c", f'exec "$@" {closed}', "sh", PINTLE, "launch", "-n", "2", "sh", "-c", script], cwd=self.folder,
                           env=clean_environment(), check=False, timeout=60)
            for rank in (0, 1):
                self.assertEqual((self.folder / f"magic{rank}").read_text(), "PINRANK1", closed)
                self.assertTrue((self.folder / f"null{rank}").exists(), closed)
                for name in ("magic", "null"):
                    (self.folder / f"{name}{rank}").unlink()

    def test_a_killed_launcher_takes_its_ranks_along(self):
        launcher, _ = self.start(2, "trap 'echo bye; exit' TERM; echo ready; while :; do sleep 0.01; done")
        launcher.kill()
        self.assertEqual(launcher.stdout.read(), "bye\n" * 2)
        launcher.wait(timeout=60)

    def test_a_program_that_is_not_there(self):
        self.refused("launch", "-n", 2, "nowhere", code=INVALID, words=['"nowhere" is not found'])
        self.refused("launch", "-n", 2, "./nowhere", "x", code=INVALID, words=['"./nowhere" is not found'])
        result = self.command("launch", "-n", 2, "--json", "nowhere", code=INVALID)
        self.assertEqual(json.loads(result.stdout)["error"]["code"], "not_found")

    def test_a_program_that_does_not_start(self):
        (self.folder / "broken").write_text("#!/nowhere/interpreter\n")
        (self.folder / "broken").chmod(0o755)
        self.refused("launch", "-n", 2, "./broken", code=UNAVAILABLE, words=["cannot be started: No such file or directory"])

    def test_usage(self):
        self.refused("launch", code=USAGE, words=["--ranks is required"])
        self.refused("launch", "-n", 2, code=USAGE, words=["PROGRAM is required"])
        self.refused("launch", "-n", 2, "--", code=USAGE, words=["PROGRAM is required"])
        self.refused("launch", "-n", 2, "--grace", -1, "sh", code=USAGE, words=["--grace"])
        self.refused("launch", "-n", 2, "--dance", "sh", code=USAGE, words=["--dance"])
        for ranks in (0, 1025, -1, "two", "1.5"):
            self.refused("launch", "-n", ranks, "sh", code=USAGE, words=[str(ranks)])

    def test_many_ranks(self):
        self.assertEqual(self.shell(64, "echo x").stdout, "x\n" * 64)


if __name__ == "__main__":
    unittest.main()
