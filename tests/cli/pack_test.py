"""`pintle pack`: makes packs and says what they have."""

import json
import unittest

from harness import INVALID, IO, SAXPY, USAGE, CommandCase


class Pack(CommandCase):
    def test_what_was_made_is_listed(self):
        file = self.pack()
        document = self.json("pack", "--list", file)
        self.assertEqual((document["file"], document["name"]), (file, "program"))
        (variant,) = document["variants"]
        self.assertEqual((variant["format"], variant["target"]), ("c", ""))
        self.assertEqual(variant["code_bytes"], (self.folder / "program.txt").stat().st_size)
        (entry,) = variant["entries"]
        self.assertEqual((entry["name"], entry["signature"], entry["group_size"]), ("saxpy", SAXPY, [256, 1, 1]))
        self.assertEqual(entry["parameters"][2], {"name": "y", "kind": "buffer", "dtype": "f32", "access": "read_write", "type": "read_write f32[]"})
        self.assertIn(SAXPY, self.command("pack", "--list", file).stdout)

    def test_a_folder_is_a_description(self):
        self.pack(name="pack")
        self.command("pack", ".", "-o", "again.pack")
        self.assertEqual((self.folder / "again.pack").read_bytes(), (self.folder / "pack.pack").read_bytes())

    def test_every_changed_byte_is_noticed(self):
        whole = (self.folder / self.pack()).read_bytes()
        for place in range(0, len(whole), max(1, len(whole) // 24)):
            (self.folder / "bad.pack").write_bytes(whole[:place] + bytes([whole[place] ^ 0x40]) + whole[place + 1:])
            self.refused("pack", "--list", "bad.pack", code=INVALID, words=["bad.pack", "ffset"])

    def test_a_cut_pack_is_refused(self):
        whole = (self.folder / self.pack()).read_bytes()
        for length in (0, 3, 20, len(whole) - 1):
            (self.folder / "bad.pack").write_bytes(whole[:length])
            self.refused("pack", "--list", "bad.pack", code=INVALID, words=["bad.pack"])

    def refuse_description(self, text, words, code=INVALID):
        (self.folder / "bad.json").write_text(text)
        self.refused("pack", "bad.json", "-o", "bad.pack", code=code, words=words)
        self.assertFalse((self.folder / "bad.pack").exists())

    def test_a_bad_description_names_the_place(self):
        good = {"name": "p", "entries": ["f()"], "variants": [{"format": "c", "file": "p.c"}]}
        (self.folder / "p.c").write_text("void f(void) {}")
        self.refuse_description("{", ["bad.json"])
        self.refuse_description(json.dumps({**good, "extra": 1}), ["extra"])
        self.refuse_description(json.dumps({**good, "entries": ["f(x: f33)"]}), ["$.entries[0]", "f33"])
        self.refuse_description(json.dumps({**good, "variants": [{"format": "c", "file": "../p.c"}]}), ["$.variants[0].file"])
        self.refuse_description(json.dumps({**good, "variants": [{"format": "c", "file": "none.c"}]}), ["none.c"], code=IO)

    def test_files_that_are_not_there_are_io_errors(self):
        self.refused("pack", "nowhere.json", "-o", "x.pack", code=IO, words=["nowhere.json"])
        self.refused("pack", "--list", "nowhere.pack", code=IO, words=["nowhere.pack"])
        self.pack()
        self.refused("pack", "program.json", "-o", "nowhere/x.pack", code=IO, words=["nowhere/x.pack"])

    def test_usage_with_json_is_a_document(self):
        self.usage_error("pack", words=["DESCRIPTION or --list"])
        self.usage_error("pack", "a.json", words=["--output"])
        self.usage_error("pack", "-o", "a.pack", words=["DESCRIPTION"])

    def test_usage(self):
        self.refused("pack", code=USAGE, words=[])
        self.refused("pack", "a.json", code=USAGE, words=["--output"])
        self.refused("pack", "-o", "a.pack", code=USAGE, words=["DESCRIPTION"])
        self.refused("pack", "a.json", "-o", "a.pack", "--list", "b.pack", code=USAGE, words=["--list"])


if __name__ == "__main__":
    unittest.main()
