#include "core/list/hazards.h"

#include <algorithm>
#include <cstddef>

#include "kit/accesses.h"
#include "kit/kinds.h"

namespace pintle::core {
namespace {

constexpr std::uint64_t host_space = 0;  // MemoryId::none
constexpr unsigned touched = 1, written = 2, slot_touched = 4, slot_written = 8;

std::size_t is_host(const Touch& touch) noexcept { return touch.space == host_space ? 1 : 0; }

std::uint64_t address_of(const std::byte* data) noexcept {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(data));
}

template <class HostBytes>
Touch host_touch(const HostBytes& bytes, Access access) noexcept {
  if (bytes.slot != backend::no_slot) return {host_space, 0, 0, writes(access), true};
  const std::uint64_t begin = address_of(bytes.data);
  return {host_space, begin, begin + bytes.size, writes(access), false};
}

}  // namespace

bool RangeSet::meets(const Touch& touch) const {
  const auto after = ends_.lower_bound({touch.space, touch.end});
  if (after == ends_.begin()) return false;
  const auto& [key, end] = *std::prev(after);
  return key.first == touch.space && end > touch.begin;
}

void RangeSet::add(const Touch& touch) {
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

inline Touch Barriers::touch_of(const backend::Range& range, Access access) const noexcept {
  if (range.slot != backend::no_slot) return {~host_space, 0, 0, writes(access), true};
  if (!aliases_.empty()) return aliased(range, access);
  return {static_cast<std::uint64_t>(range.memory), range.offset, range.offset + range.size, writes(access), false};
}

/// Imported host memory counts as host memory. Native memory may be any memory that has another name.
Touch Barriers::aliased(const backend::Range& range, Access access) const noexcept {
  const auto alias = std::ranges::find(aliases_, range.memory, &Alias::memory);
  if (alias == aliases_.end())
    return {static_cast<std::uint64_t>(range.memory), range.offset, range.offset + range.size, writes(access), false};
  if (alias->host.empty()) return {host_space, 0, 0, writes(access), true};
  const std::uint64_t begin = address_of(alias->host.data()) + range.offset;
  return {host_space, begin, begin + range.size, writes(access), false};
}

void Barriers::touch(const backend::Range& range, Access access) {
  Touch& touch = next();
  touch = touch_of(range, access);
  note(touch);
}

/// Where the next touch is written, to be noted there.
inline Touch& Barriers::next() noexcept {
  if (end_ == most_few && first_ != 0) close_up();
  return few_[end_];
}

/// Takes the places of what counts no more.
void Barriers::close_up() noexcept {
  std::copy(few_.begin() + static_cast<std::ptrdiff_t>(first_), few_.begin() + static_cast<std::ptrdiff_t>(end_),
            few_.begin());
  own_ -= first_;
  end_ -= std::exchange(first_, 0);
}

inline void Barriers::note(const Touch& touch) {
  does_conflict_ = does_conflict_ || conflicts(touch);
  const unsigned how = touched | (touch.is_write ? written : 0);
  sides_now_[is_host(touch)] |= touch.is_anywhere ? how | how * slot_touched : how;
  if (touch.is_anywhere) return;
  if (end_ < most_few) ++end_;
  else more_now_.push_back(touch);
}

bool Barriers::conflicts(const Touch& touch) const {
  const unsigned side = sides_[is_host(touch)];
  const bool meets_slot = (side & (touch.is_write ? slot_touched : slot_written)) != 0;
  const bool may_meet = (side & (touch.is_write ? touched : written)) != 0;
  if (meets_slot || touch.is_anywhere || !may_meet) return meets_slot || may_meet;
  return meets_few(touch) || written_.meets(touch) || (touch.is_write && read_.meets(touch));
}

/// A command most often meets what is just before it.
inline bool Barriers::meets_few(const Touch& touch) const noexcept {
  for (std::size_t at = own_; at != first_; --at) {
    const Touch& other = few_[at - 1];
    if (other.begin < touch.end && touch.begin < other.end && other.space == touch.space &&
        (touch.is_write || other.is_write))
      return true;
  }
  return false;
}

/// The list does not say what a host function or a recording touches.
void Barriers::place(backend::Command& command) {
  const kit::Kinds kind = kit::kind_of(command);
  if ((kind & kit::kinds_of<backend::Upload, backend::Download>) != 0) {
    kit::for_each_host(command, [&](const auto& bytes, Access access) {
      Touch& touch = next();
      touch = host_touch(bytes, access);
      note(touch);
    });
  }
  const bool is_anything = (kind & kit::kinds_of<backend::HostCall, backend::Replay>) != 0;
  if (command.barrier_before || (!is_first_ && (does_conflict_ || after_anything_ || is_anything))) {
    command.barrier_before = true;
    forget();
  }
  keep();
  is_first_ = does_conflict_ = false;
  after_anything_ = is_anything;
}

/// What came before the barrier counts no more.
inline void Barriers::forget() noexcept {
  first_ = own_;
  sides_ = {};
  written_.clear();
  read_.clear();
}

/// What this command touches counts from now on.
inline void Barriers::keep() {
  own_ = end_;
  for (std::size_t side = 0; side < sides_.size(); ++side) sides_[side] |= std::exchange(sides_now_[side], 0);
  if (!more_now_.empty()) keep_more();
}

void Barriers::keep_more() {
  for (const Touch& touch : more_now_) (touch.is_write ? written_ : read_).add(touch);
  more_now_.clear();
}

void place_barriers(std::span<backend::Command> commands, std::span<const backend::Argument> arguments,
                    std::span<const Alias> aliases) {
  if (commands.size() < 2) return;
  Barriers barriers(aliases);
  for (backend::Command& command : commands) {
    kit::for_each_range(command, arguments,
                        [&](const backend::Range& range, Access access) { barriers.touch(range, access); });
    barriers.place(command);
  }
}

}  // namespace pintle::core
