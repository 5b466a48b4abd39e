// What a program may call, one function at a time: set up, called in a window, looked at.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allocation_sweep/allocations.h"
#include "conformance/sweep/scenario.h"

namespace pintle::allocation_sweep {

using conformance::patience;
using conformance::Run;
using conformance::Scenario;

/// Each opens the window itself, around what it is about.
[[nodiscard]] std::vector<Scenario> operations();

// By the noun.
[[nodiscard]] std::span<const Scenario> arena_operations();
[[nodiscard]] std::span<const Scenario> buffer_operations();
[[nodiscard]] std::span<const Scenario> device_operations();
[[nodiscard]] std::span<const Scenario> dlpack_operations();
[[nodiscard]] std::span<const Scenario> group_operations();
[[nodiscard]] std::span<const Scenario> group_queue_operations();
[[nodiscard]] std::span<const Scenario> handle_operations();
[[nodiscard]] std::span<const Scenario> heap_operations();
[[nodiscard]] std::span<const Scenario> list_operations();
[[nodiscard]] std::span<const Scenario> plan_operations();
[[nodiscard]] std::span<const Scenario> pool_operations();
[[nodiscard]] std::span<const Scenario> program_operations();
[[nodiscard]] std::span<const Scenario> queue_operations();
[[nodiscard]] std::span<const Scenario> resource_operations();
[[nodiscard]] std::span<const Scenario> signal_operations();
[[nodiscard]] std::span<const Scenario> value_operations();

inline constexpr std::uint64_t size = 64;
inline constexpr const char* words = "a label that is longer than what a string holds inside";
using Words = std::vector<std::uint32_t>;

/// Two buffers with bytes in them, and what is needed to use them.
struct World {
  const Device& device;
  Queue queue;
  Buffer ones;  ///< Has `size` elements that are 1.
  Buffer twos;
  Signal signal;
};
[[nodiscard]] Result<World> world(Run& run);

/// The buffer holds this value, wherever nothing else has gone wrong.
Result<void> expect(Run& run, Queue& queue, const BufferView& of, std::uint32_t value);

/// What a device that cannot do it answers is no failure.
template <class T>
[[nodiscard]] Result<void> unless_unsupported(const Result<T>& result) {
  if (result || result.error().code() == Errc::unsupported) return {};
  return result.error();
}

template <class T>
[[nodiscard]] Result<void> outcome(const Result<T>& result) {
  if (result) return {};
  return result.error();
}

}  // namespace pintle::allocation_sweep
