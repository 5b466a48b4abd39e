#include "conformance/texel_kernels.h"

#include <algorithm>
#include <array>

namespace pintle::conformance {

bool takes(const Context& test, std::string_view format) {
  const auto& formats = test.info().formats;
  return std::ranges::find(formats, format) != formats.end();
}

Result<Program> load(const Context& test, std::span<const Source> sources, std::span<const std::string_view> all) {
  const auto fits = [&](const Source& source) { return takes(test, source.format); };
  if (std::ranges::none_of(sources, fits)) test.not_applicable("the device compiles no source of this kernel");
  return test.device().load(need(pack_of(sources, all, "texels")));
}

Kernel kernel_of(const Context& test, std::span<const Source> sources, std::string_view signature) {
  test.require_bytes();
  return need(need(load(test, sources, std::array{signature})).kernel(signature.substr(0, signature.find('('))));
}

}  // namespace pintle::conformance
