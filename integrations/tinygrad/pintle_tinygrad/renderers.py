"""tinygrad's renderers, each with the entry that Pintle calls. A child process imports this module, so it imports nothing of Pintle."""

from __future__ import annotations

from pintle_tinygrad import entries
from tinygrad.codegen.opt import tc
from tinygrad.device import Compiler
from tinygrad.dtype import AddrSpace, DType, dtypes
from tinygrad.helpers import Target, is_image_shape
from tinygrad.renderer.cstyle import ClangRenderer, CStyleLanguage, CUDARenderer, OpenCLRenderer
from tinygrad.uop.ops import UOp


def refuse_images(bufs: entries.Parameters) -> None:
    for name, (parameter, _) in bufs:
        if is_image_shape(parameter._shape):
            raise RuntimeError(f"The parameter [{name}] is an image, which PINTLE does not have; unset IMAGE.")


class PintleCRenderer(ClangRenderer):
    """C for the cpu. tinygrad's threads are work-groups, and the number of one is its core_id."""

    kernel_typedef = "static inline __attribute__((always_inline)) void"

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.compiler = Compiler()  # hands the text over: Pintle compiles it at load, into its own cache

    def render_vector_prefix(self, dt: DType, count: int) -> str:
        # A view may begin at any element, so a vector in memory is aligned like one.
        vector = self._render_dtype(dt, count)
        return f"typedef {self.render_dtype(dt)} {vector} __attribute__((aligned({dt.itemsize}),ext_vector_type({count})));"

    def _render_body(self, function_name, kernel, bufs, uops, pref=None) -> str:
        return super()._render_body(f"{function_name}_body", kernel, bufs, uops, pref)

    def _render_entry(self, function_name: str, bufs: entries.Parameters) -> str:
        taken, passed = [], []
        for name, (parameter, _) in bufs:
            its = self._render_dtype(parameter.dtype)
            if name in self._accesses:
                const = "const " if self._accesses[name] == "read" else ""
                taken.append(f"{const}uint8_t* {name}")
                passed.append(f"({its}*){name}")
            elif parameter.expr == "core_id":
                passed.append("(int)group->id[0]")
            else:
                taken.append(f"{its} {name}")
                passed.append(name)
        return f"void {function_name}({', '.join(['const pintle_group* group', *taken])}) {{\n  {function_name}_body({', '.join(passed)});\n}}\n"

    def render_kernel(self, function_name, kernel, bufs, uops, prefix=None) -> str:
        refuse_images(bufs)
        self._accesses = entries.accesses(bufs, uops)
        text = super().render_kernel(function_name, kernel, bufs, uops, prefix)
        declared = [f"{name}: {self._accesses[name]} u8[]" if name in self._accesses else entries.scalar(name, parameter.dtype)
                    for name, (parameter, _) in bufs if name in self._accesses or parameter.expr != "core_id"]
        # Multiplications and additions of one expression are fused, as tinygrad's own compiler does it.
        return ("// pintle: compiler clang\n" + entries.header("c", function_name, declared) +
                '#pragma clang diagnostic ignored "-Weverything"\n#pragma STDC FP_CONTRACT ON\n' + text)


ANYWHERE = "PINTLE_ANYWHERE"  # the macro of a program whose vectors in memory are aligned as their numbers are


class _Moved:
    """What the languages of devices share. A kernel's argument begins at a multiple of some bytes, and a view of tinygrad's anywhere: the rest comes as
    a number. Vectors are read and written by types of their own, whose alignment the macro decides."""

    format: str
    byte: str  # the type of a pointer to bytes
    number: str  # the type of the rest

    def vector_type(self, vector: str, element: str, size: int, count: int) -> str:
        """The declaration of the type that the macro asks for."""
        raise NotImplementedError

    def with_types(self, types: str, text: str) -> str:
        """The text with the types in their place."""
        raise NotImplementedError

    def render_kernel(self, function_name, kernel, bufs, uops, prefix=None) -> str:
        refuse_images(bufs)
        accesses = entries.accesses(bufs, uops)
        inside = [(f"{name}_base" if name in accesses else name, its) for name, its in bufs]
        moved = [self._moved(name, parameter) for name, (parameter, _) in bufs if name in accesses]
        self.extra_args = [f"const {self.number} {name}_at" for name in accesses]
        text = super().render_kernel(function_name, moved + kernel, inside, uops, prefix)
        declared = [f"{name}: {accesses[name]} u8[]" if name in accesses else entries.scalar(name, parameter.dtype)
                    for name, (parameter, _) in bufs] + [f"{name}_at: u32" for name in accesses]
        return entries.header(self.format, function_name, declared) + self.with_types(self._types(), text)

    def _moved(self, name: str, parameter: UOp) -> str:
        its = self._render_dtype(parameter.dtype, addrspace=parameter.addrspace)
        return f"  {its} {name} = ({its})(({self.byte}){name}_base + {name}_at);"

    def _render(self, uops: list[UOp]):
        self._vectors: dict[str, str] = {}
        return super()._render(uops)

    def render_access(self, u: UOp) -> str:
        if u.max_numel() == 1 or u.addrspace != AddrSpace.GLOBAL:
            return super().render_access(u)
        vector, element = self._render_dtype(u.dtype, u.max_numel()), self._render_dtype(u.dtype)
        self._vectors[vector] = self.vector_type(vector, element, u.dtype.itemsize, u.max_numel())
        return f"*(({self.buffer_prefix}{vector}_at*)({self[u]}))"

    def _types(self) -> str:
        return "".join(f"#ifdef {ANYWHERE}\n{anywhere}\n#else\ntypedef {vector} {vector}_at;\n#endif\n" for vector, anywhere in self._vectors.items())


class PintleOpenCLRenderer(_Moved, OpenCLRenderer):
    """OpenCL C."""

    format, byte, number = "opencl_c", "__global uchar*", "uint"

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        facts = dict(each.split("=") for each in target.arch.split(",") if "=" in each)
        self.shared_max = int(facts.get("local", self.shared_max))

    def vector_type(self, vector: str, element: str, size: int, count: int) -> str:
        return f"typedef {vector} {vector}_at __attribute__((aligned({size})));"

    def with_types(self, types: str, text: str) -> str:
        return types + text


class PintleCUDARenderer(_Moved, CUDARenderer):
    """CUDA C++. Numbers of 16 bits and tensor cores need headers of CUDA's, of which the arch says whether they are there."""

    format, byte, number = "cuda_c", "unsigned char*", "unsigned int"
    float4, float4_style = "float4", ("{", "}")

    def __init__(self, target: Target) -> None:
        CStyleLanguage.__init__(self, target)  # tinygrad's own opens NVIDIA's compiler
        self.compiler = Compiler()
        model, *facts = target.arch.split(",")
        self.version, self.has_headers = int(model.removeprefix("sm_")), "headers" in facts
        self.tensor_cores = tc.get_cuda(model) if self.has_headers else []

    def supported_dtypes(self) -> set[DType]:
        lacking = {*dtypes.fp8s, *([] if self.has_headers and self.version >= 53 else [dtypes.half]),
                   *([] if self.has_headers and self.version >= 80 else [dtypes.bfloat16])}
        return CStyleLanguage.supported_dtypes(self) - lacking

    def vector_type(self, vector: str, element: str, size: int, count: int) -> str:
        each = " ".join(f"(({element}*)&v)[{i}] = lanes[{i}];" for i in range(count))
        back = " ".join(f"lanes[{i}] = ((const {element}*)&v)[{i}];" for i in range(count))
        return (f"struct {vector}_at {{ {element} lanes[{count}]; __device__ operator {vector}() const {{ {vector} v; {each} return v; }} "
                f"__device__ void operator=(const {vector}& v) {{ {back} }} }};")

    def with_types(self, types: str, text: str) -> str:
        return text.replace('extern "C" __global__', types + 'extern "C" __global__', 1)


BY_LANGUAGE = {"c": PintleCRenderer, "opencl_c": PintleOpenCLRenderer, "cuda_c": PintleCUDARenderer}
