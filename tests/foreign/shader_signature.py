"""The signature of a compute shader, read from what spirv-dis prints: `pintle pack` does not tell the signatures of GLSL.

Buffers and uniform blocks stand in the order of set, binding and element; push constants behind them, each a scalar where C would
lay them out so, else one struct, else bytes.
"""
import re
import subprocess


class Unsayable(Exception):
    """What no signature can say, by its name."""


def dtype(kind, width, sign="1"):
    return ("f" if kind == "Float" else "i" if sign == "1" else "u") + width


class Module:
    def __init__(self, text):
        self.defined = {}       # id: (opcode, operands)
        self.named, self.members = {}, {}
        self.decorated, self.of_members = {}, {}
        self.modes, self.entry = [], None
        self.bindings, self.push_offsets, self.push_bytes = [], [], 0
        self.constants = {}     # that are sides of the group: what they are when the module is loaded
        self.is_lying = "OpAtomic" in text  # what it calls writeonly, it may read: an atomic does
        for line in text.split("\n"):
            self.read(line.split(";")[0].strip())

    def read(self, line):
        if match := re.match(r"(%\S+) = Op(\w+)\s*(.*)", line):
            self.defined[match[1]] = (match[2], re.findall(r'"[^"]*"|\S+', match[3]))
            return
        words = re.findall(r'"[^"]*"|\S+', line)
        if not words:
            return
        if words[0] == "OpName":
            self.named[words[1]] = words[2].strip('"')
        elif words[0] == "OpMemberName":
            self.members[words[1], int(words[2])] = words[3].strip('"')
        elif words[0] == "OpDecorate":
            self.decorated.setdefault(words[1], {})[words[2]] = words[3:]
        elif words[0] == "OpMemberDecorate":
            self.of_members.setdefault((words[1], int(words[2])), {})[words[3]] = words[4:]
        elif words[0].startswith("OpExecutionMode"):
            self.modes.append(words[2:])
        elif words[0] == "OpEntryPoint":
            self.entry = words

    def number(self, name):
        """The dtype and lanes of a number or a vector; None of anything else."""
        kind, operands = self.defined[name]
        if kind in ("TypeInt", "TypeFloat"):
            return dtype(kind[4:], *operands[:2]), 1
        if kind == "TypeVector":
            return self.number(operands[0])[0], int(operands[1])
        return None

    def value(self, name):
        kind, operands = self.defined[name]
        return int(operands[1]) if kind.endswith("Constant") else 1

    def first_number(self, name):
        """The dtype of the elements of a block: bytes where they are mixed or structs."""
        found = set()
        self.gather(name, found)
        return found.pop() if len(found) == 1 else "u8"

    def gather(self, name, found):
        kind, operands = self.defined[name]
        if number := self.number(name):
            found.add(number[0])
        elif kind == "TypeStruct":
            for one in operands:
                self.gather(one, found)
        elif kind in ("TypeArray", "TypeRuntimeArray", "TypeMatrix"):
            self.gather(operands[0], found)
        else:
            raise Unsayable(kind)

    def group(self):
        """The sides; one that is a specialisation constant has the default of what else has its number: the kernel counts on it."""
        for name, decorations in self.decorated.items():
            if decorations.get("BuiltIn") == ["WorkgroupSize"]:
                return [self.side(one) for one in self.defined[name][1][1:]]
        for mode in self.modes:
            if mode[0] == "LocalSize":
                return [int(one) for one in mode[1:]]
            if mode[0] == "LocalSizeId":
                return [self.side(one) for one in mode[1:]]
        return [1, 1, 1]

    def side(self, name):
        number = self.decorated.get(name, {}).get("SpecId")
        if number is None:
            return self.value(name)
        same = [one for one, decorations in self.decorated.items() if decorations.get("SpecId") == number]
        size = max(self.value(one) for one in same)
        self.constants[int(number[0])] = size
        return size

    def access(self, variable, structure):
        members = [self.of_members.get((structure, index), {}) for index in range(len(self.defined[structure][1]))]
        either = lambda word: word in self.decorated.get(variable, {}) or all(word in one for one in members)
        if either("NonWritable"):
            return "read"
        return "write" if either("NonReadable") and not self.is_lying else "read_write"

    def variables(self):
        """Each descriptor: its place, its element, how it is used, what is in it, and what Vulkan calls it."""
        for name, (kind, operands) in self.defined.items():
            if kind != "Variable" or "Binding" not in self.decorated.get(name, {}):
                continue
            type_name, count = self.defined[operands[0]][1][1], 1
            if self.defined[type_name][0] in ("TypeArray", "TypeRuntimeArray"):
                if self.defined[type_name][0] == "TypeRuntimeArray":
                    raise Unsayable("a descriptor array without a size")
                count, type_name = self.value(self.defined[type_name][1][1]), self.defined[type_name][1][0]
            place = (int(self.decorated[name].get("DescriptorSet", [0])[0]), int(self.decorated[name]["Binding"][0]))
            for element in range(count):
                yield (*place, element), *self.described(name, type_name, operands[1])

    def described(self, name, type_name, storage):
        """How a descriptor is used, what is in it, and what Vulkan calls it."""
        kind = self.defined[type_name][0]
        if kind == "TypeStruct":
            is_uniform = storage == "Uniform" and "BufferBlock" not in self.decorated.get(type_name, {})
            access = "read" if is_uniform else self.access(name, type_name)
            return access, self.first_number(type_name), "uniform" if is_uniform else "storage"
        if kind == "TypeSampledImage":
            return "read", self.image(self.defined[type_name][1][0]) + " sampled", "sampled"
        if kind == "TypeImage" and self.defined[type_name][1][5] == "2":
            return self.image_access(name), self.image(type_name), "image"
        raise Unsayable({"TypeImage": "a sampled image without its sampler", "TypeSampler": "a sampler"}.get(kind, kind))

    def image_access(self, name):
        decorations = self.decorated.get(name, {})
        return "read" if "NonWritable" in decorations else "write" if "NonReadable" in decorations else "read_write"

    def image(self, type_name):
        """An image as signatures say it."""
        channel, sides, _, is_array, is_multisampled, _, texel, *_ = self.defined[type_name][1]
        if sides not in ("2D", "3D") or is_array != "0" or is_multisampled != "0":
            raise Unsayable(f"an image {sides}, {'an array' if is_array != '0' else 'multisampled'}")
        words = re.fullmatch(r"(Rgba|Rg|R)(\d+)(ui|i|f|Snorm|)", texel)
        texel = "".join(words.groups()).lower().replace("snorm", "_snorm") if words else "rgba32" + self.number(channel)[0][0].replace("u", "ui")
        return f"image{sides.lower()} {texel}"

    def buffers(self):
        """One parameter for each place, in order; several variables at one place are used as each of them says."""
        at_place = {}
        for place, access, kind, what in self.variables():
            has_access, has_kind, _ = at_place.get(place, (access, kind, what))
            at_place[place] = (access if access == has_access else "read_write", kind if kind == has_kind else "u8", what)
        self.bindings = [[*place, at_place[place][2], at] for at, place in enumerate(sorted(at_place))]
        said = lambda kind: kind if kind.startswith("image") else kind + "[]"
        return [f"pintle_b{at}: {at_place[place][0]} {said(at_place[place][1])}" for at, place in enumerate(sorted(at_place))]

    def pushed(self):
        for kind, operands in self.defined.values():
            if kind == "Variable" and operands[1] == "PushConstant":
                return self.block(self.defined[operands[0]][1][1])
        return []

    def size(self, name, decorations):
        """Bytes of a member of a block."""
        kind, operands = self.defined[name]
        if number := self.number(name):
            return int(re.sub(r"\D", "", number[0])) // 8 * number[1]
        if kind == "TypeStruct":
            last = len(operands) - 1
            inner = self.of_members[name, last]
            return int(inner["Offset"][0]) + self.size(operands[last], inner)
        if kind == "TypeMatrix":
            return int(decorations["MatrixStride"][0]) * int(operands[1])
        if kind == "TypeArray":
            return int(self.decorated[name]["ArrayStride"][0]) * self.value(operands[1])
        raise Unsayable(f"{kind} in the push constants")

    def block(self, structure):
        """The parameters of the push constants: numbers where C would lay them out so, else one struct, else bytes."""
        numbers, end, is_plain, is_struct = [], 0, True, True
        for index, member in enumerate(self.defined[structure][1]):
            number, at = self.number(member), int(self.of_members[structure, index]["Offset"][0])
            size = self.size(member, self.of_members[structure, index])
            is_struct &= number is not None
            is_plain &= number is not None and number[1] == 1 and at == -(-end // size) * size
            end = at + size
            numbers.append((index, number, at))
        self.push_bytes = -(-end // 4) * 4
        if is_plain:
            self.push_offsets = [at for _, _, at in numbers]
            return [f"pintle_p{index}: {number[0]}" for index, number, _ in numbers]
        self.push_offsets = [0]
        if not is_struct:
            return [f"pintle_p: bytes[{self.push_bytes}]"]
        lanes = lambda count: f"x{count}" if count > 1 else ""
        return ["pintle_p: { " + ", ".join(f"m{index}: {number[0]}{lanes(number[1])} at {at}" for index, number, at in numbers) + " }"]

    def signature(self):
        parameters = self.buffers() + self.pushed()
        group = ",".join(str(side) for side in self.group())
        return f"{self.entry[3].strip(chr(34))}({', '.join(parameters)}) group {group}"

    def bound(self, count):
        """What another host needs to bind `count` arguments."""
        first = len(self.bindings)
        return {"bindings": self.bindings, "constants": list(self.constants.items()), "push_size": self.push_bytes,
                "push": [[at, first + index] for index, at in enumerate(self.push_offsets[:count - first])]}


def compiled(source, target, folder, macros):
    """The SPIR-V of a shader, by glslc; raises RuntimeError with its words."""
    done = subprocess.run(["glslc", "-fshader-stage=compute", f"--target-env={target}", *macros, f"-I{folder}", str(source), "-o",
                           str(folder / "shader.spv")], capture_output=True, text=True, cwd=folder, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return folder / "shader.spv"


def join_includes(source, folder):
    """Puts what a shader includes into it, for a pack without -I."""
    if "#include" not in source.read_text():
        return
    done = subprocess.run(["glslc", "-E", "-fshader-stage=compute", str(source)], capture_output=True, text=True, cwd=folder, check=False)
    if done.returncode == 0:
        source.write_text("".join(line + "\n" for line in done.stdout.split("\n") if not line.startswith("#line")))


def module(source, target, folder, macros=()):
    spirv = compiled(source, target, folder, macros)
    return Module(subprocess.run(["spirv-dis", spirv], capture_output=True, text=True, check=True).stdout)


def signature(source, target, folder, macros=()):
    return module(source, target, folder, macros).signature()
