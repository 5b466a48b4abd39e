"""tools/collective_model.py: parameters found again, bad input refused, a prediction that says so."""

import contextlib
import io
import json
import math
import random
import unittest

from tree import Tree

import collective_model as model

TRUE = {"alpha": 0.2, "omega": 5.0, "beta": 1e-4, "gamma": 3e-4}
RANKS = (2, 4, 8, 16, 32, 64)
PROCESSORS = 2


def document(transport, ranks, algorithm, time, operations=model.OPERATIONS, sizes=None):
    """What the bench would print where `time(measurement)` were true."""
    rows = []
    for operation in operations:
        for size in sizes or (8, 64, 512, 4096, 32768, 1 << 18, 1 << 21, 1 << 24):
            unit = 4 * (1 if operation == "all_reduce" else ranks)
            size = max(size // unit, 1) * unit
            measurement = model.Measurement(transport, operation, algorithm, ranks, PROCESSORS, size, 4, 0)
            rows.append({"op": operation, "size": size, "count": size // 4, "dtype": "f32", "redop": "sum", "root": None,
                         "time_us": time(measurement), "min_us": time(measurement) / 2, "wrong": 0})
    return {"ranks": ranks, "transport": transport, "processors": PROCESSORS, "algorithm": algorithm, "reproducible": False, "rows": rows}


def by(parameters):
    return lambda measurement: model.predict(parameters, measurement)


def documents(time, transport="threads", ranks=RANKS):
    return [document(transport, n, algorithm, time) for n in ranks for algorithm in model.ALGORITHMS]


def modelled(made, time="time_us"):
    """The measurements of documents, as if they had been files."""
    with Tree() as files:
        for i, one in enumerate(made):
            files[f"{i}.json"] = json.dumps(one)
        return model.read([files.root / f"{i}.json" for i in range(len(made))], time)


class FitTest(unittest.TestCase):
    def assert_found(self, found, expected, tolerance=1e-4):
        self.assertEqual(set(found), set(expected))
        for name, value in expected.items():
            self.assertTrue(math.isclose(found[name], value, rel_tol=tolerance), (name, found[name], value))

    def test_parameters_are_found_again(self):
        measurements, _ = modelled(documents(by(TRUE)))
        self.assert_found(model.fit(measurements), TRUE)

    def test_what_is_held_out_is_predicted(self):
        one = model.fit_and_check(modelled(documents(by(TRUE)))[0])
        self.assertEqual({c.measurement.ranks for c in one["checked"]}, {4, 16, 64})
        self.assertEqual(one["split"], "fitted at ranks 2, 8, 32, checked at 4, 16, 64")
        for checked in one["checked"]:
            self.assertAlmostEqual(checked.ratio, 1, places=3)

    def test_least_time_of_the_iterations(self):
        measurements, _ = modelled(documents(by(TRUE)), "min_us")
        self.assert_found(model.fit(measurements), {name: value / 2 for name, value in TRUE.items()})

    def test_noise_is_no_bias(self):
        noise = random.Random(5)
        measurements, _ = modelled(documents(lambda m: model.predict(TRUE, m) * math.exp(noise.gauss(0, 0.3))))
        self.assert_found(model.fit(measurements), TRUE, 0.3)
        said = model.summary(model.fit_and_check(measurements)["checked"])
        self.assertTrue(0.9 < said["median_ratio"] < 1.1, said)

    def test_a_parameter_that_costs_nothing_stays_zero(self):
        for name in ("omega", "gamma"):
            true = {**TRUE, name: 0.0}
            self.assertEqual(model.fit(modelled(documents(by(true)))[0])[name], 0.0)

    def test_no_parameter_is_negative(self):
        odd = lambda m: 10 + 1e-4 * m.size ** 0.5 / m.ranks  # less for more ranks, which no parameter can say
        found = model.fit(modelled(documents(odd))[0])
        self.assertTrue(all(value >= 0 for value in found.values()), found)
        self.assertGreater(max(found.values()), 0)

    def test_sleep_is_not_measured_where_each_has_a_processor(self):
        found = model.fit(modelled(documents(by(TRUE), "shm", (2,)))[0])
        self.assertIsNone(found["omega"])
        self.assert_found({k: v for k, v in found.items() if v is not None}, {k: v for k, v in TRUE.items() if k != "omega"})

    def test_few_ranks_are_split_by_size(self):
        one = model.fit_and_check(modelled(documents(by(TRUE), "shm", (2, 4)))[0])
        self.assertIn("sizes", one["split"])
        self.assertEqual({c.measurement.ranks for c in one["checked"]}, {2, 4})
        fitted = {m.size for m in model.split(modelled(documents(by(TRUE), "shm", (2, 4)))[0])[0]}
        self.assertFalse(fitted & {c.measurement.size for c in one["checked"]})

    def test_half_and_twice_are_as_wrong(self):
        checked = [model.Checked(None, 0, ratio) for ratio in (0.4, 1.0, 2.0)]
        said = model.summary(checked)
        self.assertEqual((said["median_ratio"], said["worst_ratio"], said["checked"]), (1.0, 0.4, 3))
        self.assertAlmostEqual(said["median_factor"], 2.0)

    def test_between_half_and_twice_is_the_whole(self):
        error, values = model.settle([[1.0, 0.0, 0.0, 0.0]] * 2, [1.0, 16.0], (0,))
        self.assertAlmostEqual(values[0], 4.0, places=4)
        self.assertAlmostEqual(error, math.log(4), places=4)

    def test_too_few_measurements(self):
        with self.assertRaisesRegex(model.BadInput, r"measurements \(3\) of transport shm .* parameters \(4\)"):
            model.fit(modelled([document("shm", 2, "ring", by(TRUE), ["all_reduce"], (8, 64, 512))])[0])

    def test_nothing_to_check(self):
        with self.assertRaisesRegex(model.BadInput, "Nothing of transport shm is held out"):
            model.fit_and_check(modelled([document("shm", 2, "ring", by(TRUE), ["all_reduce"], (8,))])[0])


class InputTest(unittest.TestCase):
    def setUp(self):
        self.document = document("threads", 4, "ring", by(TRUE), ["all_reduce"], (8, 64))

    def assert_refused(self, words, **changes):
        with self.assertRaisesRegex(model.BadInput, words):
            modelled([{**self.document, **changes}])

    def assert_row_refused(self, words, **changes):
        self.assert_refused(words, rows=[{**self.document["rows"][0], **changes}])

    def test_whole(self):
        measurements, left_out = modelled([self.document])
        self.assertEqual([m.size for m in measurements], [8, 64])
        self.assertEqual((measurements[0].element, measurements[0].ranks, dict(left_out)), (4, 4, {}))

    def test_files(self):
        with Tree() as files:
            files["no.json"] = "{"
            for name, words in (("no.json", "is not JSON"), ("missing.json", "cannot be read")):
                with self.assertRaisesRegex(model.BadInput, words):
                    model.read([files.root / name], "time_us")

    def test_documents(self):
        self.assert_refused("has no rows", rows=None)
        self.assert_refused("has no transport", transport=3)
        self.assert_refused("has no ranks", ranks="4")
        self.assert_refused("has no ranks", ranks=True)
        self.assert_refused(r"ranks \(0\) is below 1", ranks=0)
        self.assert_refused(r"processors \(0\) is below 1", processors=0)
        self.assert_refused(r"algorithm \(star\) is none of ring", algorithm="star")
        with self.assertRaisesRegex(model.BadInput, "has no rows"):
            modelled([[1]])

    def test_rows(self):
        self.assert_row_refused(r"all_reduce of 8 bytes has wrong elements \(2\)", wrong=2)
        self.assert_row_refused("has no time_us", time_us=None)
        self.assert_row_refused(r"time_us \(0\) is not above 0", time_us=0)
        self.assert_row_refused("is not above 0", time_us=math.inf)
        self.assert_row_refused(r"no whole number of elements \(3\)", count=3)
        self.assert_row_refused(r"no whole number of elements \(0\)", count=0)
        self.assert_row_refused("has no size", size="8")
        self.assert_refused("A row of .* has no op", rows=[8])

    def test_what_is_left_out_is_counted(self):
        narrow = {**self.document, "rows": [{**self.document["rows"][0], "dtype": "f16", "count": 4}]}
        barrier = {**self.document, "rows": [{"op": "barrier", "size": 0, "count": 0, "time_us": 1.0}]}
        alone, repeatable = {**self.document, "ranks": 1}, {**self.document, "reproducible": True}
        native = {**self.document, "transport": "mpi", "algorithm": "native"}
        measurements, left_out = modelled([self.document, narrow, barrier, alone, repeatable, native])
        self.assertEqual(len(measurements), 2)
        self.assertEqual(left_out, {"dtype f16": 1, "operation barrier": 1, "one rank": 2, "reproducible mode": 2,
                                    "the transport's own algorithm": 2})
        with self.assertRaisesRegex(model.BadInput, "No row of the files can be modelled"):
            modelled([barrier])

    def test_network(self):
        self.assertEqual(model.parse_network("gbps=100,alpha_us=2.0"), model.Network(2.0, 100.0))
        for text, words in (("alpha_us=2", "described by alpha_us and gbps"), ("alpha_us=2,gbps=1,x=1", "described by"),
                            ("alpha_us=2,gbps=fast", "gbps=fast.* is no assumption"), ("alpha_us,gbps=1", "is no assumption"),
                            ("alpha_us=0,gbps=1", r"alpha_us \(0\)"), ("alpha_us=nan,gbps=1", r"\(nan\) of the network is not above 0")):
            with self.assertRaisesRegex(model.BadInput, words):
                model.parse_network(text)


class PredictionTest(unittest.TestCase):
    NETWORK = model.Network(2.0, 80.0)  # 10 GB/s: 1e-4 us a byte

    def row(self, hosts, size, network=NETWORK):
        return next(r for r in model.prediction(TRUE, network) if (r["hosts"], r["size"]) == (hosts, size))

    def test_every_row(self):
        rows = model.prediction(TRUE, self.NETWORK)
        self.assertEqual({(r["hosts"], r["size"]) for r in rows}, {(h, s) for h in model.HOSTS for s in model.SIZES})
        for row in rows:
            self.assertEqual(row["time_us"][row["fastest"]], min(row["time_us"].values()))

    def test_ring_by_hand(self):
        part, others = (1 << 20) // 8, 7
        messages = 4 * others * (part // (16 << 10))
        by_hand = 14 * 2.0 + 2 * others * part * 1e-4 + 0.2 * messages + 1e-4 * 3 * others * part + 3e-4 * others * part
        self.assertAlmostEqual(self.row(8, 1 << 20)["time_us"]["ring"], by_hand)

    def test_nobody_sleeps_on_a_host_of_its_own(self):
        awake = {**TRUE, "omega": None}
        self.assertEqual(model.prediction(awake, self.NETWORK), model.prediction(TRUE, self.NETWORK))

    def test_a_better_network_is_faster(self):
        for better in (model.Network(1.0, 80.0), model.Network(2.0, 400.0)):
            for way in model.ALGORITHMS:
                self.assertLess(self.row(64, 1 << 20, better)["time_us"][way], self.row(64, 1 << 20)["time_us"][way])

    def test_few_rounds_for_what_is_short(self):
        self.assertEqual(self.row(8, 8)["fastest"], "direct")
        self.assertEqual(self.row(4096, 8)["fastest"], "tree")
        self.assertNotEqual(self.row(1024, 1 << 30)["fastest"], "tree")

    def test_whose_costs(self):
        fits = [{"transport": name} for name in ("shm", "threads")]
        self.assertEqual(model.transport_to_predict(fits, None), "shm")
        self.assertEqual(model.transport_to_predict([*fits, {"transport": "mpi"}], None), "mpi")
        self.assertEqual(model.transport_to_predict(fits, "threads"), "threads")
        with self.assertRaisesRegex(model.BadInput, r"mpi is not among those measured \(shm, threads\)"):
            model.transport_to_predict(fits, "mpi")


class CommandTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = Tree()
        made = documents(by(TRUE)) + documents(by(TRUE), "shm", (2,))
        for i, one in enumerate(made):
            cls.files[f"{i}.json"] = json.dumps(one)
        cls.paths = [str(cls.files.root / f"{i}.json") for i in range(len(made))]
        cls.text = cls.ended(*cls.paths)[1]

    @classmethod
    def tearDownClass(cls):
        cls.files.folder.cleanup()

    @staticmethod
    def ended(*arguments):
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            code = model.main(list(arguments))
        return code, output.getvalue(), errors.getvalue()

    def test_parameters_are_printed(self):
        self.assertIn("| threads | 0.2 us | 5 us | 0.1 ns/byte (10 GB/s) | 0.3 ns/byte (3.33 GB/s) |", self.text)
        self.assertIn("| shm | 0.2 us | not measured |", self.text)

    def test_check_has_a_row_for_each_measurement_held_out(self):
        held_out = [line for line in self.text.splitlines() if line.startswith("| all_reduce | ring | 16 |")]
        self.assertEqual(len(held_out), 8)
        self.assertTrue(all(line.endswith("| 1.00 |") for line in held_out), held_out)
        self.assertIn("| all | all | all |", self.text)

    def test_which_time(self):
        self.assertIn("Of each row measured: the median of its iterations.", self.text)
        least = self.ended(*self.paths, "--brief", "--time", "min_us")[1]
        self.assertIn("Of each row measured: the least of its iterations.", least)
        self.assertIn("| threads | 0.1 us | 2.5 us |", least)

    def test_brief(self):
        code, brief, _ = self.ended(*self.paths, "--brief")
        self.assertEqual(code, 0)
        self.assertNotIn("| all_reduce | ring | 16 |", brief)
        self.assertIn("| 16 | all_reduce | ring | 8 | 1.00 |", brief)

    def test_a_prediction_is_called_one(self):
        _, _, after = self.text.partition("prediction, not a measurement")
        rows = [line for line in after.splitlines() if line.startswith("| ") and not line.startswith("| hosts")]
        self.assertEqual(len(rows), len(model.HOSTS) * len(model.SIZES))
        self.assertTrue(all(line.endswith("| predicted |") for line in rows))
        self.assertIn("2 us a message and 100 Gbit/s", after)
        self.assertEqual(sum(line.startswith("| 4,096 * |") for line in rows), len(model.SIZES))  # more than a group takes

    def test_json(self):
        code, text, _ = self.ended(*self.paths, "--json", "--network", "alpha_us=5,gbps=25", "--transport", "threads")
        document = json.loads(text)
        self.assertEqual((code, document["note"], document["network"]), (0, "prediction, not a measurement", {"alpha_us": 5.0, "gbps": 25.0}))
        self.assertEqual((document["transport"], [one["transport"] for one in document["fits"]]), ("threads", ["shm", "threads"]))
        self.assertAlmostEqual(document["fits"][1]["parameters"]["omega"], 5.0, places=3)
        self.assertAlmostEqual(document["fits"][1]["check_worst_ratio"], 1.0, places=3)
        self.assertLessEqual({"ranks", "size", "time_us", "predicted_us", "ratio"}, set(document["fits"][1]["checked"][0]))

    def test_bad_input_ends_with_two(self):
        code, output, errors = self.ended("/nowhere/at/all.json")
        self.assertEqual((code, output), (2, ""))
        self.assertIn("collective_model: /nowhere/at/all.json cannot be read", errors)
        self.assertEqual(self.ended(*self.paths, "--network", "fast")[0], 2)
        self.assertEqual(self.ended(*self.paths, "--transport", "mpi")[0], 2)

    def test_sizes_and_times_are_readable(self):
        self.assertEqual([model.size_text(s) for s in (8, 1024, 65536, 3 << 19, 1 << 30)], ["8 B", "1 KiB", "64 KiB", "1.5 MiB", "1 GiB"])
        self.assertEqual([model.time_text(t) for t in (0.5, 999, 1500, 2.5e6, 5e9)], ["0.5 us", "999 us", "1.5 ms", "2.5 s", "5000 s"])


if __name__ == "__main__":
    unittest.main()
