"""The lists of tinygrad's own tests: what counts as worse, and what the table says."""

import json
from types import SimpleNamespace

import lists
import pytest

REPORT = """<testsuites><testsuite>
<testcase classname="test.backend.test_x.TestX" name="a"/>
<testcase classname="test.backend.test_x.TestX" name="b"><failure message="no"/></testcase>
<testcase classname="test.backend.test_x.TestX" name="c"><skipped/></testcase>
<testcase classname="test.backend.test_x.TestX" name="d"><error message="no"/></testcase>
</testsuite></testsuites>"""


def result(**tests):
    return {"seconds": 1, "tests": tests}


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
    options = SimpleNamespace(out=tmp_path)
    (tmp_path / "cpu.json").write_text(json.dumps({"test/unit/test_x.py": result(a="passed", b="failed")}))
    (tmp_path / "CPU.json").write_text(json.dumps({"test/unit/test_x.py": result(a="passed", b="passed"), "test/unit/test_y.py": result(a="passed")}))
    lists.table(options)
    assert "| unit/test_x.py | cpu | 1 | 1 | 0 | 2 | 0 | 0 | b |\n" in capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        lists.check(options)
    assert ended.value.code == 1 and capsys.readouterr().out == "cpu test/unit/test_x.py: b passes on CPU\n"


def test_the_files_are_those_of_the_list():
    files, commit = lists.files()
    assert "test/backend/test_ops.py" in files and len(commit) == 40 and all(file.endswith(".py") for file in files)


def test_without_a_checkout_it_is_a_skip_that_says_so(monkeypatch, capsys):
    monkeypatch.delenv("PINTLE_CORPORA", raising=False)
    with pytest.raises(SystemExit) as ended:
        lists.checkout()
    assert ended.value.code == lists.SKIPPED and "PINTLE_CORPORA" in capsys.readouterr().out
