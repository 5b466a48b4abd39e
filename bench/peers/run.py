#!/usr/bin/env python3
"""Pintle beside its peers: runs every set-up by turns, prints the table and writes the JSON. `./dev bench peers` builds what it needs."""

import argparse
import subprocess
import sys
from pathlib import Path

import disk
import iree
from cold import ColdStarts
from machine import Watch
from places import HERE, Places, environment
from result import Result
from rounds import Rounds
from set_ups import IreeSetUp, all_set_ups
from table import page_of
from worker import WorkerError

LIMIT_SECONDS = 700
SECONDS_AFTER_COLD = 60


def parse(words, names):
    parser = argparse.ArgumentParser(description=__doc__, prog="./dev bench peers")
    parser.add_argument("--out", type=Path, default=Places().work / "peers.json", help="the JSON file (build/peers/peers.json)")
    parser.add_argument("--only", default="", help='set-ups by comma: "pintle cpu,jax cpu"')
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--cold", type=int, default=5, help="cold starts with warm caches; 0 for no cold starts")
    options = parser.parse_args(words)
    options.only = [name.strip() for name in options.only.split(",") if name.strip()]
    for name in options.only:
        if name not in names:
            parser.error(f'there is no set-up "{name}"; there are: {", ".join(names)}')
    if not options.out.absolute().parent.is_dir():
        parser.error(f"there is no folder for {options.out}")
    return options


class Run:
    def __init__(self, places, set_ups):
        self.places, self.set_ups = places, list(set_ups)
        self.variables = environment(places)
        self.result = Result()

    def skip(self, set_up, why):
        self.result.skip(set_up.name, "all", why)
        self.set_ups.remove(set_up)

    def skip_missing(self):
        for one in list(self.set_ups):
            if why := one.missing():
                self.skip(one, why)

    def prepare(self):
        """The programs that peers cannot make in their workers."""
        from_iree = [one for one in self.set_ups if isinstance(one, IreeSetUp)]
        if from_iree:
            try:
                iree.compile_programs(self.places, self.variables, {one.device for one in from_iree})
            except (OSError, WorkerError, subprocess.TimeoutExpired) as error:
                for one in from_iree:
                    self.skip(one, error)
        if any(one.distribution == "onnxruntime" for one in self.set_ups):
            command = [self.places.python, "-B", str(HERE / "python/onnx_models.py"), str(self.places.work)]
            subprocess.run(command, env=self.variables, check=False)  # the worker says what it lacks

    def start(self):
        players = {}
        for one in list(self.set_ups):
            try:
                if not one.cold_only:
                    players[one.name] = one.start(self.places, self.variables)
                self.result.add(one, players[one.name].about if one.name in players else one.how)
            except (OSError, KeyError, WorkerError) as error:
                self.skip(one, error)
        return players

    def run_rounds(self, players, count):
        rounds = Rounds(players, self.result)
        try:
            rounds.check(at_end=False)
            self.result.say(f"ready: {', '.join(rounds.players)}")
            self.result.data["host"]["rounds"] = rounds.run(count)
            rounds.check(at_end=True)
            rounds.keep()
        finally:
            rounds.stop()
        for one in list(self.set_ups):
            if "all" in self.result.data["skipped"].get(one.name, {}):
                self.set_ups.remove(one)
                del self.result.data["peers"][one.name]

    def run_cold(self, warm_turns):
        commands = {one.name: one.cold_command(self.places) for one in self.set_ups}
        starts = ColdStarts(self.places, self.variables, self.result,
                            lambda: LIMIT_SECONDS - SECONDS_AFTER_COLD - self.result.seconds())
        starts.run(commands, warm_turns)

    def measure_disk(self):
        try:
            self.result.data["sizes_mib"] = disk.shared_sizes(self.places)
            for name, mib in disk.peer_sizes(self.places, self.variables, self.set_ups).items():
                self.result.note(name, size_mib=mib)
        except (OSError, ValueError, subprocess.CalledProcessError) as error:
            self.result.skip("every peer", "bytes on disk", error)


def main(words):
    places = Places()
    every = all_set_ups(places)
    options = parse(words, [one.name for one in every])
    places.work.mkdir(parents=True, exist_ok=True)
    run = Run(places, [one for one in every if not options.only or one.name in options.only])
    watch = Watch()
    run.skip_missing()
    run.prepare()
    run.run_rounds(run.start(), options.rounds)
    run.run_cold(options.cold)
    run.measure_disk()
    run.result.data["host"].update(watch.describe(), seconds=run.result.seconds())
    run.result.save(options.out)
    print(page_of(run.result.data))
    host = run.result.data["host"]
    print(f"{host['rounds']} rounds in {host['seconds']:.0f} s; other programs used {100 * host['foreign_cpu_share']:.1f} % of the processors, "
          f"the host took {100 * host['stolen_cpu_share']:.1f} %.")


if __name__ == "__main__":
    main(sys.argv[1:])
