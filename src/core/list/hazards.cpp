#include "core/list/hazards.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <variant>

#include "kit/accesses.h"

namespace pintle::core {
namespace {

/// Bytes that a command touches. Each memory of the device is one space. Host memory is one space, whose offsets are
/// addresses.
struct Touch {
  std::uint64_t space = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool is_write = false;
  bool is_anywhere = false;  // in a slot: it may be any memory of its side
};

constexpr std::uint64_t host_space = 0;  // MemoryId::none

/// Disjoint ranges. Adjacent ranges are merged, so that the set stays as small as what it covers.
class RangeSet {
 public:
  void clear() noexcept { ends_.clear(); }

  [[nodiscard]] bool meets(const Touch& touch) const {
    const auto after = ends_.lower_bound({touch.space, touch.end});
    if (after == ends_.begin()) return false;
    const auto& [key, end] = *std::prev(after);
    return key.first == touch.space && end > touch.begin;
  }

  void add(const Touch& touch) {
    std::uint64_t begin = touch.begin;
    std::uint64_t end = touch.end;
    auto at = ends_.upper_bound({touch.space, end});
    while (at != ends_.begin()) {
      const auto before = std::prev(at);
      if (before->first.first != touch.space || before->second < begin) break;
      begin = std::min(begin, before->first.second);
      end = std::max(end, before->second);
      at = ends_.erase(before);
    }
    ends_.emplace_hint(at, std::pair{touch.space, begin}, end);
  }

 private:
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> ends_;  // (space, begin) -> end
};

/// What the commands since the last barrier touch. The first few lie in place, so that short lists allocate nothing.
class Touched {
 public:
  [[nodiscard]] bool conflicts(const Touch& touch) const {
    const Side& side = sides_[is_host(touch)];
    if (side.slot_written || (touch.is_write && side.slot_touched)) return true;
    if (touch.is_anywhere) return side.written || (touch.is_write && side.touched);
    if (!side.written && !(touch.is_write && side.touched)) return false;
    return meets_few(touch) || written_.meets(touch) || (touch.is_write && read_.meets(touch));
  }

  void add(const Touch& touch) {
    Side& side = sides_[is_host(touch)];
    side.touched = true;
    side.written |= touch.is_write;
    if (touch.is_anywhere) {
      side.slot_touched = true;
      side.slot_written |= touch.is_write;
    } else if (count_ < few_.size()) {
      few_[count_++] = touch;
    } else {
      (touch.is_write ? written_ : read_).add(touch);
    }
  }

  void clear() noexcept {
    sides_ = {};
    count_ = 0;
    written_.clear();
    read_.clear();
  }

 private:
  struct Side {
    bool touched = false, written = false, slot_touched = false, slot_written = false;
  };

  [[nodiscard]] static std::size_t is_host(const Touch& touch) noexcept { return touch.space == host_space ? 1 : 0; }

  [[nodiscard]] bool meets_few(const Touch& touch) const noexcept {
    return std::any_of(few_.begin(), few_.begin() + static_cast<std::ptrdiff_t>(count_), [&](const Touch& other) {
      return (touch.is_write || other.is_write) && other.space == touch.space && other.begin < touch.end &&
             touch.begin < other.end;
    });
  }

  std::array<Side, 2> sides_{};  // device, host
  std::array<Touch, 32> few_;
  std::size_t count_ = 0;
  RangeSet written_;
  RangeSet read_;
};

std::uint64_t address_of(const std::byte* data) noexcept {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(data));
}

/// Imported host memory counts as host memory. Native memory may be any memory that has another name.
Touch device_touch(const backend::Range& range, Access access, std::span<const Alias> aliases) noexcept {
  if (range.slot != backend::no_slot) return {~host_space, 0, 0, writes(access), true};
  const auto alias = std::ranges::find(aliases, range.memory, &Alias::memory);
  if (alias != aliases.end()) {
    if (alias->host.empty()) return {host_space, 0, 0, writes(access), true};
    const std::uint64_t begin = address_of(alias->host.data()) + range.offset;
    return {host_space, begin, begin + range.size, writes(access), false};
  }
  return {static_cast<std::uint64_t>(range.memory), range.offset, range.offset + range.size, writes(access), false};
}

template <class HostBytes>
Touch host_touch(const HostBytes& bytes, Access access) noexcept {
  if (bytes.slot != backend::no_slot) return {host_space, 0, 0, writes(access), true};
  const std::uint64_t begin = address_of(bytes.data);
  return {host_space, begin, begin + bytes.size, writes(access), false};
}

template <class Visit>
void for_each_touch(const backend::Command& command, std::span<const backend::Argument> arguments,
                    std::span<const Alias> aliases, Visit visit) {
  kit::for_each_range(command, arguments,
                      [&](const backend::Range& range, Access access) { visit(device_touch(range, access, aliases)); });
  kit::for_each_host(command, [&](const auto& bytes, Access access) { visit(host_touch(bytes, access)); });
}

/// The list does not say what a host function or a recording touches.
bool touches_anything(const backend::Command& command) noexcept {
  return std::holds_alternative<backend::HostCall>(command.operation) ||
         std::holds_alternative<backend::Replay>(command.operation);
}

/// Goes through a list once, from barrier to barrier.
class Placer {
 public:
  Placer(std::span<const backend::Argument> arguments, std::span<const Alias> aliases) noexcept
      : arguments_(arguments), aliases_(aliases) {}

  void place(backend::Command& command) {
    if (command.barrier_before || conflicts(command)) {
      command.barrier_before = true;
      touched_.clear();
    }
    is_first_ = false;
    after_anything_ = touches_anything(command);
    for_each_touch(command, arguments_, aliases_, [this](const Touch& touch) { touched_.add(touch); });
  }

 private:
  [[nodiscard]] bool conflicts(const backend::Command& command) const {
    if (is_first_) return false;
    if (after_anything_ || touches_anything(command)) return true;
    bool found = false;
    for_each_touch(command, arguments_, aliases_,
                   [&](const Touch& touch) { found = found || touched_.conflicts(touch); });
    return found;
  }

  std::span<const backend::Argument> arguments_;
  std::span<const Alias> aliases_;
  Touched touched_;
  bool is_first_ = true;
  bool after_anything_ = false;
};

}  // namespace

void place_barriers(std::span<backend::Command> commands, std::span<const backend::Argument> arguments,
                    std::span<const Alias> aliases) {
  if (commands.size() < 2) return;
  Placer placer(arguments, aliases);
  for (backend::Command& command : commands) placer.place(command);
}

}  // namespace pintle::core
