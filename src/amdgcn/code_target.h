// What a code object is for, and which devices run it.
#pragma once

#include <cstdint>
#include <string_view>

namespace pintle::amdgcn {

/// The target in what metadata ("amdgcn-amd-amdhsa--gfx90a:xnack-") and bundles ("hipv4-amdgcn-amd-amdhsa--gfx90a")
/// call code; empty where it is for no GPU of AMD's.
[[nodiscard]] std::string_view target_in(std::string_view name) noexcept;

enum class Fit : std::uint8_t { none, family, processor };

/// How well code of a target is made for a device of another. Code that does not say a feature runs with it and
/// without.
[[nodiscard]] Fit fit(std::string_view code, std::string_view device);

}  // namespace pintle::amdgcn
