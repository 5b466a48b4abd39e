"""ONNX Runtime's CPU provider: run_with_iobinding, which returns when the work is done. saxpy has two nodes, Mul and Add.
onnx_models.py has written the models into the folder PEERS_WORK."""

import os
from pathlib import Path

import numpy as np
import onnxruntime
from peer import Peer
from values import SIZES, TRANSFER_FLOATS, make_x, make_y


def session_of(name, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    model = Path(os.environ["PEERS_WORK"]) / f"{name}.onnx"
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def value_of(values):
    made = onnxruntime.OrtValue.ortvalue_from_shape_and_type(list(values.shape), np.float32, "cpu", 0)
    made.update_inplace(values)
    return made


class InTurns:
    """A session over two values: each run reads one and writes the other, and the next run does so the other way round."""

    def __init__(self, session, values, x=None):
        self.session, self.values = session, values
        self.bindings = [self.binding(*values, x), self.binding(*reversed(values), x)]

    def binding(self, source, target, x):
        made = self.session.io_binding()
        made.bind_ortvalue_input("y", source)
        made.bind_ortvalue_output("out", target)
        if x is not None:
            made.bind_ortvalue_input("x", x)
        return made


class OnnxRuntimePeer(Peer):
    about = f"onnxruntime {onnxruntime.__version__} CPUExecutionProvider"

    def add_saxpy(self, name, elements):
        session = session_of("saxpy", 2 if elements > SIZES["saxpy_4Ki"] else 1)
        pair = InTurns(session, [value_of(make_y(elements)), value_of(make_y(elements))], value_of(make_x(elements)))
        self.keep(name, [pair, 0])

    def saxpy(self, name):
        size = self.sizes[name]
        size[0].session.run_with_iobinding(size[0].bindings[size[1]])
        size[1] ^= 1

    def y(self, name):
        pair, turn = self.sizes[name]
        return pair.values[turn].numpy()

    def prepare_counter(self):
        self.values, self.turn = [value_of(np.zeros(1, np.float32)) for _ in range(2)], 0
        self.single = InTurns(session_of("launch", 1), self.values)
        self.hundred = InTurns(session_of("chain", 1), self.values)

    def launch(self):
        self.single.session.run_with_iobinding(self.single.bindings[self.turn])
        self.turn ^= 1

    def chain(self):
        self.hundred.session.run_with_iobinding(self.hundred.bindings[self.turn])
        self.turn ^= 1

    def counter(self):
        return self.values[self.turn].numpy()

    def prepare_transfer(self):
        self.far = value_of(np.zeros(TRANSFER_FLOATS, np.float32))

    def upload(self):
        self.far.update_inplace(self.sent)

    def download(self):
        np.copyto(self.received, self.far.numpy())

    def empty(self):
        self.values[0].data_ptr()


def create(_kind):
    return OnnxRuntimePeer()
