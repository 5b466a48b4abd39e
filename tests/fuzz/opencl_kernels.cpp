// What reads as LLVM's text of kernels gives entries that agree with the kernels and that a signature can say; code for
// GPUs is read within its bounds.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "cli/compilers/gpu_arguments.h"
#include "opencl_c/kernels.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pintle;
  const auto bytes = std::as_bytes(std::span(data, size));
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto kernels = opencl_c::kernels_in_llvm(text)) {
    for (const opencl_c::OpenClKernel& kernel : *kernels) {
      const auto entry = opencl_c::infer(kernel);
      if (!entry || entry->parameters.size() > Entry::max_parameters) continue;
      if (base::difference(*entry, kernel.arguments)) std::abort();
      const auto parsed = Entry::parse(entry->signature());
      if (parsed && *parsed != *entry) std::abort();
    }
  }
  for (const std::string_view name : {"f", "saxpy"}) {
    static_cast<void>(cli::arguments_in_ptx(text, name));
    static_cast<void>(cli::arguments_in_amdgcn(bytes, name));
  }
  static_cast<void>(base::parse_opencl_type(text));
  return 0;
}
