"""`pintle devices` and `pintle info`: what is here."""

import unittest

from harness import INVALID, UNAVAILABLE, CommandCase

FEATURES = {"execution", "copy_queue", "host_call", "timestamp", "indirect", "mapped_memory", "recording", "notification",
            "host_import", "memory_export", "calibration", "constants", "local_arguments", "float_atomics", "bounds", "images",
            "texel_buffers", "immediates", "subgroups", "subgroup_matrices", "optional_buffers"}


class Devices(CommandCase):
    def test_one_line_for_each_device(self):
        lines = self.command("devices").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines].count("cpu"), 1)
        self.assertIn("null", [line.split()[0] for line in lines])
        documents = self.json("devices")["devices"]
        self.assertEqual([line.split()[0] for line in lines], [device["id_by_name"] for device in documents])

    def test_json_has_what_is_known(self):
        document = self.json("devices")
        self.assertEqual(set(document), {"devices", "absences"})
        cpu = next(device for device in document["devices"] if device["id"] == "cpu")
        self.assertEqual((cpu["backend"], cpu["kind"], cpu["progress"]), ("cpu", "cpu", "own"))
        self.assertIn("c", cpu["formats"])
        self.assertGreater(cpu["limits"]["max_allocation"], 1 << 20)
        self.assertEqual({row["feature"] for row in cpu["capabilities"]}, FEATURES)
        for row in cpu["capabilities"]:
            self.assertIn(row["support"], {"native", "emulated", "absent"})
            self.assertTrue(row["support"] == "native" or row["detail"], row)
        for absence in document["absences"]:
            self.assertEqual(set(absence), {"backend", "reason", "next_step"})
            self.assertTrue(absence["next_step"], absence)

    def test_each_name_opens_its_device(self):
        for device in self.json("devices")["devices"]:
            with self.subTest(device["id"]):
                self.assertTrue(device["id_by_name"].startswith(device["backend"]))
                self.assertEqual(self.json("info", device["id_by_name"])["device"]["id"], device["id"])

    def test_a_variable_says_what_best_is(self):
        chosen = {"PINTLE_DEVICE": "trace(null)"}
        self.assertEqual(self.json("info", environment=chosen)["device"]["id"], "trace(null)")
        self.assertEqual(self.json("info", "validate(best)", environment=chosen)["device"]["id"], "validate(trace(null))")
        self.assertEqual(self.json("info", "cpu", environment=chosen)["device"]["id"], "cpu")
        self.refused("info", code=UNAVAILABLE, words=["nowhere", "PINTLE_DEVICE"], environment={"PINTLE_DEVICE": "nowhere"})

    def test_required_devices(self):
        self.command("devices", "--require", "cpu", "--require", "null", "--require", "trace(cpu)")
        result = self.command("devices", "--require", "cpu", "--require", "nowhere:9", code=UNAVAILABLE)
        self.assertIn("nowhere:9", result.stderr)
        self.assertIn("cpu", result.stdout)


class Info(CommandCase):
    def test_json_has_every_part(self):
        document = self.json("info", "cpu", environment={"PINTLE_TIMEOUT_MS": "1234"})
        self.assertEqual(set(document), {"device", "heaps", "settings"})
        self.assertEqual(document["device"]["id"], "cpu")
        self.assertIn({"texel": "rgba8", "access": "read_write", "filtered": True}, document["device"]["texels"])
        self.assertIn({"texel": "r32f", "access": "read_write", "filtered": False}, document["device"]["buffer_texels"])
        self.assertGreater(document["device"]["limits"]["max_image_2d"], 0)
        (heap, *_) = document["heaps"]
        self.assertEqual(set(heap), {"name", "total", "available", "used", "source"})
        self.assertGreater(heap["total"], 1 << 20)
        settings = {row["name"]: row for row in document["settings"]}
        self.assertEqual((settings["PINTLE_TIMEOUT_MS"]["value"], settings["PINTLE_TIMEOUT_MS"]["source"]), ("1234", "environment"))
        self.assertEqual(settings["PINTLE_CPU_THREADS"]["source"], "default")

    def test_text_has_every_part(self):
        text = self.command("info", "cpu").stdout
        for word in ("identity", "limits", "capabilities", "texels", "texel buffers, read_write", "heaps", "settings", "memory_export", "PINTLE_CACHE_DIR"):
            self.assertIn(word, text)

    def test_best_is_the_default(self):
        self.assertEqual(self.json("info")["device"], self.json("info", "best")["device"])

    def test_layers_and_options_are_ids(self):
        self.assertEqual(self.json("info", "trace(cpu)")["device"]["id"], "trace(cpu)")
        self.assertEqual(self.json("info", "cpu?inline")["device"]["progress"], "driven")

    def test_what_is_not_there(self):
        self.refused("info", "nowhere", code=UNAVAILABLE, words=["nowhere", "cpu"])
        self.refused("info", "cpu??", code=INVALID, words=["cpu??"])

    def test_a_bad_setting_is_refused_by_name(self):
        result = self.command("info", "cpu", code=INVALID, environment={"PINTLE_CPU_THREADS": "many"})
        self.assertIn("PINTLE_CPU_THREADS", result.stderr)
        self.assertIn("0 to 1024", result.stderr)


if __name__ == "__main__":
    unittest.main()
