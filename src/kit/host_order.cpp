#include "kit/host_order.h"

#include <algorithm>

#include "kit/bound.h"

namespace pintle::kit {

using backend::Command;
using backend::Commands;

namespace {

template <class Host>
std::span<const std::byte> bytes_of(const Host& host) noexcept {
  return {host.data, static_cast<std::size_t>(host.size)};
}

/// What lies in a slot may be anything.
bool may_overlap(const backend::HostSource& from, const backend::HostTarget& to) noexcept {
  if (from.slot != backend::no_slot || to.slot != backend::no_slot) return true;
  return from.data < to.data + to.size && to.data < from.data + from.size;
}

}  // namespace

void HostOrder::note_copy(const Command& command, std::uint64_t serial) {
  if (const auto* const upload = std::get_if<backend::Upload>(&command.operation)) {
    if (written_.overlap(bytes_of(upload->from))) mark(command);
  } else if (const auto* const download = std::get_if<backend::Download>(&command.operation)) {
    if (copies_ == HostCopies::all && written_.overlap(bytes_of(download->to))) mark(command);
    written_.add(bytes_of(download->to), queue_, serial);
  }
}

/// Its own downloads come last: `reads_own_downloads` has kept out a list that reads them.
void HostOrder::note_replay(const Command& command, const backend::Replay& replay, const Commands& list,
                            std::uint64_t serial) {
  const auto is_late = [&](const Command& recorded) {
    if (const auto* const upload = std::get_if<backend::Upload>(&recorded.operation))
      return written_.overlap(bytes_of(bound(upload->from, upload->from.slot, replay.bindings)));
    const auto* const download = std::get_if<backend::Download>(&recorded.operation);
    return copies_ == HostCopies::all && download != nullptr &&
           written_.overlap(bytes_of(bound(download->to, download->to.slot, replay.bindings)));
  };
  if (std::ranges::any_of(list.commands, is_late)) mark(command);
  for (const Command& recorded : list.commands) {
    if (const auto* const download = std::get_if<backend::Download>(&recorded.operation))
      written_.add(bytes_of(bound(download->to, download->to.slot, replay.bindings)), queue_, serial);
  }
}

void HostOrder::mark(const Command& command) {
  const std::lock_guard lock(mutex_);
  late_.push_back(&command);
  has_late_.store(true, std::memory_order_release);
}

bool HostOrder::is_marked(const Command& command) const noexcept {
  const std::lock_guard lock(mutex_);
  return std::ranges::find(late_, &command) != late_.end();
}

void HostOrder::start(const Command& command) noexcept {
  if (!has_late_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(mutex_);
  std::erase(late_, &command);
  has_late_.store(!late_.empty(), std::memory_order_release);
}

void HostOrder::forget(const Commands& list, std::uint64_t serial) noexcept {
  written_.forget(queue_, serial, serial);
  for (const Command& command : list.commands) start(command);
}

bool reads_own_downloads(const Commands& list) {
  std::vector<const backend::HostTarget*> written;
  for (const Command& command : list.commands) {
    if (const auto* const download = std::get_if<backend::Download>(&command.operation)) {
      written.push_back(&download->to);
    } else if (const auto* const upload = std::get_if<backend::Upload>(&command.operation)) {
      const auto is_read = [&](const backend::HostTarget* to) { return may_overlap(upload->from, *to); };
      if (std::ranges::any_of(written, is_read)) return true;
    }
  }
  return false;
}

}  // namespace pintle::kit
