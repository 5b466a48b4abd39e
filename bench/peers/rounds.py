"""The rounds: every peer does a part, then every peer the next one, in another order each time."""

import random
import time

from parts import ROUND_PARTS
from worker import settle

LIMIT_SECONDS = 330


class Rounds:
    """`players` are peers that run, by name: each has block(part, calls), check(), stop(), is_alive and `workers`. A player that fails
    in a part is not asked for that part again."""

    def __init__(self, players, result):
        self.players = dict(players)
        self.result = result
        self.samples = {}  # {(name, part): [[us of a call, ...] of a round, ...]}
        self.absent = set()  # (name, part) that are not asked for any more

    def check(self, *, at_end):
        """Takes out the players whose values are wrong before the first round; says so after the last one."""
        for name, player in list(self.players.items()):
            try:
                player.check()
                self.result.note(name, checked=at_end)
            except Exception as error:  # pylint: disable=broad-except  # one peer's trouble is not the others'
                self.result.skip(name, "check" if at_end else "all", error)
                if not at_end:
                    self.players.pop(name).stop()

    def run(self, rounds):
        """The number of rounds that there was time for."""
        end = time.monotonic() + LIMIT_SECONDS
        for number in range(rounds):
            if time.monotonic() > end:
                return number
            for part in ROUND_PARTS:
                self.run_part(part, random.Random(f"{number} {part.name}"))
        return rounds

    def run_part(self, part, order):
        names = [name for name in self.players if (name, part) not in self.absent]
        order.shuffle(names)
        for name in names:
            settle([worker for player in self.players.values() for worker in player.workers])
            self.run_block(name, part)

    def run_block(self, name, part):
        player = self.players[name]
        try:
            samples = player.block(part.name, part.calls)
        except Exception as error:  # pylint: disable=broad-except
            self.result.skip(name, part.name, error)
            self.absent.add((name, part))
            if not player.is_alive:
                self.players.pop(name).stop()
            return
        if samples:
            self.samples.setdefault((name, part), []).append(samples)
        else:
            self.absent.add((name, part))

    def keep(self):
        for (name, part), blocks in self.samples.items():
            self.result.keep_blocks(name, part, blocks)

    def stop(self):
        for player in self.players.values():
            player.stop()
