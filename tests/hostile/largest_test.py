"""`pintle doctor --probe` over a driver that ends the process where a buffer is larger than HOSTILE_LARGEST: what works becomes the device's limit."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

COMMAND = sys.argv.pop()
DEVICE = "opencl:hostile"
LARGEST = int(os.environ["HOSTILE_LARGEST"])


class Largest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.environment = {**os.environ, "PINTLE_CACHE_DIR": folder.name}

    def json(self, *arguments, code=0):
        ran = subprocess.run([COMMAND, *arguments, "--json"], env=self.environment, stdout=subprocess.PIPE, text=True, timeout=600, check=False)
        self.assertEqual(ran.returncode, code, ran.stdout)
        return json.loads(ran.stdout)

    def limit(self):
        return self.json("info", DEVICE)["device"]["limits"]["max_allocation"]

    def row(self):
        rows = self.json("doctor", "--probe")["findings"]
        self.assertEqual(len([row for row in rows if row["subject"].endswith(" texel questions")]), 1)
        (row,) = [row for row in rows if row["subject"].endswith(" allocation")]
        return row

    def test_what_works_becomes_the_limit(self):
        self.assertGreater(self.limit(), LARGEST)
        row = self.row()
        self.assertEqual(row["verdict"], "warn")
        self.assertIn("goes beyond what the driver counts", row["text"])
        limit = self.limit()
        self.assertTrue(LARGEST / 2 <= limit <= LARGEST, limit)
        self.assertEqual(self.row()["verdict"], "ok")  # the device keeps its word now
        self.assertEqual(self.limit(), limit)


if __name__ == "__main__":
    unittest.main()
