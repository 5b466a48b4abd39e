#include "amdgcn/code_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace pintle::amdgcn {
namespace {

struct Family {
  std::string_view name;
  std::string_view processors;  ///< Between spaces.
};
/// Which processors run the code of a family: LLVM 20.
constexpr std::array families{
    Family{"gfx9-generic", " gfx900 gfx902 gfx904 gfx906 gfx909 gfx90c "},
    Family{"gfx9-4-generic", " gfx940 gfx941 gfx942 gfx950 "},
    Family{"gfx10-1-generic", " gfx1010 gfx1011 gfx1012 gfx1013 "},
    Family{"gfx10-3-generic", " gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036 "},
    Family{"gfx11-generic", " gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153 "},
    Family{"gfx12-generic", " gfx1200 gfx1201 "}};

}  // namespace

std::string_view target_in(std::string_view name) noexcept {
  constexpr std::string_view triple = "amdgcn-amd-amdhsa-";
  const auto at = name.find(triple);
  if (at == std::string_view::npos) return {};
  name.remove_prefix(at + triple.size());
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

Fit fit(std::string_view code, std::string_view device) {
  const std::string_view processor = device.substr(0, device.find(':')), wanted = code.substr(0, code.find(':'));
  const auto* const family = std::ranges::find(families, wanted, &Family::name);
  const bool is_in_family = family != families.end() && family->processors.contains(fmt::format(" {} ", processor));
  if (wanted.empty() || (wanted != processor && !is_in_family)) return Fit::none;
  const std::string features = fmt::format("{}:", device.substr(processor.size()));
  for (code.remove_prefix(wanted.size()); !code.empty();) {
    const std::string_view feature = code.substr(0, code.find(':', 1));
    if (!features.contains(fmt::format("{}:", feature))) return Fit::none;
    code.remove_prefix(feature.size());
  }
  return wanted == processor ? Fit::processor : Fit::family;
}

}  // namespace pintle::amdgcn
