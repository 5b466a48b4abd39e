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
  void clear() noexcept {
    if (!ends_.empty()) ends_.clear();  // nearly all lists have no more than stands in place
  }
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

  void touch(const backend::Range& range, Access access);
  void place(backend::Command& command);

 private:
  using Sides = std::array<unsigned, 2>;  // device, host: in which ways each is touched
  static constexpr std::size_t most_few = 32;

  [[nodiscard]] inline Touch touch_of(const backend::Range& range, Access access) const noexcept;
  [[nodiscard]] Touch aliased(const backend::Range& range, Access access) const noexcept;
  [[nodiscard]] inline Touch& next() noexcept;
  inline void note(const Touch& touch);
  [[nodiscard]] bool conflicts(const Touch& touch) const;
  [[nodiscard]] inline bool meets_few(const Touch& touch) const noexcept;
  void close_up() noexcept;
  inline void forget() noexcept;
  inline void keep();
  void keep_more();

  bool is_first_ = true;
  bool after_anything_ = false;  // the command before touches what its list does not say
  bool does_conflict_ = false;   // this command does
  std::span<const Alias> aliases_;
  Sides sides_{}, sides_now_{};  // of the commands since the last barrier, and of this command
  std::size_t first_ = 0;        // touches since the last barrier lie in [first_, own_) of `few_`
  std::size_t own_ = 0;          // and this command's in [own_, end_)
  std::size_t end_ = 0;
  std::array<Touch, most_few + 1> few_;  // in place, so that short lists allocate nothing; the last is never kept
  std::vector<Touch> more_now_;          // this command's for which there was no place
  RangeSet written_;
  RangeSet read_;
};

/// Places the barriers of a whole list.
void place_barriers(std::span<backend::Command> commands, std::span<const backend::Argument> arguments,
                    std::span<const Alias> aliases = {});

}  // namespace pintle::core
