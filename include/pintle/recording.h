// Frozen lists that are replayed with other bindings.
#pragma once

#include <memory>
#include <string>

#include "pintle/commands.h"
#include "pintle/fwd.h"

namespace pintle {

/// A frozen list of one device, checked and ordered once. A replay never runs a destroyed buffer: it is `stale`. Host
/// memory comes in through slots only, or is owned by the recording. Move-only; several threads may replay it at once.
class Recording {
 public:
  Recording() noexcept = default;
  Recording(Recording&&) noexcept = default;
  Recording& operator=(Recording&&) noexcept = default;

  /// The number of slots: one more than the highest index used.
  [[nodiscard]] std::size_t slots() const noexcept;
  /// Its name in messages: `[Recording 3]`.
  [[nodiscard]] std::string text() const noexcept;

 private:
  friend class Inside;
  explicit Recording(std::shared_ptr<core::RecordingState> state) noexcept : state_(std::move(state)) {}

  std::shared_ptr<core::RecordingState> state_;
};

}  // namespace pintle
