// What adaptors of resources share: the words for a request, and the making of their states.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/contain.h"
#include "pintle/buffer.h"

namespace pintle::memory {

/// Empty where no buffer can have this dtype and shape. Then the resource upstream gives the error.
[[nodiscard]] std::optional<std::uint64_t> requested_bytes(DType dtype, const Shape& shape) noexcept;

/// `[Buffer "view matrix"]`, or `[Buffer]` without a label: it has no number yet.
[[nodiscard]] std::string request_text(const BufferOptions& options);

/// Null where there is no memory for the state: a constructor cannot return an error.
template <class State, class... Arguments>
[[nodiscard]] std::shared_ptr<State> state_of(Arguments&&... arguments) noexcept {
  auto made = base::contain("making a resource", [&]() -> Result<std::shared_ptr<State>> {
    return std::make_shared<State>(std::forward<Arguments>(arguments)...);
  });
  return std::move(made).value_or(nullptr);
}

/// The error of an adaptor without a state.
[[nodiscard]] Error no_state();

}  // namespace pintle::memory
