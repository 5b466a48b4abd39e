// What reads as SPIR-V consists of modules that stand back to back, cover the input, and each read alone as they were.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "spirv/module.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto modules = pintle::spirv::read_modules(std::as_bytes(std::span(data, size)));
  if (!modules) {
    if (modules.error().code() != pintle::Errc::invalid_argument) std::abort();
    return 0;
  }
  std::size_t total = 0;
  for (const auto& module : *modules) {
    const auto again = pintle::spirv::read_modules(module.code);
    if (!again || again->size() != 1 || again->front().bindings.size() != module.bindings.size()) std::abort();
    total += module.code.size();
  }
  if (total != size) std::abort();
  return 0;
}
