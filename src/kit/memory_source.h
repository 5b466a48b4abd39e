// A device's refusal of memory that it cannot take or does not have.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/quote.h"
#include "pintle/backend/driver.h"

namespace pintle::kit {

/// The bytes that are wanted of the source.
[[nodiscard]] inline std::uint64_t size_of(const backend::MemorySource& source) noexcept {
  if (const auto* const bytes = std::get_if<std::span<std::byte>>(&source)) return bytes->size();
  if (const auto* const native = std::get_if<backend::NativeMemory>(&source)) return native->size;
  return std::get<backend::Exported>(source).size;
}

/// `unsupported`: the device `id` takes no memory of this kind.
[[nodiscard]] inline Error refused_source(const backend::MemorySource& source, std::string_view id) {
  std::string kind = "of a file descriptor";
  if (std::holds_alternative<std::span<std::byte>>(source)) kind = "of the host";
  if (const auto* const native = std::get_if<backend::NativeMemory>(&source))
    kind = fmt::format("of the native type {}", base::quote(native->object.type));
  return {Errc::unsupported, fmt::format("[{}] takes no memory {}.", id, kind)};
}

/// `out_of_memory`: `holder` ("the system memory") has less than the request; `available` is empty where it is not
/// known.
[[nodiscard]] inline Error exhausted(const backend::MemoryRequest& request, std::string_view holder,
                                     std::optional<std::uint64_t> available) {
  const std::string left = available ? fmt::format("{} bytes", *available) : "unknown";
  return {Errc::out_of_memory,
          fmt::format("Requested size ({} bytes) of [Buffer \"{}\"] is more than {} has available ({}).", request.size,
                      request.label, holder, left)};
}

}  // namespace pintle::kit
