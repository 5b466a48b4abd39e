"""What the machine does besides: its load, what other programs take, what the host takes from it."""

import os
import time


def cpu_seconds():
    """(seconds that processors were busy, seconds that the host took) since the machine started."""
    with open("/proc/stat", encoding="ascii") as stat:
        values = [int(word) / os.sysconf("SC_CLK_TCK") for word in stat.readline().split()[1:9]]
    return sum(values) - values[3] - values[4] - values[7], values[7]


def model_name():
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as lines:
        return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "")


def clock_read_ns(clock, reads=100_000):
    start = time.perf_counter()
    for _ in range(reads):
        time.clock_gettime_ns(clock)
    return (time.perf_counter() - start) / reads * 1e9


class Watch:
    """The shares of all processors that this run did not use itself."""

    def __init__(self):
        self.wall, self.cpu, self.own = time.monotonic(), cpu_seconds(), sum(os.times()[:4])
        self.load = os.getloadavg()

    def describe(self):
        busy, stolen = (now - then for now, then in zip(cpu_seconds(), self.cpu))
        capacity = (time.monotonic() - self.wall) * os.cpu_count()
        own = sum(os.times()[:4]) - self.own
        # A submission of iree-benchmark-executable includes a read of the process's CPU clock.
        cpu_clock = clock_read_ns(time.CLOCK_PROCESS_CPUTIME_ID) - clock_read_ns(time.CLOCK_MONOTONIC)
        return {"time": time.strftime("%F %T"), "model": model_name(), "cpus": os.cpu_count(), "load_before": self.load,
                "load_after": os.getloadavg(), "foreign_cpu_share": max(0.0, (busy - own) / capacity),
                "stolen_cpu_share": stolen / capacity, "cpu_clock_read_ns": cpu_clock}
