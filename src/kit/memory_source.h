// A device's refusal of memory that it cannot take or does not have.
#pragma once

#include <fmt/format.h>

#include <algorithm>
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

/// `unsupported`: the driver does not use these bytes of the host in place, and `refusal` has its words.
[[nodiscard]] inline Error refused_pages(std::span<const std::byte> bytes, std::string_view id, const Error& refusal) {
  const Error told(Errc::unsupported,
                   fmt::format("The driver of [{}] does not use host memory at ({:#x}) of ({}) bytes in place: {}", id,
                               reinterpret_cast<std::uintptr_t>(bytes.data()), bytes.size(), refusal.message()));
  return refusal.vendor() ? told.with_vendor(*refusal.vendor()) : told;
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

/// `out_of_memory`: names that of `heaps`, from which the request may come, which has the most available. Where the
/// request fits there, the driver has refused it, and `refusal` has its words.
[[nodiscard]] inline Error exhausted(const backend::MemoryRequest& request, std::string_view id,
                                     std::span<const Heap> heaps, const Error& refusal) {
  const auto best = std::ranges::max_element(heaps, {}, &Heap::available);
  if (best == heaps.end()) return refusal;
  const std::string holder = fmt::format("{} of [{}]", best->name, id);
  const Error told =
      best->available < request.size
          ? exhausted(request, holder, best->available)
          : Error(
                Errc::out_of_memory,
                fmt::format("Requested size ({} bytes) of [Buffer \"{}\"] is refused by the driver, though {} has ({}) "
                            "available: {}",
                            request.size, request.label, holder, best->available.value_or(0), refusal.message()));
  return refusal.vendor() ? told.with_vendor(*refusal.vendor()) : told;
}

}  // namespace pintle::kit
