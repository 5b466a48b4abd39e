// What a file is that is not of the format that was expected.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace pintle::io {

/// In words that follow "holds", by the first bytes: "a zip archive (as .npz files and PyTorch's are)". Empty where
/// they say nothing.
[[nodiscard]] std::optional<std::string_view> kind_of_file(std::span<const std::byte> file) noexcept;

}  // namespace pintle::io
