// Barriers where the byte ranges of commands need them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/buffers/buffer_record.h"
#include "pintle/backend/command.h"

namespace pintle::core {

/// Bytes that a command touches. Each memory of the device is one space. Host memory is one space, whose offsets are
/// addresses.
struct Touch {
  std::uint64_t space, begin, end;
  bool is_write;
  bool is_anywhere;  // in a slot: it may be any memory of its side
};

/// Disjoint ranges. Adjacent ranges are merged, so that the set stays as small as what it covers.
class RangeSet {
 public:
  void clear() noexcept { ends_.clear(); }
  [[nodiscard]] bool meets(const Touch& touch) const;
  void add(const Touch& touch);

 private:
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> ends_;  // (space, begin) -> end
};

/// Goes through a list once, from barrier to barrier: `touch` for each range that a command names, then `place` for the
/// command. It sets `barrier_before` on every command that a RAW, WAR or WAW hazard orders after an earlier one, and on
/// no other. A flag that `barrier()` has set stays. A range in a slot may be any memory: it conflicts with everything
/// when either side writes. Host calls are ordered against everything. O(n log n) in the number of ranges.
class Barriers {
 public:
  /// `aliases` names the memory that has a second name: bytes under two names are one memory.
  explicit Barriers(std::span<const Alias> aliases = {}) noexcept : aliases_(aliases) {}

  void touch(const backend::Range& range, Access access) { note(touch_of(range, access)); }
  void place(backend::Command& command);

 private:
  using Sides = std::array<unsigned, 2>;  // device, host: in which ways each is touched

  [[nodiscard]] Touch touch_of(const backend::Range& range, Access access) const noexcept;
  void note(const Touch& touch);
  [[nodiscard]] bool conflicts(const Touch& touch) const;
  [[nodiscard]] bool meets_few(const Touch& touch) const noexcept;
  void forget() noexcept;
  void keep();

  bool is_first_ = true;
  bool after_anything_ = false;  // the command before touches what its list does not say
  bool does_conflict_ = false;   // this command does
  std::span<const Alias> aliases_;
  Sides sides_{}, sides_now_{};  // of the commands since the last barrier, and of this command
  std::size_t count_ = 0;        // touches since the last barrier
  std::size_t count_now_ = 0;    // and this command's behind them
  std::array<Touch, 32> few_;    // the first ones lie in place, so that short lists allocate nothing
  std::vector<Touch> more_now_;  // this command's for which there was no place
  RangeSet written_;
  RangeSet read_;
};

/// Places the barriers of a whole list.
void place_barriers(std::span<backend::Command> commands, std::span<const backend::Argument> arguments,
                    std::span<const Alias> aliases = {});

}  // namespace pintle::core
