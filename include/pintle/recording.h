// Frozen lists that are replayed with other bindings.
#pragma once

#include <memory>
#include <string>

#include "pintle/commands.h"
#include "pintle/fwd.h"

namespace pintle {

/// A frozen list of one device, checked and ordered once. Replays never run a destroyed buffer: they answer `stale`.
/// Move-only; replaying from several threads is safe. It takes host memory only through slots or by owning it.
class Recording {
 public:
  Recording() noexcept = default;
  Recording(Recording&&) noexcept = default;
  Recording& operator=(Recording&&) noexcept = default;

  /// The number of slots: one more than the highest index used.
  [[nodiscard]] std::size_t slots() const noexcept;
  /// As it appears in messages: `[Recording 3]`.
  [[nodiscard]] std::string text() const noexcept;

 private:
  friend class Inside;
  explicit Recording(std::shared_ptr<core::RecordingState> state) noexcept : state_(std::move(state)) {}

  std::shared_ptr<core::RecordingState> state_;
};

}  // namespace pintle
