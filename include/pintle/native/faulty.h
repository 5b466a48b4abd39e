// Typed native access to the faulty layer: which calls of the seam were made, and which one fails next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "pintle/error.h"

namespace pintle::layers {

/// A call of the seam and the codes that it may answer. A call without codes has no answer and cannot fail.
struct FaultyCall {
  std::string_view name;
  std::span<const Errc> codes;
};

namespace faulty_codes {
using enum Errc;
inline constexpr std::array any{device_lost, process_poisoned, internal};
inline constexpr std::array making{device_lost, process_poisoned, internal, out_of_memory};
inline constexpr std::array optional{device_lost, process_poisoned, internal, unsupported};
inline constexpr std::array optional_making{device_lost, process_poisoned, internal, unsupported, out_of_memory};
inline constexpr std::array loading{device_lost, process_poisoned, internal, unsupported, out_of_memory, build_failed};
inline constexpr std::array opening{unavailable, out_of_memory, internal};
}  // namespace faulty_codes

/// Every call, in the order in which `FaultyCounts` has them. "open" is the opening of the device itself.
inline constexpr std::array<FaultyCall, 22> faulty_calls{{
    {"open", faulty_codes::opening},
    {"budget", faulty_codes::any},
    {"allocate", faulty_codes::making},
    {"release", {}},
    {"load", faulty_codes::loading},
    {"unload", {}},
    {"create_queue", faulty_codes::optional_making},
    {"destroy_queue", {}},
    {"submit", faulty_codes::making},
    {"reached", faulty_codes::any},
    {"wait", faulty_codes::any},
    {"notify", faulty_codes::optional_making},
    {"map", faulty_codes::optional_making},
    {"unmap", {}},
    {"record", faulty_codes::optional_making},
    {"forget", {}},
    {"export_memory", faulty_codes::optional_making},
    {"import_memory", faulty_codes::optional_making},
    {"wrap_queue", faulty_codes::optional_making},
    {"calibrate", faulty_codes::optional},
    {"native", faulty_codes::optional},
    {"probe", faulty_codes::optional},
}};

/// The index of a call in `faulty_calls`, or the number of calls where none has the name.
[[nodiscard]] constexpr std::size_t faulty_index(std::string_view call) noexcept {
  std::size_t index = 0;
  while (index < faulty_calls.size() && faulty_calls[index].name != call) ++index;
  return index;
}

/// The codes that a call may answer; empty for a call without an answer and for an unknown name.
[[nodiscard]] constexpr std::span<const Errc> legal_codes(std::string_view call) noexcept {
  const std::size_t index = faulty_index(call);
  return index < faulty_calls.size() ? faulty_calls[index].codes : std::span<const Errc>();
}

/// `Device::native<FaultyCounts>()`: how often each call was made to this incarnation so far, by its index in
/// `faulty_calls`. After a loss nothing is counted. Reading the counts is never counted.
struct FaultyCounts {
  static constexpr std::string_view native_type = "faulty.counts";
  std::array<std::uint64_t, faulty_calls.size()> counts{};

  [[nodiscard]] constexpr std::uint64_t of(std::string_view call) const noexcept {
    const std::size_t index = faulty_index(call);
    return index < counts.size() ? counts[index] : 0;
  }
};

/// `Device::native<FaultyControl>()`: `arm` makes the call with the number `ordinal` (from 1, as counted) of this
/// incarnation answer `code`, once. Where that many calls have been made already, the next one does. Arming again
/// replaces what has not fired; 0 disarms. `invalid_argument` for a call that does not exist or does not answer the
/// code. `self` is valid as long as the incarnation; `presence` expires when it has gone, with its threads.
struct FaultyControl {
  static constexpr std::string_view native_type = "faulty.control";
  Result<void> (*arm)(void* self, std::string_view call, std::uint64_t ordinal, Errc code) = nullptr;
  void* self = nullptr;
  std::weak_ptr<const void> presence{};
};

}  // namespace pintle::layers
