"""Child processes that work through a list of plans and print a line for each: a crash costs the plan at which it happened."""
import json
import os
import select
import signal
import subprocess

import steps


def works_through(command, plans, folder, seconds):
    """What each plan became, by its index: ("ran" | "refused" | "crashed" | "hung", words). `command` makes the words for a file of plans."""
    became, left = {}, list(plans)
    while left:
        file = folder / "plans.json"
        file.write_text(json.dumps(left))
        lines, end = lines_of(command(file), folder, seconds, len(left))
        for line in lines:
            became[line["index"]] = next((what, "" if what == "ran" else line[what]) for what in ("refused", "hung", "ran") if what in line)
        left = [plan for plan in left if plan["index"] not in became]
        if left and end and not any("hung" in line for line in lines):
            became[left[0]["index"]] = end
            if end[0] == "refused":  # the whole file: the others would end in the same way
                became.update({plan["index"]: end for plan in left})
            left = [plan for plan in left if plan["index"] not in became]
    return became


def lines_of(command, folder, seconds, wanted):
    """The lines of one child, and how it ended if that was early."""
    with open(folder / "words.txt", "w+", errors="replace") as words:
        started = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=words, cwd=folder, env=steps.settings(),
                                   start_new_session=True)
        text, is_hung = read(started, seconds, wanted)
        words.seek(0)
        said = words.read()
    lines = [json.loads(line) for line in text.decode(errors="replace").split("\n") if line.startswith('{"index"')]
    if is_hung:
        return lines, ("hung", f"It did not end within {seconds} s.")
    if started.returncode < 0 or started.returncode > 128:
        return lines, ("crashed", f"signal {-started.returncode}: {said[-300:]}")
    return lines, ("refused", said[-600:] or f"It ended with {started.returncode}.") if len(lines) < wanted else None


def read(started, seconds, wanted):
    """All that a child prints; a child that prints nothing for that long is killed, with its own children."""
    text = b""
    while True:
        ready, _, _ = select.select([started.stdout], [], [], seconds)
        more = os.read(started.stdout.fileno(), 1 << 16) if ready else b""
        text += more
        is_silent = not ready
        if is_silent:
            os.killpg(started.pid, signal.SIGKILL)
        if is_silent or not more:
            break
    try:
        started.wait(seconds)  # a driver that hangs when it closes has done all plans
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, signal.SIGKILL)
        started.wait()
    started.stdout.close()
    return text, is_silent and text.count(b'{"index"') < wanted
