"""`pintle conform`: the suite on one device, as a command."""

import unittest

from harness import FAILED, INVALID, UNAVAILABLE, CommandCase


class Conform(CommandCase):
    def test_json_counts_the_cases(self):
        document = self.json("conform", "--device", "cpu", "--filter", "Signal.*")
        self.assertEqual(set(document), {"passed", "failed", "skipped", "gaps", "device", "cases"})
        self.assertEqual((document["device"], document["failed"]), ("cpu", 0))
        self.assertGreater(document["passed"], 0)
        counted = {result: sum(case["result"] == result for case in document["cases"]) for result in ("passed", "failed", "skipped", "gap")}
        self.assertEqual(counted, {"passed": document["passed"], "failed": 0, "skipped": document["skipped"], "gap": document["gaps"]})
        for case in document["cases"]:
            self.assertTrue(case["name"].startswith("Signal."), case)
            self.assertTrue(case["message"] or case["result"] == "passed", case)

    def test_text_ends_with_the_sum(self):
        lines = self.command("conform", "--device", "cpu", "--filter", "Signal.*").stdout.splitlines()
        self.assertRegex(lines[-1], r"^cpu: \d+ passed, 0 failed, \d+ skipped, \d+ gaps$")
        self.assertRegex(lines[0], r"^(passed|skipped|gap) +Signal\.")

    def test_a_failing_device_exits_with_one(self):
        document = self.json("conform", "--device", "faulty(cpu)?call=submit", "--filter", "Launch*", code=FAILED)
        self.assertGreater(document["failed"], 0)
        self.assertTrue(any(case["result"] == "failed" and case["message"] for case in document["cases"]))

    def test_every_device_keeps_the_contract_of_recordings(self):
        for device in self.json("devices")["devices"]:
            if device["kind"] in ("cpu", "software", "simulated"):
                document = self.json("conform", "--device", f"validate({device['id']})", "--filter", "Recording.*")
                self.assertEqual(document["failed"], 0, document)

    def test_what_cannot_run_is_an_error(self):
        self.command("conform", "--device", "nowhere", code=UNAVAILABLE)
        result = self.command("conform", "--device", "cpu", "--filter", "Nothing.*", code=INVALID)
        self.assertIn("Nothing.*", result.stderr)


if __name__ == "__main__":
    unittest.main()
