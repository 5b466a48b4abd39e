"""An independent host: the same source on an OpenCL driver through pyopencl, without any of Pintle.

    host_opencl.py kernels PLATFORM SOURCE OPTIONS...   prints {"kernels": {name: [[type, address, name], ...]}}
    host_opencl.py run PLATFORM SOURCE PLANS FOLDER OPTIONS...  runs kernels as the plans say; FOLDER gets each buffer's bytes
"""
import json
import re
import sys
from pathlib import Path

import numpy
import pyopencl


def device_of(platform):
    for one in pyopencl.get_platforms():
        if platform.lower() in one.name.lower():
            return one.get_devices()[0]
    raise SystemExit(f"There is no OpenCL platform {platform!r}.")


def built(context, source, options):
    text = Path(source).read_text(errors="replace")
    return pyopencl.Program(context, text).build([*options, "-cl-kernel-arg-info"])


def arguments_of(kernel):
    info, address = pyopencl.kernel_arg_info, pyopencl.kernel_arg_address_qualifier
    names = {address.GLOBAL: "global", address.CONSTANT: "constant", address.LOCAL: "local", address.PRIVATE: "private"}
    return [[kernel.get_arg_info(i, info.TYPE_NAME), names[kernel.get_arg_info(i, info.ADDRESS_QUALIFIER)],
             kernel.get_arg_info(i, info.NAME)] for i in range(kernel.num_args)]


def kernels(platform, source, options):
    context = pyopencl.Context([device_of(platform)])  # Intel's driver gives up the program's own
    program = built(context, source, options)
    return {"kernels": {one.function_name: arguments_of(one) for one in program.all_kernels()}}


def format_of(texel):
    """OpenCL's format of a texel by GLSL's name."""
    name, bits, kind = re.fullmatch(r"(r|rg|rgba)(\d+)(ui|i|f|_snorm|)", texel).groups()
    types = {"ui": f"UNSIGNED_INT{bits}", "i": f"SIGNED_INT{bits}", "": f"UNORM_INT{bits}", "_snorm": f"SNORM_INT{bits}",
             "f": "FLOAT" if bits == "32" else "HALF_FLOAT"}
    return pyopencl.ImageFormat(getattr(pyopencl.channel_order, name.upper()), getattr(pyopencl.channel_type, types[kind]))


class Host:
    """A program on a driver, whose kernels run one after another."""

    def __init__(self, platform, source, options):
        self.context = pyopencl.Context([device_of(platform)])
        self.queue = pyopencl.CommandQueue(self.context)
        self.program = built(self.context, source, options)

    def run(self, plan, prefix):
        kernel = pyopencl.Kernel(self.program, plan["entry"])
        buffers, self.kept = [], []
        for index, (kind, value) in enumerate(zip(plan["kinds"], plan["arguments"])):
            if kind == "local":
                kernel.set_arg(index, pyopencl.LocalMemory(value))
            elif kind == "buffer":
                data = numpy.fromfile(value, dtype=numpy.uint8)
                flags = pyopencl.mem_flags.READ_WRITE | pyopencl.mem_flags.COPY_HOST_PTR
                buffers.append((pyopencl.Buffer(self.context, flags, hostbuf=data), index, len(data), {}))
                kernel.set_arg(index, buffers[-1][0])
            elif kind == "texel_buffer":
                buffers.append(self.texels(kernel, plan["images"][index], index, numpy.fromfile(value, dtype=numpy.uint8)))
            elif kind == "image":
                buffers.append(self.image(plan["images"][index], index, numpy.fromfile(value, dtype=numpy.uint8)))
                kernel.set_arg(index, buffers[-1][0])
            elif kind == "sampler":  # what a `Sampler` of Pintle is where nobody says more
                modes = pyopencl.addressing_mode.CLAMP_TO_EDGE, pyopencl.filter_mode.NEAREST
                kernel.set_arg(index, pyopencl.Sampler(self.context, True, *modes))
            else:
                self.set_value(kernel, index, numpy.fromfile(value, dtype=numpy.uint8))
        items = [count * side for count, side in zip(plan["groups"], plan["group"])]
        pyopencl.enqueue_nd_range_kernel(self.queue, kernel, items, plan["group"]).wait()
        for buffer, index, size, part in buffers:
            data = numpy.empty(size, dtype=numpy.uint8)
            pyopencl.enqueue_copy(self.queue, data, buffer, **part).wait()
            data.tofile(f"{prefix}{index}")

    def image(self, of, index, data):
        """An image, and what it takes to copy all of it."""
        sides = of["sides"]
        flags = pyopencl.mem_flags.READ_WRITE | pyopencl.mem_flags.COPY_HOST_PTR
        made = pyopencl.Image(self.context, flags, format_of(of["texel"]), shape=tuple(sides), hostbuf=data)
        return made, index, len(data), {"origin": (0, 0, 0), "region": (*sides, 1)[:3]}

    def texels(self, kernel, of, index, data):
        """The buffer whose texels an argument is."""
        flags = pyopencl.mem_flags.READ_WRITE
        buffer = pyopencl.Buffer(self.context, flags | pyopencl.mem_flags.COPY_HOST_PTR, hostbuf=data)
        shape = pyopencl.ImageDescriptor()
        shape.image_type, shape.shape, shape.buffer = pyopencl.mem_object_type.IMAGE1D_BUFFER, (of["sides"][0], 1, 1), buffer
        shape.array_size, shape.pitches, shape.num_mip_levels, shape.num_samples = 0, (0, 0), 0, 0
        image = pyopencl.Image(self.context, flags, format_of(of["texel"]), desc=shape)
        self.kept.append(image)  # Intel's driver refuses a launch whose image nobody holds
        kernel.set_arg(index, image)
        return buffer, index, len(data), {}

    def set_value(self, kernel, index, data):
        """A vector of three has the size of four."""
        try:
            kernel.set_arg(index, data)
        except pyopencl.Error:
            kernel.set_arg(index, numpy.concatenate([data, numpy.zeros(len(data) // 3, dtype=numpy.uint8)]))


def run(platform, source, plans_file, folder, options):
    """Prints a line for each plan, so that the parent knows at which one this process crashed."""
    host = Host(platform, source, options)
    for plan in json.loads(Path(plans_file).read_text()):
        said = {"index": plan["index"]}
        try:
            host.run(plan, f"{folder}/{plan['index']}_")
            said["ran"] = True
        except (pyopencl.Error, TypeError, ValueError) as error:
            said["refused"] = f"{type(error).__name__}: {error}"
        print(json.dumps(said), flush=True)


def main(words):
    if words[0] == "kernels":
        print(json.dumps(kernels(words[1], words[2], words[3:])))
    else:
        run(words[1], words[2], words[3], words[4], words[5:])


if __name__ == "__main__":
    main(sys.argv[1:])
