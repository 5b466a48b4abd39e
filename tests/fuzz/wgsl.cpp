// What reads as WGSL reads again as the text in which every storage buffer is read_write, with as many bindings, all of
// them writable. Each entry point agrees with a signature or differs in words. What it says of itself is a signature
// that it agrees with.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "pintle/must.h"
#include "spirv/matching.h"
#include "wgsl/infer.h"
#include "wgsl/unit.h"

namespace {

using namespace pintle;

void match_all(const wgsl::Unit& unit) {
  static const Entry entries[] = {
      must(Entry::parse("f(x: read f32[], y: read_write f32[], a: f32, n: u32) group 64")),
      must(Entry::parse("main(y: write u8[], c: complex64, b: bool, h: f16, d: f64, l: i64)")),
      must(Entry::parse("g()")),
  };
  for (const spirv::EntryPoint& entry : unit.module.entries) {
    for (const Entry& declared : entries) {
      spirv::KernelCode kernel;
      const auto matched = spirv::match_entry({128, 1 << 15}, unit.module, entry, declared, kernel);
      if (!matched && matched.error().message().empty()) std::abort();
    }
  }
}

void infer_all(const wgsl::Unit& unit) {
  for (const spirv::EntryPoint& entry : unit.module.entries) {
    const auto inferred = wgsl::infer(unit, entry);
    if (!inferred && inferred.error().message().empty()) std::abort();
    if (!inferred) continue;
    const auto again = Entry::parse(inferred->signature());
    if (!again || *again != *inferred) std::abort();
    spirv::KernelCode kernel;
    if (!spirv::match_entry(spirv::no_limits, unit.module, entry, *again, kernel)) std::abort();
  }
}

void check_writable(std::string_view text, const wgsl::Unit& unit) {
  const auto writable = wgsl::with_writable_buffers(text);
  if (!writable) std::abort();
  const auto again = wgsl::read_unit(*writable);
  if (!again || again->module.bindings.size() != unit.module.bindings.size()) std::abort();
  for (const spirv::Binding& binding : again->module.bindings) {
    if (binding.kind == spirv::DescriptorKind::storage_buffer && !binding.is_writable) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto unit = wgsl::read_unit(text);
  if (!unit) {
    if (unit.error().code() != Errc::invalid_argument) std::abort();
    return 0;
  }
  if (unit->keys.size() != unit->module.constants.size()) std::abort();
  match_all(*unit);
  infer_all(*unit);
  check_writable(text, *unit);
  return 0;
}
