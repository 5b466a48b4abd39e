"""What the run found: the content of the JSON file."""

import json
import statistics
import sys
import time

LONGEST_REASON = 400


def spread(samples):
    ordered = sorted(samples)
    last = len(ordered) - 1
    return {"n": len(ordered), "p10": ordered[int(0.1 * last)], "p50": statistics.median(ordered), "p90": ordered[round(0.9 * last)]}


class Result:
    def __init__(self):
        self.begin = time.monotonic()
        self.data = {"host": {}, "peers": {}, "skipped": {}}

    def seconds(self):
        return time.monotonic() - self.begin

    def say(self, words):
        print(f"[{self.seconds():5.0f} s] {words}", file=sys.stderr, flush=True)

    def add(self, set_up, about):
        self.data["peers"][set_up.name] = {"about": about, "how": set_up.how, "device": set_up.device,
                                           "is_reference": set_up.is_reference, "parts": {}}

    def skip(self, name, what, why):
        """`what` is a part, or "all" where the peer does not run."""
        reason = " ".join(str(why).split())[-LONGEST_REASON:]
        self.data["skipped"].setdefault(name, {})[what] = reason
        self.say(f"skipped: {name}, {what}: {reason}")

    def note(self, name, **values):
        self.data["peers"][name].update(values)

    def keep_blocks(self, name, part, blocks):
        """The microseconds of each call, a list for each round."""
        kept = spread([us for block in blocks for us in block])
        kept.update(unit="us", round_medians=[round(statistics.median(block), 3) for block in blocks])
        if part.bytes:
            kept["gb_s"] = {key: part.bytes / kept[key] / 1e3 for key in ("p10", "p50", "p90")}
        self.data["peers"][name]["parts"][part.name] = kept

    def keep_cold(self, name, part, milliseconds):
        self.data["peers"][name]["parts"][part.name] = {**spread(milliseconds), "unit": "ms"}

    def save(self, path):
        path.write_text(json.dumps(self.data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
