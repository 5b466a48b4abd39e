// Lists whose launches have one more argument, which the device writes and the host reads back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pintle/backend/command.h"

namespace pintle::kit {

/// A list in which each launch has a note behind its parameters: words that are zero before the list runs. All notes
/// are in one memory. The list, and this object, stay where they are until the list is done.
class NotedList {
 public:
  /// Each note has `size` bytes, and begins `stride` bytes behind the one before. May throw std::bad_alloc.
  NotedList(const backend::Commands& list, std::uint64_t size, std::uint64_t stride);
  NotedList(const NotedList&) = delete;
  NotedList& operator=(const NotedList&) = delete;

  /// Bytes of all notes.
  [[nodiscard]] std::uint64_t size() const noexcept { return bytes_.size(); }
  /// The commands, once the notes have memory. Called once.
  [[nodiscard]] backend::Commands with(backend::MemoryId memory);
  /// How many launches there are.
  [[nodiscard]] std::size_t count() const noexcept { return launches_.size(); }
  [[nodiscard]] const backend::Exec& launch(std::size_t number) const noexcept { return *launches_[number]; }
  [[nodiscard]] std::span<const std::byte> note(std::size_t number) const noexcept {
    return std::span(bytes_).subspan(number * stride_, size_);
  }

 private:
  void add_note(backend::Exec& exec, const backend::Range& range);

  const backend::Commands list_;
  const std::uint64_t size_;
  const std::uint64_t stride_;
  std::vector<const backend::Exec*> launches_;
  std::vector<backend::Command> commands_;
  std::vector<backend::Argument> arguments_;
  std::vector<std::byte> bytes_;
};

}  // namespace pintle::kit
