#!/usr/bin/env python3
"""Makes a pack of functions of JAX's: one StableHLO text for the backend pjrt, and a signature for each function. Needs jax.

    tools/jax_pack.py 'model.py:forward(f32[64,10], f32[10], f32[8,64])' 'model.py:loss(f32[8,10], i32[8])' -o model.pack

The module is a file or a name, and the types are those of the arguments. A function that is jitted already keeps its donate_argnums. From Python,
arguments may be trees:

    step = jax.jit(step, donate_argnums=0, keep_unused=True).lower(params, x, labels, 0.1)
    jax_pack.write_pack("model.pack", {"step": step})

The entry has the function's name. Its parameters are the arguments in their order, and then the results. They are called as in JAX: params['w1'] is
params_w1, and a result is out, out_0 or out_0_w1. An argument without a side is a scalar; a result without one is a buffer of one element.

A donated argument is updated in place: it and its result are one `read_write` parameter. Its result is the first one of its type whose path ends like
that of the argument: step(params, x) that answers (loss, params) updates each of params by its own name, also where JAX's choice, which is by type
alone, is another one. A donated argument without such a result is read.
"""

import argparse
import importlib
import importlib.util
import json
import re
import sys
from pathlib import Path
from typing import NamedTuple

FORMAT = "stablehlo"
DTYPES = {"bool": "i1", "i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64", "u8": "ui8", "u16": "ui16", "u32": "ui32", "u64": "ui64", "f16": "f16",
          "bf16": "bf16", "f32": "f32", "f64": "f64", "f8_e4m3fn": "f8E4M3FN", "f8_e5m2": "f8E5M2", "complex64": "complex<f32>"}
OF_JAX = {"i": "int", "u": "uint", "f": "float"}  # and the bits
NAMED_BY_JAX = {"bool": "bool", "bf16": "bfloat16", "f8_e4m3fn": "float8_e4m3fn", "f8_e5m2": "float8_e5m2", "complex64": "complex64"}
MOST_SIDES = 8


class BadInput(ValueError):
    """Said to whoever gave it, without a trace."""


class Value(NamedTuple):
    """An argument or a result of a lowered function."""

    path: str  # as JAX has it: "params['w1']", "result[0]['w1']"
    type: object  # of MLIR's


class Lowered(NamedTuple):
    """A function as JAX has lowered it."""

    name: str
    module: object
    function: object  # the public one of the module
    arguments: list
    results: list
    donated: list  # for each argument


# What JAX says of a function

def path_of(text):
    """A name of the module, as MLIR prints a location: loc("params['w1']")."""
    found = re.search(r'"((?:[^"\\]|\\.)*)"', text)
    return found.group(1) if found else ""


def read(name, lowered, context):
    import jax
    from jax.interpreters.mlir import ir
    if not name.isascii() or not name.isidentifier():
        raise BadInput(f'"{name}" is no name of an entry: letters, digits and "_" make one.')
    with context:
        module = ir.Module.parse(lowered.compiler_ir(FORMAT).operation.get_asm(enable_debug_info=True))
    count = module.operation.attributes["mhlo.num_partitions"].value * module.operation.attributes["mhlo.num_replicas"].value
    others = [each.operation.name for each in module.body.operations if each.operation.name != "func.func"]
    if count != 1 or others:
        raise BadInput(f"{name} is lowered for more devices than one ({', '.join(others) or count}).")
    function = next(each for each in module.body.operations if ir.StringAttr(each.attributes["sym_name"]).value == "main")
    arguments = [Value(path_of(str(each.location)), each.type) for each in function.arguments]
    results = [Value(ir.StringAttr(ir.DictAttr(attributes)["jax.result_info"]).value, type)
               for attributes, type in zip(function.attributes["res_attrs"], function.type.results)]
    given = jax.tree.leaves(lowered.args_info)
    if len(given) != len(arguments):
        raise BadInput(f"{name} has ({len(given)}) arguments and uses ({len(arguments)}). jax.jit(..., keep_unused=True) keeps the others.")
    return Lowered(name, module, function, arguments, results, [each.donated for each in given])


def pairs_of(lowered):
    """The result of each argument that is updated in place. Longer ends go first: "['mu']['w1']" also ends with "['w1']"."""
    ends = {index: re.sub(r"^\w*", "", value.path) for index, value in enumerate(lowered.arguments) if lowered.donated[index]}
    free, pairs = list(range(len(lowered.results))), {}
    for index in sorted(ends, key=lambda index: -len(ends[index])):
        fits = (at for at in free if lowered.results[at].type == lowered.arguments[index].type and lowered.results[at].path.endswith(ends[index]))
        if (result := next(fits, None)) is not None:
            pairs[index] = result
            free.remove(result)
    return pairs


# The signature

def type_of(value, where):
    """The dtype and the sides."""
    from jax.interpreters.mlir import ir
    dtype = None
    if isinstance(value.type, ir.RankedTensorType):
        dtype = next((name for name, its in DTYPES.items() if its == str(value.type.element_type)), None)
    if dtype is None or 0 in value.type.shape or len(value.type.shape) > MOST_SIDES:
        raise BadInput(f"{where} has the type {value.type}, and Pintle has no such buffers.")
    return dtype, value.type.shape


def buffer(access, value, where):
    dtype, sides = type_of(value, where)
    return f"{access} {dtype}[{','.join(map(str, sides)) or 1}]"


def names_of(paths):
    """An identifier for each path, no two alike."""
    made = []
    for path in paths:
        name = re.sub(r"\W+", "_", path, flags=re.ASCII).strip("_") or "argument"
        name = f"_{name}" if name[0].isdigit() else name
        number = 1
        while (name if number == 1 else f"{name}_{number}") in made:
            number += 1
        made.append(name if number == 1 else f"{name}_{number}")
    return made


def signature_of(lowered, pairs):
    written = [value for index, value in enumerate(lowered.results) if index not in pairs.values()]
    names = names_of([*(value.path for value in lowered.arguments), *(re.sub(r"^result", "out", value.path) for value in written)])
    types = []
    for index, value in enumerate(lowered.arguments):
        where = f"{value.path} of {lowered.name}"
        is_scalar = index not in pairs and not type_of(value, where)[1]
        types.append(type_of(value, where)[0] if is_scalar else buffer("read_write" if index in pairs else "read", value, where))
    types += [buffer("write", value, f"{value.path} of {lowered.name}") for value in written]
    return f"{lowered.name}({', '.join(f'{name}: {type}' for name, type in zip(names, types))})"


# The text

def order_results(lowered, pairs):
    """Written parameters are results in their order, so those of arguments go first."""
    from jax.interpreters.mlir import ir
    function, order = lowered.function, [pairs[index] for index in sorted(pairs)]
    order += [index for index in range(len(lowered.results)) if index not in order]
    last = list(function.regions[0].blocks[0].operations)[-1]
    operands = list(last.operands)
    for place, index in enumerate(order):
        last.operands[place] = operands[index]
    attributes = list(function.attributes["res_attrs"])
    function.attributes["res_attrs"] = ir.ArrayAttr.get([attributes[index] for index in order])
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(function.type.inputs, [function.type.results[index] for index in order]))


def mark_donated(lowered, pairs):
    """In place of JAX's own marks."""
    from jax.interpreters.mlir import ir
    if not lowered.arguments:
        return
    number, marks = ir.IntegerType.get_signless(32), []
    for index, old in enumerate(lowered.function.arg_attrs):
        kept = {each.name: each.attr for each in old if each.name not in ("tf.aliasing_output", "jax.buffer_donor")}
        if index in pairs:
            kept["tf.aliasing_output"] = ir.IntegerAttr.get(number, sorted(pairs).index(index))
        marks.append(ir.DictAttr.get(kept))
    lowered.function.attributes["arg_attrs"] = ir.ArrayAttr.get(marks)


def rename(lowered):
    """The entry gets its name, and the functions that it uses get it in front of theirs: other entries have such functions, too."""
    from jax.interpreters.mlir import ir
    for each in lowered.module.body.operations:
        old = ir.StringAttr(each.attributes["sym_name"]).value
        new = lowered.name if old == "main" else f"{lowered.name}.{old}"
        ir.SymbolTable.replace_all_symbol_uses(old, new, lowered.module.operation)
        ir.SymbolTable.set_symbol_name(each, new)


def text_and_signatures(name, functions):
    from jax.interpreters import mlir
    context, texts, signatures = mlir.make_ir_context(), [], []
    joined = None
    for entry, lowered in functions.items():
        made = read(entry, lowered, context)
        with context, mlir.ir.Location.unknown():
            pairs = pairs_of(made)
            signatures.append(signature_of(made, pairs))
            order_results(made, pairs)
            mark_donated(made, pairs)
            rename(made)
            if joined is None:
                joined = made.module
                joined.operation.attributes["sym_name"] = mlir.ir.StringAttr.get(name)
                continue
            for each in list(made.module.body.operations):
                each.operation.detach_from_parent()
                joined.body.append(each)
    return str(joined), signatures


def write_pack(folder, functions):
    """Writes NAME.mlir and pack.json into the folder, which may be there; NAME is the folder's, without its ending. `functions`: what
    jax.jit(function).lower(...) answers, by the names of the entries. The answer is the signatures. BadInput for what no pack can have."""
    folder = Path(folder)
    name = folder.resolve().stem
    if not functions:
        raise BadInput("A pack has at least one function.")
    if not name.isascii() or not name.isidentifier():
        raise BadInput(f'"{name}" is no name of a program: letters, digits and "_" make one.')
    text, signatures = text_and_signatures(name, functions)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.mlir").write_text(text.rstrip() + "\n", encoding="utf-8")
    description = {"name": name, "entries": signatures, "variants": [{"format": FORMAT, "file": f"{name}.mlir"}]}
    (folder / "pack.json").write_text(json.dumps(description, indent=1) + "\n", encoding="utf-8")
    return signatures


# The command

def jax_type(text):
    """The shape and the dtype of "f32[8,64]"."""
    import jax
    found = re.fullmatch(r"(\w+)(?:\[([\d, ]*)\])?", text)
    if not found or found.group(1) not in DTYPES:
        raise BadInput(f'"{text}" is no type: f32, f32[8,64]. Dtypes are {", ".join(DTYPES)}.')
    dtype, sides = found.group(1), [int(side) for side in re.findall(r"\d+", found.group(2) or "")]
    made = jax.ShapeDtypeStruct(sides, NAMED_BY_JAX.get(dtype) or OF_JAX[dtype[0]] + dtype[1:])
    if made.dtype.itemsize == 8 and dtype != "complex64" and not jax.config.jax_enable_x64:
        raise BadInput(f"JAX has {dtype} with JAX_ENABLE_X64=1.")
    return made


def load(module):
    if not module.endswith(".py"):
        return importlib.import_module(module)
    sys.path.insert(0, str(Path(module).resolve().parent))
    return importlib.import_module(Path(module).stem)


def lower(asked):
    """The entry's name in "model.py:forward(f32[8,64])", and what JAX makes of it."""
    import jax
    found = re.fullmatch(r"(.+):(\w+)\((.*)\)", asked.strip())
    if not found:
        raise BadInput(f'"{asked}" is not MODULE:FUNCTION(TYPES).')
    module, name, types = found.groups()
    try:
        function = getattr(load(module), name)
    except (ImportError, AttributeError) as error:
        raise BadInput(f"{asked}: {error}") from error
    arguments = [jax_type(each.strip()) for each in re.findall(r"\w[^,\[]*(?:\[[^\]]*\])?", types)]
    return name, (function if hasattr(function, "lower") else jax.jit(function, keep_unused=True)).lower(*arguments)


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("functions", nargs="+", metavar="MODULE:FUNCTION(TYPES)")
    parser.add_argument("-o", "--out", required=True, metavar="FOLDER", help="the pack: pintle.open_pack reads the folder, and pintle pack makes a file of it")
    options = parser.parse_args(words)
    sys.path.insert(0, "")
    try:
        print("\n".join(write_pack(options.out, dict(map(lower, options.functions)))))
    except ImportError as error:
        print(f"{error}. JAX makes the text: pip install jax", file=sys.stderr)
        return 1
    except BadInput as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
