// What adaptors of resources share: the words for a request, and how their states are made.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/contain.h"
#include "pintle/buffer.h"

namespace pintle::memory {

/// Empty where no buffer can have this dtype and shape: upstream has the words for it.
[[nodiscard]] std::optional<std::uint64_t> requested_bytes(DType dtype, const Shape& shape) noexcept;

/// `[Buffer "view matrix"]`, or `[Buffer]` without a label: it has no number yet.
[[nodiscard]] std::string request_text(const BufferOptions& options);

/// Null where there is no memory for it: a constructor cannot say so.
template <class State, class... Arguments>
[[nodiscard]] std::shared_ptr<State> state_of(Arguments&&... arguments) noexcept {
  auto made = base::contain("making a resource", [&]() -> Result<std::shared_ptr<State>> {
    return std::make_shared<State>(std::forward<Arguments>(arguments)...);
  });
  return std::move(made).value_or(nullptr);
}

/// What an adaptor without a state answers.
[[nodiscard]] Error no_state();

}  // namespace pintle::memory
