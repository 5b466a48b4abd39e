"""Writes a program in C that calls every function of the C interface with each mistake that its types allow.

Usage: every_function.py FOLDER OUT.c, with the folder of the headers. For each parameter of each function, by its type: a handle that is
empty, made up, released or of another kind; a pointer that is NULL, unless OPTIONAL has it; a struct of a size that is none, also between those
of two versions; a number (77) of an enum that has fewer, in a parameter and in each such member of a struct that is read. Everything else is
right, so the call must fail for this alone, and must answer the status in the error, too. A struct of an earlier version's size is taken. A
function, a type or a NULL that this script does not know fails it: a new function is called from its first day on.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import c_headers  # noqa: E402

# Pointers that may be NULL: functions of a parameter. Those of a count of 0 are called with 1.
OPTIONAL = {
    "freed": "error_free", "devices": "device_list_count", "absences": "device_list_count", "color": "rank_group_split",
    "budget": "plan_lay_out", "how": "arena_feed arena_read",
    "options": "buffer_allocate buffer_import queue_create queue_submit queue_replay queue_wrap image_create program_load_with resource_allocate"
               " pool_create pool_allocate buffer_from_dlpack buffer_from_old_dlpack arena_create state_create state_set_load rank_group_threads"
               " rank_group_join rank_group_split group_queue_create group_queue_submit symmetric_heap_create symmetric_heap_put_async"
               " symmetric_heap_get_async symmetric_heap_put_signal_async symmetric_heap_to_device symmetric_heap_from_device",
    "point": "queue_submit queue_replay arena_feed state_write state_checkpoint state_restore state_set_checkpoint state_set_restore state_set_load"
             " group_queue_submit symmetric_heap_put_async symmetric_heap_get_async symmetric_heap_put_signal_async symmetric_heap_to_device"
             " symmetric_heap_from_device",
    "label": "signal_create buffer_map_file queue_fork buffer_wrap",
    "data": "point_then list_call list_upload_retained list_download_retained buffer_keep resource_log resource_create bytes_data log_set_callback",
    "released": "resource_create", "size": "bytes_data", "bytes": "pool_trim",
    "part": "list_copy_to_image list_copy_from_image list_copy_slot_to_image list_copy_image_to_slot",
    "to": "rank_group_run group_queue_submit", "from": "rank_group_run group_queue_submit symmetric_heap_wait_signal",
}
# What is right for a parameter whose name or type does not say enough: of these functions, or of all (None).
RIGHT = {
    ("id", None): '"cpu"', ("path", None): "pack_path", ("format", None): '"c"', ("code", None): '"x"', ("signatures", None): "signatures",
    ("dtype", None): "PINTLE_F32", ("rank", None): "1", ("dim_count", None): "1", ("dims", None): "&one64", ("feature", None): "1",
    ("texel", None): "PINTLE_TEXEL_R8UI", ("access", None): "PINTLE_ACCESS_READ", ("bindings", None): "arguments", ("arguments", None): "arguments",
    ("count", None): "1", ("chunk_count", None): "1", ("entry", None): '"saxpy"', ("most", None): "&groups", ("ranks", None): "1",
    ("level", None): "PINTLE_LOG_WARN", ("most_verbose", None): "PINTLE_LOG_WARN", ("to_bytes", None): "4", ("from_bytes", None): "4",
    ("symbol", None): '"every_function"', ("kernel", "cpu_register_kernel"): "callback_of_cpu", ("log", None): "callback_of_log",
    ("callback", "point_then"): "callback_of_point", ("callback", "log_set_callback"): "callback_of_message", ("function", None): "callback_of_list",
    ("released", "buffer_keep list_upload_retained list_download_retained resource_create"): "callback_of_list",
    ("allocate", None): "callback_of_resource", ("op", None): "1", ("algorithm", None): "1", ("support", None): "1",
    ("code", "signal_fail"): "PINTLE_IO", ("status", None): "PINTLE_IO",
    ("name", "pack_source_named state_create"): '"x"', ("size", "pack_source pack_source_named"): "1",
    ("bytes", "pack_parse"): "bytes", ("size", "pack_parse"): "sizeof bytes", ("bytes", "symmetric_heap_create"): "4096",
    ("bytes", "arena_feed arena_read state_write symmetric_heap_put symmetric_heap_get symmetric_heap_put_signal symmetric_heap_put_async"
              " symmetric_heap_get_async symmetric_heap_put_signal_async"): "4",
    ("tensor", "buffer_from_dlpack buffer_from_old_dlpack"): "(void*)no_tensor",
    ("kind", None): "1", ("room", None): "1",
}
# Names of numbers of enums. Others are known by the word behind PINTLE_, as `texel` by PINTLE_TEXEL_R8.
ENUM_NAMES = {"dtype", "kind", "op", "level", "most_verbose", "code", "status"}
# The kind of argument that a member of its value belongs to. No replay binds one of these.
VALUE_KINDS = {"value.sampler": "PINTLE_ARGUMENT_SAMPLER", "value.texel": "PINTLE_ARGUMENT_TEXEL_BUFFER"}
INTEGERS = {"uint32_t", "uint64_t", "int64_t", "size_t", "pintle_status"}
POINTED_AT = {"void", "char", "int", "pintle_status", "int64_t", "uint32_t", "uint64_t", "size_t", "float", "double", "DLManagedTensor", "DLManagedTensorVersioned"}


def earlier_sizes():
    """The sizes of earlier versions of structs that have grown, as C: {struct: [size]}."""
    text = (ROOT / "src/capi/structs.h").read_text(encoding="utf-8")
    lines = re.findall(r"earlier_sizes<(\w+)>\{([^}]*)\};", text)
    return {name: re.findall(r"offsetof\(\w+, \w+\)|\b\d+", sizes) for name, sizes in lines}


EARLIER = earlier_sizes()


class Enums:
    """Which parameters and which members of structs are a number of an enum, or a flag: 77 is none. A name says it, or a member's comment."""

    def __init__(self, text):
        self.names = ENUM_NAMES | {name.split("_")[1].lower() for name, _ in c_headers.numbers(text) if name.count("_") > 1}
        said = {name: set(re.findall(r"uint(?:16|32)_t (\w+);\s*/\*.*PINTLE_", body)) for name, body in c_headers.STRUCT.findall(text)}
        self.members = {name: [*self.paths(members, self.names | said[name])] for name, members in c_headers.structs(text)}

    def paths(self, members, names, before=""):
        for member in members:
            if member.members:
                yield from self.paths(member.members, names, f"{before}{member.name}.")
            elif member.type in ("uint16_t", "uint32_t") and (member.name in names or member.name.startswith("is_")):
                yield before + member.name

    def is_parameter(self, kind, name):
        return kind in ("uint32_t", "pintle_status") and name in self.names


def is_optional(function, name):
    return function.short in OPTIONAL.get(name, "").split()


def fits(kind, value):
    """Whether a value of RIGHT is one for the type: an output may have the name of another function's input."""
    if value.startswith('"') or value in ("pack_path", "bytes"):
        return kind in ("char*", "void*")
    return (value[0].isdigit() or value.startswith(("PINTLE_", "sizeof"))) == (kind in INTEGERS)


def given(function, kind, name):
    """What RIGHT has for the parameter; None where it has nothing."""
    own = [value for (parameter, functions), value in RIGHT.items() if parameter == name and functions and function.short in functions.split()]
    values = [*own, *([RIGHT[name, None]] if (name, None) in RIGHT else [])]
    return next((value for value in values if fits(kind, value)), None)


def right(function, kind, name, types):
    base = kind.rstrip("*")
    if kind in types.handles:
        return f"right.{kind.removeprefix('pintle_')}"
    value = given(function, kind, name)
    if value is not None:
        return value
    if kind in INTEGERS:
        return "0"
    if base in types.structs | types.handles:
        return f"&some.{base.removeprefix('pintle_')}"
    if base in POINTED_AT:
        return "NULL" if is_optional(function, name) else "(void*)&some.room"
    raise SystemExit(f"every_function: {function.name} has a parameter ({kind} {name}) of a type that is not known here.")


def calls(function, types, enums):
    """(C text, what must be answered, what the error's text has, what is wrong) for each mistake."""
    parameters = function.parameters[:-1]  # the last is the error
    good = [right(function, kind, name, types) for kind, name in parameters]
    for i, (kind, name) in enumerate(parameters):
        for wrong, status, what in mistakes(function, kind, name, types):
            yield [*good[:i], wrong, *good[i + 1:]], status, "", f"{name} is {what}"
        for wrong, what in wrong_numbers(function, kind, name, good[i], enums):
            yield [*good[:i], wrong, *good[i + 1:]], "PINTLE_INVALID_ARGUMENT", "77", f"{what} is 77"


def wrong_numbers(function, kind, name, good, enums):
    """(C text, where the number is) for each number of an enum in a parameter."""
    if enums.is_parameter(kind, name):
        yield "77", name
    if name not in function.inputs:
        return
    base = kind.rstrip("*")
    word = base.removeprefix("pintle_")
    for path in enums.members.get(base, ()):
        if name == "bindings" and path.startswith("value."):
            continue
        changes = [f"wrong.{word} = *{good}", *(f"wrong.{word}.kind = {number}" for value, number in VALUE_KINDS.items() if path.startswith(value)),
                   f"wrong.{word}.{path} = 77", f"&wrong.{word}"]
        yield f"({', '.join(changes)})", f"{name}->{path}"


def shorter_structs(function, types):
    """(C text, what is short) for each struct that has grown, with each size of its earlier versions."""
    good = [right(function, kind, name, types) for kind, name in function.parameters[:-1]]
    for i, (kind, name) in enumerate(function.parameters[:-1]):
        base = kind.rstrip("*")
        for size in EARLIER.get(base, ()) if kind.endswith("*") else ():
            yield [*good[:i], f"sized(&wrong.{base.removeprefix('pintle_')}, {size})", *good[i + 1:]], f"{name} is of size {size}"


def mistakes(function, kind, name, types):
    base = kind.rstrip("*")
    if kind in types.handles:
        word = kind.removeprefix("pintle_")
        other = "device" if word != "device" else "queue"
        yield f"({kind}){{0}}", "PINTLE_INVALID_ARGUMENT", "empty"
        yield f"({kind}){{UINT64_MAX}}", "PINTLE_INVALID_ARGUMENT", "made up"
        yield f"({kind}){{right.{other}.id}}", "PINTLE_INVALID_ARGUMENT", "of another kind"
        yield f"released.{word}", "PINTLE_STALE", "released"
    elif (kind == "callback" or kind.endswith("*")) and not is_optional(function, name):
        yield "NULL", "PINTLE_INVALID_ARGUMENT", "NULL"
    if kind.endswith("*") and base in types.structs:
        for size in ("0", "4", "5000", "UINT32_MAX", *(f"{size} + 4" for size in EARLIER.get(base, ()))):
            yield f"sized(&wrong.{base.removeprefix('pintle_')}, {size})", "PINTLE_INVALID_ARGUMENT", f"of size {size}"


HEAD = """/* Written by tests/capi/every_function.py. */
#include <string.h>

#include "check.h"

/* Whether a call fails as it must, and says these words; the error is not filled by others. */
#define EXPECT(status, words, what, ...)                                                                         \\
  do {                                                                                                    \\
    pintle_error failure = PINTLE_ERROR_INIT;                                                             \\
    pintle_error* error = &failure;                                                                       \\
    const pintle_status got = (__VA_ARGS__);                                                              \\
    if (got != (status) || failure.code != (status) || failure.text == NULL || failure.text[0] == 0 ||    \\
        strstr(failure.text, words) == NULL) {                                                            \\
      fprintf(stderr, "%s: %d instead of %d: %s\\n", what, (int)got, (int)(status), failure.text == NULL ? "" : failure.text); \\
      ++failures;                                                                                         \\
    }                                                                                                     \\
    (void)pintle_error_free(&failure, NULL);                                                              \\
    error = NULL;                                                                                         \\
    if ((__VA_ARGS__) != (status)) ++failures;                                                            \\
    ++calls;                                                                                              \\
  } while (0)

/* Whether what a call answers is not about the size of a struct. */
#define TAKES(what, ...)                                                                                 \\
  do {                                                                                                   \\
    pintle_error failure = PINTLE_ERROR_INIT;                                                            \\
    pintle_error* const error = &failure;                                                                \\
    if ((__VA_ARGS__) != PINTLE_OK && strstr(failure.text, "is none of a version") != NULL) {            \\
      fprintf(stderr, "%s: %s\\n", what, failure.text);                                                 \\
      ++failures;                                                                                        \\
    }                                                                                                    \\
    (void)pintle_error_free(&failure, NULL);                                                             \\
    ++calls;                                                                                             \\
  } while (0)

static int failures, calls;

static void callback_of_point(void* data, pintle_status status, const pintle_error* failure) {
  (void)data;
  (void)status;
  (void)failure;
}

static void callback_of_list(void* data) { (void)data; }

static void callback_of_message(void* data, uint32_t level, const char* category, const char* message) {
  (void)data;
  (void)level;
  (void)category;
  (void)message;
}

static void callback_of_log(void* data, const char* line) {
  (void)data;
  (void)line;
}

static pintle_status callback_of_resource(void* data, const pintle_resource_request* request, pintle_buffer* buffer,
                                          pintle_error* error) {
  (void)data;
  (void)request;
  (void)buffer;
  (void)error;
  return PINTLE_OUT_OF_MEMORY;
}

static void callback_of_cpu(const pintle_group* group, void* const* arguments) {
  (void)group;
  (void)arguments;
}

/* The struct, whatever it is, with another size. */
static void* sized(void* any, uint32_t size) {
  memcpy(any, &size, sizeof size);
  return any;
}
"""


def members(names):
    return [f"{name} {name.removeprefix('pintle_')}" for name in sorted(names)]


def struct_of(name, words):
    return f"static struct {{\n{''.join(f'  {line};{chr(10)}' for line in words)}}} {name};\n"


def main(folder, out):
    text = c_headers.read(folder)
    types, enums = c_headers.Types(text), Enums(text)
    functions = c_headers.functions(text)
    structs, handles = members(types.structs), members(types.handles)
    lines = [HEAD, struct_of("right", handles), struct_of("released", handles), struct_of("some", [*handles, *structs, "uint64_t room[64]"]),
             struct_of("wrong", structs), "static void set_sizes(void) {",
             *(f"  sized(&some.{name.split()[1]}, sizeof some.{name.split()[1]});" for name in structs), "}\n", '#include "every_function.h"\n']
    for i, function in enumerate(functions):
        lines.append(f"static void call_{i}(void) {{")
        for arguments, status, words, what in calls(function, types, enums):
            lines.append(f'  EXPECT({status}, "{words}", "{function.name}: {what}", {function.name}({", ".join([*arguments, "error"])}));')
        for arguments, what in shorter_structs(function, types):
            lines.append(f'  TAKES("{function.name}: {what}", {function.name}({", ".join([*arguments, "error"])}));')
        lines.append("}\n")
    lines += ["int main(void) {", "  set_up();", *(f"  call_{i}();" for i in range(len(functions))), "  tear_down();",
              '  printf("%d calls of ' + str(len(functions)) + ' functions, %d wrong\\n", calls, failures);', "  return failures != 0;", "}"]
    Path(out).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
