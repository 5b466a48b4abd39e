// What a thread of a scenario is about to do.
#pragma once

#include <cstdint>
#include <string_view>

namespace pintle::interleaving {

using ObjectId = std::uint8_t;
using ObjectSet = std::uint64_t;

inline constexpr ObjectId clock_object = 63;  ///< What `now` and deadlines read.
inline constexpr ObjectId spurious_object = 62;
inline constexpr ObjectId anything_object = 61;  ///< Every write reads it and every pause writes it.
inline constexpr ObjectId most_objects = 61;

[[nodiscard]] constexpr ObjectSet set_of(ObjectId object) noexcept { return ObjectSet{1} << object; }

enum class Action : std::uint8_t {
  begin,
  load,
  store,
  update,
  plain,
  lock,
  unlock,
  sleep,
  notify_one,
  notify_all,
  expire,
  wake_for_nothing,
  tick,
  pause
};

[[nodiscard]] constexpr std::string_view name(Action action) noexcept {
  constexpr std::string_view names[] = {
      "begin",      "load",       "store",  "update",           "go on",       "lock", "unlock", "sleep",
      "notify_one", "notify_all", "expire", "wake for nothing", "time passes", "pause"};
  return names[static_cast<std::size_t>(action)];
}

/// One step of one thread. `variant` tells apart what may happen in the same place: which sleeper a notify_one wakes.
struct Operation {
  Action action = Action::begin;
  std::uint8_t thread = 0;
  std::uint8_t variant = 0;
  ObjectId object = 0;
  ObjectSet reads = 0;
  ObjectSet writes = 0;
  ObjectSet held = 0;  ///< The mutexes that the thread holds.

  [[nodiscard]] bool is_same_step(const Operation& other) const noexcept {
    return thread == other.thread && action == other.action && variant == other.variant;
  }
};

/// Whether the order of the two can matter. `plain` stands for what a thread that holds a mutex does with ordinary
/// memory after an atomic access: it may meet a thread that comes to the same thing's atomics without that mutex.
[[nodiscard]] constexpr bool depend(const Operation& a, const Operation& b) noexcept {
  if (a.thread == b.thread) return true;
  if ((a.action == Action::plain || b.action == Action::plain) && (a.held & b.held) != 0) return false;
  return ((a.writes & (b.reads | b.writes)) | (b.writes & a.reads)) != 0;
}

}  // namespace pintle::interleaving
