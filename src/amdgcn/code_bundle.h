// Clang's bundles: code for several processors in one file, as `hipcc --genco` writes it.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "pintle/error.h"

namespace pintle::amdgcn {

[[nodiscard]] bool is_bundle(std::span<const std::byte> code) noexcept;

/// The entry that suits a device of `target` best. `build_failed` lists what the bundle has instead, or says what is
/// wrong with it.
[[nodiscard]] Result<std::span<const std::byte>> code_in_bundle(std::span<const std::byte> bundle,
                                                                std::string_view target);

}  // namespace pintle::amdgcn
