"""Work in several threads at a time."""

import threading
import time

THREADS = 8


def together(work, threads=THREADS, seconds=120):
    """Runs work(i) in threads; the first failure is raised."""
    failures, start = [], threading.Barrier(threads)

    def body(i):
        try:
            start.wait(30)
            work(i)
        except BaseException as error:  # noqa: BLE001  # raised below
            failures.append(error)
    running = [threading.Thread(target=body, args=(i,), daemon=True) for i in range(threads)]
    for each in running:
        each.start()
    deadline = time.monotonic() + seconds
    for each in running:
        each.join(max(0, deadline - time.monotonic()))
    assert not any(each.is_alive() for each in running), "A thread hangs."
    if failures:
        raise failures[0]
