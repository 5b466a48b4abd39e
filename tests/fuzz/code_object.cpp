// What is read of a code object or a bundle lies within it, and what it says of its kernels can be launched.
#include "amdgcn/code_object.h"

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

namespace {

using namespace pintle;
using Bytes = std::span<const std::byte>;

void check(const amdgcn::CodeObject& object, Bytes code) {
  std::size_t parameters = 0;
  for (const amdgcn::CodeKernel& kernel : object.kernels) {
    if (kernel.name.empty()) std::abort();
    parameters += kernel.parameters.size();
    for (const amdgcn::CodeParameter& parameter : kernel.parameters) {
      if (parameter.offset > kernel.argument_bytes) std::abort();
      if (parameter.size > kernel.argument_bytes - parameter.offset) std::abort();
    }
  }
  // Each has its keys in the code.
  if (object.kernels.size() + parameters > code.size() / 8) std::abort();
}

void look_for(Bytes code, std::string_view target) {
  const auto found = amdgcn::code_for(code, target);
  if (!found) {
    if (found.error().code() != Errc::build_failed) std::abort();
    return;
  }
  if (!found->empty() && (found->data() < code.data() || found->size() > code.size())) std::abort();
  if (!found->empty() && found->data() - code.data() > static_cast<std::ptrdiff_t>(code.size() - found->size()))
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes code = std::as_bytes(std::span(data, size));
  for (const std::string_view target : {"gfx90a:sramecc+:xnack-", "gfx942", "gfx1100"}) look_for(code, target);
  const auto object = amdgcn::read_code_object(code);
  if (object) check(*object, code);
  else if (object.error().code() != Errc::build_failed) std::abort();
  return 0;
}
