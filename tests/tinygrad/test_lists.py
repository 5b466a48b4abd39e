"""The lists of tinygrad's own tests: what counts as worse, and what the table says."""

import json
import subprocess
import sys
from types import SimpleNamespace

import lists
import pytest

sys.path.insert(0, str(lists.ROOT / "tests"))
import shares  # noqa: E402

REPORT = """<testsuites><testsuite>
<testcase classname="test.backend.test_x.TestX" name="a"/>
<testcase classname="test.backend.test_x.TestX" name="b"><failure message="no"/></testcase>
<testcase classname="test.backend.test_x.TestX" name="c"><skipped/></testcase>
<testcase classname="test.backend.test_x.TestX" name="d"><error message="no"/></testcase>
</testsuite></testsuites>"""


COMMIT = lists.files()[1]


def result(**tests):
    return {"date": "2026-12-01", "commit": COMMIT, "seconds": 1, "tests": tests}


def checked(folder, capsys, ours, theirs):
    """The status and the words of `check` for one file on cpu; a side that is None did not run."""
    for device, what in (("cpu", ours), ("CPU", theirs)):
        if what is not None:
            (folder / f"{device}.json").write_text(json.dumps({"test/unit/test_x.py": what}))
    with pytest.raises(SystemExit) as ended:
        lists.check(SimpleNamespace(out=folder))
    return ended.value.code, capsys.readouterr().out


def checkout_of(folder):
    """A checkout with a commit of its own, as PINTLE_CORPORA has it."""
    where = folder / lists.REPOSITORY
    for name in ("test", "extra", "examples"):
        (where / name).mkdir(parents=True)
        (where / name / "a.py").write_text("")
    git = ["git", "-C", where, "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "a"]):
        subprocess.run([*git, *words], check=True)
    return where, subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()


def test_outcomes_are_those_of_pytest(tmp_path):
    (tmp_path / "report.xml").write_text(REPORT)
    assert lists.outcomes(tmp_path / "report.xml") == {"TestX.a": "passed", "TestX.b": "failed", "TestX.c": "skipped", "TestX.d": "failed"}


@pytest.mark.parametrize("ours, theirs, found", [("passed", "passed", []), ("failed", "passed", ["t"]), ("failed", "failed", []), ("skipped", "passed", []),
                                                 ("failed", "skipped", []), (None, "passed", ["t"])])
def test_worse_is_what_passes_there_and_not_here(ours, theirs, found):
    assert lists.worse(result(**({} if ours is None else {"t": ours})), result(t=theirs)) == found


def test_a_file_that_was_not_done_says_so():
    assert lists.counts({"tests": {"the whole file": "not done within 9 s"}}) == "0 passed, 0 failed, 0 skipped, not done within 9 s"


def test_the_check_fails_with_the_name(tmp_path, capsys):
    status, words = checked(tmp_path, capsys, result(a="passed", b="failed"), result(a="passed", b="passed"))
    assert status == 1 and words == "cpu test/unit/test_x.py: b passes on CPU\n"


def test_the_table_has_the_day_and_the_commit(tmp_path, capsys):
    (tmp_path / "cpu.json").write_text(json.dumps({"test/unit/test_x.py": result(a="passed", b="failed")}))
    (tmp_path / "CPU.json").write_text(json.dumps({"test/unit/test_x.py": result(a="passed", b="passed"), "test/unit/test_y.py": result(a="passed")}))
    lists.table(SimpleNamespace(out=tmp_path))
    words = capsys.readouterr().out
    assert words.startswith(f"Day: 2026-12-01. tinygrad's commit: {COMMIT}.\n")
    assert "| unit/test_x.py | cpu | 1 | 1 | 0 | 2 | 0 | 0 | b |\n" in words


def test_the_check_passes_and_says_how_many_files(tmp_path, capsys):
    done = checked(tmp_path, capsys, result(a="passed"), result(a="passed", b="failed"))
    assert done == (0, "No test fails that passes on tinygrad's own device: 1 files.\n")


def test_what_tinygrad_skips_on_its_own_device_may_run_here(tmp_path, capsys):
    assert checked(tmp_path, capsys, result(a="passed"), result(a="skipped"))[0] == 0


def test_the_check_fails_on_nothing(tmp_path, capsys):
    status, words = checked(tmp_path, capsys, None, result(a="passed"))
    assert status == 1 and "has no result of cpu, " in words


@pytest.mark.parametrize("theirs, words", [
    (None, "did not run on CPU"),
    (result(), "on CPU no test passed: 0 passed, 0 failed, 0 skipped"),
    (result(a="failed"), "on CPU no test passed: 0 passed, 1 failed, 0 skipped"),
    (result(**{"the whole file": "not done within 9 s"}), "on CPU no test passed: 0 passed, 0 failed, 0 skipped, not done within 9 s"),
    ({**result(a="passed"), "commit": "abc"}, f"ran at commit abc; tests/foreign/list.csv has {COMMIT}"),
    ({"seconds": 1, "tests": {"a": "passed"}}, "ran at commit None;")])
def test_the_check_fails_where_the_own_device_says_nothing(tmp_path, capsys, theirs, words):
    status, said = checked(tmp_path, capsys, result(a="passed"), theirs)
    assert status == 1 and said.startswith(f"cpu test/unit/test_x.py: {words}")


def test_another_commit_is_refused_with_both(tmp_path, monkeypatch):
    where, there = checkout_of(tmp_path)
    monkeypatch.setenv("PINTLE_CORPORA", str(tmp_path))
    with pytest.raises(SystemExit) as ended:
        lists.run(SimpleNamespace(out=tmp_path, files=[], device="cpu"))
    assert ended.value.code == f"{where} is at {there}; tests/foreign/list.csv has {COMMIT}."


def test_a_run_writes_its_day_and_commit_and_stages_what_tests_import(tmp_path, monkeypatch):
    commit = checkout_of(tmp_path)[1]
    monkeypatch.setenv("PINTLE_CORPORA", str(tmp_path))
    monkeypatch.setattr(lists, "files", lambda: (["test/unit/test_x.py"], commit))
    monkeypatch.setattr(lists, "run_file", lambda *_: {"seconds": 1, "tests": {"a": "passed"}})
    lists.run(SimpleNamespace(out=tmp_path / "out", files=[], device="cpu"))
    written = json.loads((tmp_path / "out" / "cpu.json").read_text())["test/unit/test_x.py"]
    assert written["commit"] == commit and written["date"].startswith("20")
    assert all((tmp_path / "out" / "stage" / name / "a.py").is_file() for name in ("test", "extra", "examples"))


def test_the_files_are_those_of_the_list():
    files, commit = lists.files()
    assert {"test/backend/test_ops.py", "test/unit/test_dtype_spec.py", "test/unit/test_dtype_weak.py"} <= set(files)
    assert len(commit) == 40 and all(file.endswith(".py") for file in files)


def test_without_a_checkout_it_is_a_skip_that_says_so(monkeypatch, capsys):
    monkeypatch.delenv("PINTLE_CORPORA", raising=False)
    with pytest.raises(SystemExit) as ended:
        lists.checkout()
    assert ended.value.code == lists.SKIPPED and "PINTLE_CORPORA" in capsys.readouterr().out


def test_the_test_of_the_source_distribution_runs_in_every_check():
    rows = shares.rows_of((lists.ROOT / "tests" / "shares.txt").read_text(encoding="utf-8"), "tests", "dev")
    named = [name for name in ("tinygrad.devices", "tinygrad.tiny") if any(pattern.fullmatch(name) for _, pattern in rows)]
    assert named == ["tinygrad.devices"]
