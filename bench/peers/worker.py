"""A worker as run.py sees it: a process that lives for the whole run and answers each line with one line of JSON."""

import glob
import json
import os
import select
import subprocess
import time

HELLO_SECONDS = 60
BLOCK_SECONDS = 25
CHECK_SECONDS = 60
BLOCK_LIMIT_MS = 120
SETTLE_SECONDS = 0.3
SETTLE_PAUSE = 0.002


class WorkerError(Exception):
    """Why a peer does not do what it was asked for."""


class Worker:
    def __init__(self, command, environment, log_path):
        self.log_path = log_path
        self.rest = b""
        with open(log_path, "wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=environment,
                                            start_new_session=True)
        self.about = self.answer(HELLO_SECONDS)["about"]

    @property
    def is_alive(self):
        return self.process.poll() is None

    def block(self, part, calls):
        """Microseconds of each call, or None where the peer does not have the part."""
        answer = self.ask(f"block {part} {calls} {BLOCK_LIMIT_MS}", BLOCK_SECONDS)
        return answer.get("us")

    def check(self):
        self.ask("check", CHECK_SECONDS)

    def ask(self, line, seconds):
        try:
            self.process.stdin.write(f"{line}\n".encode())
            self.process.stdin.flush()
        except OSError:
            pass  # it has ended; the answer says why
        answer = self.answer(seconds)
        if "error" in answer:
            raise WorkerError(answer["error"])
        return answer

    def answer(self, seconds):
        end = time.monotonic() + seconds
        while b"\n" not in self.rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                self.kill()
                raise WorkerError(f"no answer in {seconds} s")
            got = os.read(self.process.stdout.fileno(), 1 << 20)
            if not got:
                self.kill()
                raise WorkerError(f"it ended: {self.last_words()}")
            self.rest += got
        line, self.rest = self.rest.split(b"\n", 1)
        return self.parsed(line)

    def parsed(self, line):
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            self.kill()
            raise WorkerError(f"an answer is not JSON: {line[:80]!r}")
        return answer

    def last_words(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as log:
            return log.read()[-300:].strip() or f"exit status {self.process.returncode}"

    def threads_are_asleep(self):
        return not any(is_running(path) for path in glob.glob(f"/proc/{self.process.pid}/task/*/stat"))

    def kill(self):
        if self.is_alive:
            self.process.kill()
        self.process.wait()
        self.close()

    def stop(self):
        """Asks the worker to end, and kills it where it does not."""
        if not self.is_alive:
            self.kill()
            return
        try:
            self.process.stdin.write(b"quit\n")
            self.process.stdin.flush()
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            pass
        self.kill()

    def close(self):
        for pipe in (self.process.stdin, self.process.stdout):
            try:
                pipe.close()
            except OSError:
                pass  # what was not read by a dead process


def is_running(stat_path):
    try:
        with open(stat_path, encoding="ascii", errors="replace") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] == "R"
    except OSError:
        return False  # the thread has ended


def settle(workers):
    """Returns when two looks in a row have found every thread of every worker asleep, or after 0.3 s."""
    end = time.monotonic() + SETTLE_SECONDS
    calm = 0
    while calm < 2 and time.monotonic() < end:
        calm = calm + 1 if all(worker.threads_are_asleep() for worker in workers) else 0
        time.sleep(SETTLE_PAUSE)
    return calm == 2
