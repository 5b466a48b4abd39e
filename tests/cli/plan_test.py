"""`pintle plan`: lays out the values of a CSV file."""

import json
import subprocess
import unittest
import xml.etree.ElementTree as tree

from harness import FAILED, INVALID, IO, PINTLE, USAGE, CommandCase, clean_environment

SMALL = "id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\nb3,0,9,4\n"


class Plan(CommandCase):
    def csv(self, text=SMALL, name="small.csv"):
        (self.folder / name).write_text(text)
        return name

    def assert_right(self, text, document):
        header, *rows = [line.split(",") for line in text.split()]
        values = {row[header.index("id")]: dict(zip(header, row)) for row in rows}
        placed = []
        for one in document["values"]:
            value = values.pop(one["id"])
            placed.append((int(value["lower"]), int(value["upper"]), one["offset"], one["offset"] + int(value["size"])))
        self.assertEqual(values, {})
        self.assertEqual(max(end for *_, end in placed), document["peak"])
        for i, a in enumerate(placed):
            for b in placed[:i]:
                self.assertFalse(a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3], (a, b))

    def test_prints_offsets_and_the_bound(self):
        document = self.json("plan", self.csv())
        self.assertEqual(list(document), ["peak", "lower_bound", "gap", "optimal", "values"])
        self.assertEqual((document["peak"], document["lower_bound"], document["gap"], document["optimal"]), (8, 8, 0, True))
        self.assert_right(SMALL, document)
        self.assertIn("peak 8, lower bound 8, gap 0, optimal", self.command("plan", "small.csv").stdout)

    def test_columns_may_come_in_any_order(self):
        text = "size,upper,id,alignment,lower\n5,3,a,64,0\n6,5,b,8,2\n"
        document = self.json("plan", self.csv(text))
        self.assert_right(text, document)
        self.assertEqual(next(v["offset"] for v in document["values"] if v["id"] == "a") % 64, 0)

    def test_a_budget_searches(self):
        # A square cut so that first fit by size needs 11: only one order of the rows is tight.
        text = "id,lower,upper,size\na,0,2,3\nb,2,5,3\nc,0,3,5\nd,3,5,5\ne,0,5,2\n"
        for budget in (["--budget", "10s"], ["--nodes", "10000"], ["--budget", "500ms", "--nodes", "100"]):
            document = self.json("plan", self.csv(text), *budget)
            self.assert_right(text, document)
            self.assertTrue(document["optimal"])

    def test_a_search_says_when_and_why_it_ends(self):
        text = "id,lower,upper,size\na,0,2,3\nb,2,5,3\nc,0,3,5\nd,3,5,5\ne,0,5,2\n"

        def ended(*options, text=text):
            result = self.command("plan", self.csv(text), *options, "--json")
            self.assertRegex(result.stderr, r"The search ended after \d+\.\d{3} s \(the budget is ")
            return json.loads(result.stdout)["search_ended"], result.stderr

        why, words = ended("--budget", "10s")
        self.assertEqual(why, "optimal")
        self.assertIn("(the budget is 10s): no plan is smaller than 10 bytes.", words)
        why, words = ended("--nodes", "10000", "--capacity", "11")
        self.assertIn((why, "capacity (11)" in words), [("enough", True), ("optimal", False)])
        # Two chunks of 4 bytes at most: three values of 2 bytes, then two of 3.
        text = "id,lower,upper,size\na,0,1,2\nb,0,1,2\nc,0,1,2\nd,1,2,3\ne,1,2,3\n"
        why, words = ended("--budget", "10s", "--largest-chunk", "4", text=text)
        self.assertEqual(why, "not_searched")
        self.assertIn("one chunk and at most 4096 values", words)
        self.assertNotIn("search", self.command("plan", self.csv(text)).stderr)

    def test_a_capacity_that_is_not_met_exits_with_1(self):
        self.assertEqual(self.json("plan", self.csv(), "--capacity", "8")["peak"], 8)
        result = self.command("plan", "small.csv", "--capacity", "7", "--json", code=FAILED)
        self.assertEqual(json.loads(result.stdout)["peak"], 8)
        self.assertIn("exceeds the capacity (7)", result.stderr)

    def test_chunks(self):
        document = self.json("plan", self.csv(), "--largest-chunk", "4")
        self.assertEqual(document["chunks"], [4, 4])
        self.assertEqual({value["chunk"] for value in document["values"]}, {0, 1})

    def test_the_picture_has_a_rectangle_for_each_value(self):
        self.command("plan", self.csv(), "--svg", "out.svg", "-o", "out.plan")
        titles = [node.text for node in tree.parse(self.folder / "out.svg").iter("{http://www.w3.org/2000/svg}title")]
        self.assertEqual(sorted(title.split(":")[0] for title in titles), ["b1", "b2", "b3"])
        self.assertTrue((self.folder / "out.plan").read_text().startswith("pintle-plan 1\ntotal 8\n"))

    def test_a_bad_file_names_line_and_column(self):
        self.refused("plan", self.csv("id,lower,upper\n"), code=INVALID, words=["Line 1, column 15", '"size"', "small.csv"])
        self.refused("plan", self.csv(SMALL + "b4,0,x,4\n"), "--svg", "out.svg", code=INVALID, words=["Line 5, column 6", '"x"'])
        self.assertFalse((self.folder / "out.svg").exists())
        self.refused("plan", self.csv(SMALL + "b1,0,1,4\n"), code=INVALID, words=["Line 5, column 1", "line 2"])
        huge = "id,lower,upper,size\na,0,1,18446744073709551615\n"
        self.refused("plan", self.csv(huge), code=INVALID, words=["overflow", '"a"'])
        self.refused("plan", "nowhere.csv", code=IO, words=["nowhere.csv"])

    def test_a_byte_order_mark_is_no_column(self):
        (self.folder / "marked.csv").write_bytes(b"\xef\xbb\xbf" + SMALL.encode())
        self.assert_right(SMALL, self.json("plan", "marked.csv"))

    def test_an_id_does_not_steer_the_terminal(self):
        (self.folder / "ids.csv").write_bytes(b"id,lower,upper,size\na\x1b]0;title\x07\xc2\x9b2J,0,1,4\nplain \xc3\xa9,0,1,4\n")
        shown = self.shown("plan", "ids.csv")
        self.assertIn(b"  a\\x1b]0;title\\x07\\xc2\\x9b2J  ", shown)
        self.assertIn("  plain \u00e9  ".encode(), shown)
        self.assertNotIn(b"\x1b", shown)
        result = subprocess.run([PINTLE, "plan", "ids.csv"], cwd=self.folder, env=clean_environment(), capture_output=True, check=True)
        self.assertIn(b"a\x1b]0;title\x07", result.stdout)  # a pipe gets the data as they are

    def test_usage(self):
        self.refused("plan", self.csv(), "--nodes", "-1", code=USAGE, words=['"-1"', "0 to 18446744073709551615"])
        self.refused("plan", self.csv(), "--nodes", "18446744073709551616", code=USAGE, words=["18446744073709551616"])
        self.refused("plan", code=USAGE, words=["FILE"])
        self.refused("plan", self.csv(), "--budget", "10", code=USAGE, words=["duration"])
        self.refused("plan", "small.csv", "--capacity", "-1", code=USAGE, words=["bytes"])
        self.refused("plan", "small.csv", "--budget", "99999999999999999999s", code=USAGE, words=["duration"])


if __name__ == "__main__":
    unittest.main()
