"""`onnx_models.py FOLDER` writes the models that ONNX Runtime runs: additions of 1, and a saxpy. It is a program of its own, since an
import of onnx in the worker would count in a cold start."""

import sys
from pathlib import Path

import onnx
from onnx import TensorProto, helper
from values import CHAIN_LENGTH, FACTOR


def model_of(nodes, inputs, constants):
    """A model from f32 vectors to the vector `out`."""
    def vector(name):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"])

    values = [helper.make_tensor(name, TensorProto.FLOAT, [1], [value]) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "graph", [vector(name) for name in inputs], [vector("out")], values)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    onnx.checker.check_model(model)
    return model


def additions(count):
    names = ["y", *(f"sum{index}" for index in range(1, count)), "out"]
    nodes = [helper.make_node("Add", [source, "one"], [target]) for source, target in zip(names, names[1:])]
    return model_of(nodes, ["y"], {"one": 1.0})


def saxpy():
    nodes = [helper.make_node("Mul", ["x", "a"], ["product"]), helper.make_node("Add", ["product", "y"], ["out"])]
    return model_of(nodes, ["x", "y"], {"a": FACTOR})


def main(folder):
    for name, model in (("launch", additions(1)), ("chain", additions(CHAIN_LENGTH)), ("saxpy", saxpy())):
        onnx.save(model, folder / f"{name}.onnx")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
