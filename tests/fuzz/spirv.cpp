// What reads as SPIR-V consists of modules that stand back to back, cover the input, and each read alone as they were.
// Each entry point agrees with a signature or differs in words. What it says of itself is a signature that it agrees
// with.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "pintle/must.h"
#include "spirv/infer.h"
#include "spirv/matching.h"
#include "spirv/module.h"

namespace {

void match_all(const pintle::spirv::Module& module) {
  using namespace pintle;
  static const Entry entries[] = {
      must(Entry::parse("f(x: read f32[], y: read_write f32[], a: f32, n: u32) group 64")),
      must(Entry::parse("main(y: write u8[], c: complex64, b: bool, h: f16, d: f64, l: i64)")),
      must(Entry::parse("g()")),
  };
  for (const spirv::EntryPoint& entry : module.entries) {
    for (const Entry& declared : entries) {
      spirv::KernelCode kernel;
      const auto matched = spirv::match_entry({128, 1 << 15}, module, entry, declared, kernel);
      if (!matched && matched.error().message().empty()) std::abort();
      if (matched && kernel.interface.scalars.size() > declared.parameters.size()) std::abort();
    }
  }
}

void infer_all(const pintle::spirv::Module& module) {
  using namespace pintle;
  for (const spirv::EntryPoint& entry : module.entries) {
    const auto inferred = spirv::infer(module, entry, "f");
    if (!inferred && inferred.error().message().empty()) std::abort();
    if (!inferred) continue;
    const auto again = Entry::parse(inferred->signature());
    if (!again || *again != *inferred) std::abort();
    spirv::KernelCode kernel;
    if (!spirv::match_entry({~0u, ~0u}, module, entry, *again, kernel)) std::abort();
  }
}

}  // namespace

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
    match_all(module);
    infer_all(module);
  }
  if (total != size) std::abort();
  return 0;
}
