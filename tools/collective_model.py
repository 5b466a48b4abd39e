#!/usr/bin/env python3
"""What collectives would take on more hosts than there are: a model fitted to what `pintle bench collective` has measured.

    time = alpha A + omega W + beta B + gamma F

A: messages that a rank handles, sent and received. W: arrivals that it sleeps for; 0 where each rank has a processor, since it
spins there. B: bytes that it copies into messages and out of them. F: bytes that it folds into others. collective_work.py counts
them: of the rank that is busy longest, or of all ranks divided by the processors where that is more. A parameter that betters
the fit by less than 0.5 % stays 0.

Half of the measurements of each transport are fitted, the other half is predicted and compared: every other number of ranks
where there are at least 4, every other size where there are fewer. Twice the time is as wrong as half of it; no parameter is negative.

The measurements, on a quiet machine, a release build, each file one run (some minutes in all):

    mkdir -p model
    ops="all_reduce all_gather reduce_scatter"
    sizes="-b 8 -e 16M -f 8 -n 20 -w 3"  # -e 128M for shm and mpi says more of what no cache holds
    for a in ring halving_doubling tree direct; do
      for n in 2 4 8 16 32 64; do
        pintle bench collective $ops --transport threads --ranks $n $sizes --algorithm $a --json > model/threads_${n}_$a.json
      done
      for n in 2 4; do
        pintle bench collective $ops --transport shm --ranks $n $sizes --algorithm $a --json > model/shm_${n}_$a.json
        mpirun -n $n --oversubscribe pintle bench collective $ops --transport mpi $sizes --algorithm $a --json > model/mpi_${n}_$a.json
      done
    done
    tools/collective_model.py model/*.json --network alpha_us=2.0,gbps=100 --brief

As root, OpenMPI wants OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1.
"""

import argparse
import collections
import itertools
import json
import math
import statistics
import sys
from pathlib import Path

from collective_work import ALGORITHMS, MOST_RANKS, OPERATIONS, choose, load, way_of

PARAMETERS = ("alpha", "omega", "beta", "gamma")
WORTH = 1.005  # what the error is multiplied by where a parameter is left out for nothing
REWEIGHINGS = 60
LEAST_RATIO = 1e-3
RANKS_TO_SPLIT = 4
SECOND_US = 1e6

HOSTS = (8, 16, 64, 256, 1024, 4096)
SIZES = (8, 64 << 10, 1 << 20, 64 << 20, 1 << 30)
PREDICTED_ELEMENT = 4
PLAIN_DTYPES = ("f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")  # their partial results travel
TIMES = {"time_us": "the median of its iterations", "min_us": "the least of its iterations"}
NOTE = "prediction, not a measurement"

Measurement = collections.namedtuple("Measurement", "transport operation algorithm ranks processors size element time_us")
Network = collections.namedtuple("Network", "alpha_us gbps")
Checked = collections.namedtuple("Checked", "measurement predicted_us ratio")


class BadInput(ValueError):
    """Said to whoever gave it, without a trace."""


# Measurements

def value_of(document, key, kinds, where):
    value = document.get(key) if isinstance(document, dict) else None
    if isinstance(value, bool) or not isinstance(value, kinds):
        raise BadInput(f"{where} has no {key} that can be used ({json.dumps(value)}).")
    return value


def at_least_one(document, key, where):
    value = value_of(document, key, int, where)
    if value < 1:
        raise BadInput(f"{where}: {key} ({value}) is below 1.")
    return value


def read_document(path):
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise BadInput(f"{path} is not JSON: {error}.") from None


def reason_to_leave_out(document, row, way, ranks):
    """Why the model has nothing to say of this row; None where it has."""
    if row["op"] not in OPERATIONS:
        return f"operation {row['op']}"
    if way == "native":
        return "the transport's own algorithm"
    if way not in ALGORITHMS + ("reach",):
        raise BadInput(f"The algorithm ({way}) is none of {', '.join(ALGORITHMS)}, automatic, native.")
    if ranks == 1:
        return "one rank"
    if document.get("reproducible"):
        return "reproducible mode"
    return None if row["dtype"] in PLAIN_DTYPES else f"dtype {row['dtype']}"


def measurement_of(document, row, path, time):
    """A Measurement, or the reason to leave the row out."""
    operation, size = value_of(row, "op", str, f"A row of {path}"), value_of(row, "size", int, f"A row of {path}")
    where = f"{path}: {operation} of {size} bytes"
    if row.get("wrong"):
        raise BadInput(f"{where} has wrong elements ({row['wrong']}).")
    transport, algorithm = (value_of(document, key, str, path) for key in ("transport", "algorithm"))
    ranks, processors = (at_least_one(document, key, path) for key in ("ranks", "processors"))
    reason = reason_to_leave_out(document, {"dtype": None, **row}, way_of(transport, operation, algorithm, size, ranks), ranks)
    if reason:
        return reason
    time_us, count = value_of(row, time, (int, float), where), value_of(row, "count", int, where)
    if not (math.isfinite(time_us) and time_us > 0):
        raise BadInput(f"{where}: {time} ({time_us}) is not above 0.")
    if size < 0 or count < 0 or (count and size % count) or (size and not count):
        raise BadInput(f"{where} is no whole number of elements ({count}).")
    return Measurement(transport, operation, algorithm, ranks, processors, size, size // count if count else 1, time_us)


def read(paths, time):
    """(measurements, {reason: how many rows are left out for it}) of the files."""
    measurements, left_out = [], collections.Counter()
    for path in paths:
        document = read_document(path)
        for row in value_of(document, "rows", list, path):
            found = measurement_of(document, row, path, time)
            if isinstance(found, str):
                left_out[found] += 1
            else:
                measurements.append(found)
    if not measurements:
        raise BadInput("No row of the files can be modelled.")
    return measurements, left_out


def split(measurements):
    """(fitted, held out, in words), as the head of this file says."""
    def halves(field, words):
        values = sorted({getattr(m, field) for m in measurements})
        fitted = set(values[::2])
        kept = [[m for m in measurements if (getattr(m, field) in fitted) == side] for side in (True, False)]
        return *kept, f"fitted at {words} {', '.join(map(str, values[::2]))}, checked at {', '.join(map(str, values[1::2]))}"

    if len({m.ranks for m in measurements}) >= RANKS_TO_SPLIT:
        return halves("ranks", "ranks")
    return halves("size", "sizes (bytes)")


# The fit

def load_of(m):
    way = way_of(m.transport, m.operation, m.algorithm, m.size, m.ranks)
    return load(m.operation, way, m.ranks, m.size, m.element).on(m.processors)


def features(m):
    """What the parameters are multiplied by, in their order. A rank that has a processor spins, and does not sleep."""
    work = load_of(m)
    return [work.messages, work.waits if m.ranks > m.processors else 0, work.copied, work.folded]


def solve(matrix, target):
    """x of matrix x = target, both overwritten; None where it has not one answer."""
    size = len(target)
    for i in range(size):
        pivot = max(range(i, size), key=lambda row: abs(matrix[row][i]))
        if abs(matrix[pivot][i]) < 1e-9:
            return None
        matrix[i], matrix[pivot], target[i], target[pivot] = matrix[pivot], matrix[i], target[pivot], target[i]
        for row in range(i + 1, size):
            factor = matrix[row][i] / matrix[i][i]
            matrix[row] = [a - factor * b for a, b in zip(matrix[row], matrix[i])]
            target[row] -= factor * target[i]
    for i in reversed(range(size)):
        target[i] = (target[i] - sum(matrix[i][k] * target[k] for k in range(i + 1, size))) / matrix[i][i]
    return target


def nonnegative(rows, weights, times, allowed):
    """The values, zero outside `allowed`, none negative, that make the weighted squares of what is amiss least."""
    width = len(PARAMETERS)
    products = [[sum(w * row[i] * row[k] for w, row in zip(weights, rows)) for k in range(width)] for i in range(width)]
    target = [sum(w * t * row[i] for w, t, row in zip(weights, times, rows)) for i in range(width)]
    best, most = [0.0] * width, 0.0
    for chosen in subsets(allowed):
        norms = [math.sqrt(products[i][i]) or 1.0 for i in chosen]
        scaled = [[products[i][k] / (a * b) for k, b in zip(chosen, norms)] for i, a in zip(chosen, norms)]
        found = solve(scaled, [target[i] / a for i, a in zip(chosen, norms)])
        if found is None or min(found) < 0:
            continue
        values = [0.0] * width
        for i, value, norm in zip(chosen, found, norms):
            values[i] = value / norm
        gain = sum(map(float.__mul__, target, values))
        if gain > most:
            best, most = values, gain
    return best


def subsets(names):
    return itertools.chain.from_iterable(itertools.combinations(names, n) for n in range(1, len(names) + 1))


def settle(rows, times, allowed):
    """(error, values): the least mean square of log(predicted / measured), by weighing the rows again and again."""
    weights, values = [t ** -2 for t in times], None
    for _ in range(REWEIGHINGS):
        before, values = values, nonnegative(rows, weights, times, allowed)
        ratios = [max(sum(map(float.__mul__, row, values)) / t, LEAST_RATIO) for row, t in zip(rows, times)]
        if before and all(math.isclose(a, b, rel_tol=1e-9) for a, b in zip(before, values)):
            break
        # With these weights the place where nothing pulls is that of the logarithms; half the way keeps it from swinging.
        aim = [(math.log(r) / (r - 1) if abs(r - 1) > 1e-9 else 1.0) / (r * t * t) for r, t in zip(ratios, times)]
        weights = [math.sqrt(a * b) for a, b in zip(weights, aim)]
    return math.sqrt(statistics.fmean(math.log(r) ** 2 for r in ratios)), values


def fit(measurements):
    """{parameter: value in microseconds, or None where nothing measured says anything of it}."""
    rows, times = [[float(f) for f in features(m)] for m in measurements], [m.time_us for m in measurements]
    said = [i for i in range(len(PARAMETERS)) if any(row[i] for row in rows)]
    if len(rows) < len(PARAMETERS):
        raise BadInput(f"The measurements ({len(rows)}) of transport {measurements[0].transport} to be fitted are fewer than the "
                       f"parameters ({len(PARAMETERS)}).")
    found = [(*settle(rows, times, allowed), len(allowed)) for allowed in subsets(said)]
    enough = min(error for error, _, _ in found) * WORTH + 1e-6
    _, values, _ = min((one for one in found if one[0] <= enough), key=lambda one: (one[2], one[0]))
    return {name: values[i] if i in said else None for i, name in enumerate(PARAMETERS)}


def predict(parameters, m):
    return sum((parameters[name] or 0.0) * f for name, f in zip(PARAMETERS, features(m)))


def fit_and_check(measurements):
    fitted, held_out, words = split(measurements)
    if not held_out:
        raise BadInput(f"Nothing of transport {measurements[0].transport} is held out to check the fit: there is one size only "
                       f"and fewer than {RANKS_TO_SPLIT} numbers of ranks.")
    parameters = fit(fitted)
    checked = [Checked(m, predict(parameters, m), predict(parameters, m) / m.time_us) for m in held_out]
    return {"transport": measurements[0].transport, "split": words, "fitted": len(fitted), "parameters": parameters, "checked": checked}


def distance(ratio):
    return abs(math.log(ratio)) if ratio > 0 else math.inf


def summary(checked):
    ratios = [c.ratio for c in checked]
    return {"checked": len(ratios), "median_ratio": statistics.median(ratios),
            "median_factor": math.exp(statistics.median(map(distance, ratios))), "worst_ratio": max(ratios, key=distance)}


# The prediction

def parse_network(text):
    """ "alpha_us=2.0,gbps=100": microseconds of a message between two hosts, 10^9 bits a second of a link each way."""
    values = {}
    for word in text.split(","):
        key, _, number = word.partition("=")
        try:
            values[key] = float(number)
        except ValueError:
            raise BadInput(f'"{word}" of the network is no assumption; write alpha_us=2.0,gbps=100.') from None
        if not (math.isfinite(values[key]) and values[key] > 0):
            raise BadInput(f"{key} ({number}) of the network is not above 0.")
    if set(values) != set(Network._fields):
        raise BadInput(f"A network ({text}) is described by {' and '.join(Network._fields)}: alpha_us=2.0,gbps=100.")
    return Network(**values)


def host_time_us(parameters, network, work):
    """One rank a host: nobody shares a processor. Nothing overlaps, so this is what a well-kept network takes at most."""
    cost = {name: value or 0.0 for name, value in parameters.items()}
    wire_us = work.wire * 8 / (network.gbps * 1e9) * SECOND_US
    inside_us = cost["alpha"] * work.messages + cost["beta"] * work.copied + cost["gamma"] * work.folded
    return network.alpha_us * work.rounds + wire_us + inside_us


def prediction(parameters, network):
    rows = []
    for hosts, size in itertools.product(HOSTS, SIZES):
        times = {a: host_time_us(parameters, network, load("all_reduce", a, hosts, size, PREDICTED_ELEMENT).path) for a in ALGORITHMS}
        rows.append({"hosts": hosts, "size": size, "time_us": times, "fastest": min(times, key=times.get),
                     "automatic": choose("all_reduce", size, hosts, is_far=True)})
    return rows


def transport_to_predict(fits, asked):
    """Beyond one host ranks meet by MPI, so its costs come first."""
    names = [one["transport"] for one in fits]
    if asked and asked not in names:
        raise BadInput(f"Transport {asked} is not among those measured ({', '.join(names)}).")
    return asked or next((name for name in ("mpi", "shm", "threads") if name in names), names[0])


# What is printed

def size_text(size):
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if size >= 1 << shift:
            return f"{size / (1 << shift):.3g} {unit}"
    return f"{size} B"


def time_text(time_us):
    for unit, of_unit in (("s", SECOND_US), ("ms", 1e3)):
        if time_us >= of_unit:
            return f"{time_us / of_unit:.3g} {unit}" if time_us < 1000 * of_unit else f"{time_us / of_unit:.0f} {unit}"
    return f"{time_us:.3g} us"


def table(heads, rows):
    return ["", "| " + " | ".join(heads) + " |", "|" + "---|" * len(heads), *("| " + " | ".join(map(str, r)) + " |" for r in rows), ""]


def parameter_text(name, value):
    if value is None:
        return "not measured"
    if name in ("alpha", "omega"):
        return f"{value:.3g} us"
    return f"{value * 1e3:.3g} ns/byte" + (f" ({1e-3 / value:.3g} GB/s)" if value > 0 else "")


def fit_lines(fits):
    heads = ("transport", "alpha, a message", "omega, a sleep", "beta, a byte copied", "gamma, a byte folded", "fitted")
    rows = [(one["transport"], *(parameter_text(n, one["parameters"][n]) for n in PARAMETERS), one["fitted"]) for one in fits]
    return ["## Fit", *table(heads, rows)]


def summary_rows(checked):
    groups = collections.defaultdict(list)
    for one in checked:
        groups[one.measurement.ranks, one.measurement.operation, one.measurement.algorithm].append(one)
    for key, members in [*sorted(groups.items()), (("all", "all", "all"), checked)]:
        said = summary(members)
        yield (*key, said["checked"], f"{said['median_ratio']:.2f}", f"{said['median_factor']:.2f}", f"{said['worst_ratio']:.2f}")


def checked_row(one):
    m = one.measurement
    return m.operation, m.algorithm, m.ranks, size_text(m.size), time_text(m.time_us), time_text(one.predicted_us), f"{one.ratio:.2f}"


def check_lines(one, is_brief):
    lines = [f"## Check: {one['transport']}", "", f"It was {one['split']}. Ratio: predicted / measured; factor: how far the middle row is off."]
    lines += table(("ranks", "operation", "algorithm", "rows", "median ratio", "median factor", "worst ratio"), summary_rows(one["checked"]))
    if not is_brief:
        rows = map(checked_row, sorted(one["checked"], key=lambda c: c.measurement))
        lines += table(("operation", "algorithm", "ranks", "size", "measured", "predicted", "ratio"), rows)
    return lines


def prediction_lines(document):
    network, of = document["network"], document["transport"]
    said = summary(next(one for one in document["fits"] if one["transport"] == of)["checked"])
    lines = [f"## all_reduce of f32 on {HOSTS[0]} to {HOSTS[-1]:,} hosts: {NOTE}", "",
             f"Assumed: one rank a host; a network of {network.alpha_us:g} us a message and {network.gbps:g} Gbit/s each way, without "
             "contention. It is charged once for each round and for the bytes of the busiest link.",
             f"From the fit of {of}: what a message, a copied byte and a folded byte cost inside a host. What was held out of that fit is off by "
             f"a factor of {said['median_factor']:.2f} in the middle; the worst ratio is {said['worst_ratio']:.2f}.",
             "Left out: overlap of copying and sending, contention, the windows of flow control, noise. `automatic`: what Pintle takes "
             f"unless the transport's own is faster. A group has at most {MOST_RANKS:,} ranks today; rows beyond that (*) are of "
             "the algorithms alone."]
    heads = ("hosts", "size", *ALGORITHMS, "fastest", "automatic", "")
    mark = lambda hosts: f"{hosts:,}{' *' if hosts > MOST_RANKS else ''}"
    rows = [(mark(r["hosts"]), size_text(r["size"]), *(time_text(r["time_us"][a]) for a in ALGORITHMS), r["fastest"],
             r["automatic"], "predicted") for r in document["prediction"]]
    return lines + table(heads, rows)


def markdown(document, is_brief):
    lines = fit_lines(document["fits"]) + [f"Of each row measured: {TIMES[document['time']]}.", ""]
    if document["left_out"]:
        reasons = (f"{count} of {reason}" for reason, count in sorted(document["left_out"].items()))
        lines += [f"Rows left out: {', '.join(reasons)}.", ""]
    for one in document["fits"]:
        lines += check_lines(one, is_brief)
    return "\n".join(lines + prediction_lines(document)).rstrip()


def plain(document):
    """As JSON has it."""
    fits = [{**one, **{f"check_{k}": v for k, v in summary(one["checked"]).items() if k != "checked"},
             "checked": [{**c.measurement._asdict(), "predicted_us": c.predicted_us, "ratio": c.ratio} for c in one["checked"]]}
            for one in document["fits"]]
    return {**document, "fits": fits, "network": document["network"]._asdict(), "note": NOTE}


def model(paths, time, network, asked):
    measurements, left_out = read(paths, time)
    names = sorted({m.transport for m in measurements})
    fits = [fit_and_check([m for m in measurements if m.transport == name]) for name in names]
    of = transport_to_predict(fits, asked)
    parameters = next(one["parameters"] for one in fits if one["transport"] == of)
    return {"time": time, "fits": fits, "left_out": dict(left_out), "transport": of, "network": network,
            "prediction": prediction(parameters, network)}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="what `pintle bench collective --json` has printed")
    parser.add_argument("--network", default="alpha_us=2.0,gbps=100", help="assumed of the network between hosts (%(default)s)")
    parser.add_argument("--transport", help="whose fit the prediction takes (mpi, or shm, or threads)")
    parser.add_argument("--time", choices=tuple(TIMES), default="time_us",
                        help="the median of the iterations, or the least, where others use the machine (%(default)s)")
    parser.add_argument("--brief", action="store_true", help="no line for each measurement that was checked")
    parser.add_argument("--json", action="store_true", help="JSON instead of Markdown")
    options = parser.parse_args(arguments)
    try:
        document = model(options.files, options.time, parse_network(options.network), options.transport)
    except BadInput as error:
        print(f"collective_model: {error}", file=sys.stderr)
        return 2
    print(json.dumps(plain(document), indent=2) if options.json else markdown(document, options.brief))
    return 0


if __name__ == "__main__":
    sys.exit(main())
