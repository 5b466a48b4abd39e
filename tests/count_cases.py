"""A plug-in of pytest, `-p count_cases`: a line that counts cases, as tools/count_tests.py reads it, and 77 as the status where none passed."""

SKIPPED = 77
NOTHING_COLLECTED = 5


def pytest_terminal_summary(terminalreporter):
    counts = {name: len(terminalreporter.stats.get(name, ())) for name in ("passed", "failed", "error", "skipped")}
    terminalreporter.ensure_newline()
    terminalreporter.write_line(f"{counts['passed']} passed, {counts['failed'] + counts['error']} failed, {counts['skipped']} skipped")


def pytest_sessionfinish(session, exitstatus):
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    is_whole_file = exitstatus == NOTHING_COLLECTED and reporter.stats.get("skipped")  # a file that skips itself has no cases
    if (exitstatus == 0 or is_whole_file) and not reporter.stats.get("passed"):
        session.exitstatus = SKIPPED
