"""A Python worker: `worker.py LIBRARY [KIND] [--cold]` answers bench/peers/run.py as native/worker.h describes.

LIBRARY is one of the modules *_peer.py, whose `create(KIND)` makes the peer. With --cold it prints the resident memory at the first
checked result and serves nothing.
"""

import argparse
import functools
import gc
import importlib
import json
import os
import sys
import time

from values import CHAIN_LENGTH, FIRST_ELEMENTS, SIZES, check_counter, check_transfer, check_y

IDLE_PAUSE = 0.002
LEAST_SAMPLES = 3
WARMUPS = {"launch": 50, "empty": 50, "launch_idle": 2, "chain100": 5, "saxpy_4Ki": 5}


def resident_kib():
    with open("/proc/self/status", encoding="ascii") as status:
        return int(next(line for line in status if line.startswith("VmRSS")).split()[1])


class Worker:
    """The parts of a peer, how often each was called, and the checks of what they computed."""

    def __init__(self, peer):
        self.peer = peer
        self.parts = {"upload": peer.upload, "download": peer.download, "empty": peer.empty}
        peer.prepare()
        if not peer.transfers_only:
            self.parts.update({"launch": peer.launch, "launch_idle": peer.launch, "chain100": peer.chain})
            for name, elements in SIZES.items():
                peer.add_saxpy(name, elements)
                self.parts[name] = functools.partial(peer.saxpy, name)
            peer.warm_up()

    def block(self, name, count, limit_ms):
        call = self.parts.get(name)
        if call is None:
            return {"skip": "not in this peer"}
        warmups = WARMUPS.get(name, 1)
        for _ in range(warmups):
            call()
        samples = timed(call, count, limit_ms, IDLE_PAUSE if name == "launch_idle" else 0)
        self.count(name, warmups + len(samples))
        return {"us": [round(us, 3) for us in samples]}

    def count(self, name, calls):
        if name in ("launch", "launch_idle"):
            self.peer.launches += calls
        elif name == "chain100":
            self.peer.launches += CHAIN_LENGTH * calls
        elif name in SIZES:
            self.peer.saxpys[name] += calls

    def check(self):
        peer = self.peer
        if not peer.transfers_only:
            check_counter(peer.counter(), peer.launches)
            for name in SIZES:
                check_y(peer.y(name), peer.saxpys[name], name)
        peer.received = peer.empty_received()
        peer.upload()
        peer.download()
        check_transfer(peer.received, peer.sent)
        peer.received = peer.empty_received()
        return {"ok": True}

    def answer(self, line):
        verb, *words = line.split()
        try:
            return self.check() if verb == "check" else self.block(words[0], int(words[1]), float(words[2]))
        except Exception as error:  # pylint: disable=broad-except  # whatever a library raises is its answer
            return {"error": f"{type(error).__name__}: {error}"[:400]}


def timed(call, count, limit_ms, pause):
    """Microseconds of each call, until `count` or the limit."""
    samples, now = [], time.perf_counter
    begin = now()
    for _ in range(count):
        if pause:
            time.sleep(pause)
        start = now()
        call()
        end = now()
        samples.append((end - start) * 1e6)
        if len(samples) >= LEAST_SAMPLES and (end - begin) * 1e3 > limit_ms:
            break
    return samples


def run_cold(peer):
    peer.add_saxpy("first", FIRST_ELEMENTS)
    peer.saxpy("first")
    check_y(peer.y("first"), peer.saxpys["first"] + 1, "first")
    print("first-result", resident_kib(), flush=True)


def serve(peer, out):
    def say(words):
        print(json.dumps(words), file=out, flush=True)

    worker = Worker(peer)
    gc.collect()
    gc.freeze()
    gc.disable()
    say({"about": peer.about, "rss_kib": resident_kib()})
    for line in sys.stdin:
        if line.strip() == "quit":
            break
        say(worker.answer(line))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("kind", nargs="?", default="")
    parser.add_argument("--cold", action="store_true")
    options = parser.parse_args()
    out = os.fdopen(os.dup(1), "w")
    if not options.cold:
        os.dup2(2, 1)  # what a library prints must not end up among the answers
    status = 0
    try:
        peer = importlib.import_module(f"{options.library}_peer").create(options.kind)
        if options.cold:
            run_cold(peer)
        else:
            serve(peer, out)
    except Exception as error:  # pylint: disable=broad-except
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        status = 1
    os._exit(status)  # some libraries do not end


if __name__ == "__main__":
    main()
