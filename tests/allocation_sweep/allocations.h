// The allocations of this program, one of which can be made to fail.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace pintle::allocation_sweep {

enum class Mode : std::uint8_t {
  once,     ///< One of the thread that opened the window.
  lasting,  ///< That one, and all of the library's on that thread until the window closes.
  threads,  ///< One of any thread.
};

/// Which allocation is to fail while a window is open: the first of the library's own from this one on, counted from 1.
/// 0: none.
struct Shortage {
  std::uint64_t ordinal = 0;
  Mode mode = Mode::once;
};
/// For the windows to come, and forgets what has failed.
void plan(Shortage shortage) noexcept;

/// What has come of it.
struct Failed {
  bool happened = false;
  std::uint64_t ordinal = 0;
  std::span<void* const> frames;  ///< The calls that asked, the innermost first.
};
[[nodiscard]] Failed failed() noexcept;

/// While it lives, allocations are counted, and the planned one fails. None within another.
class Window {
 public:
  Window() noexcept;
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  ~Window();
};

/// The answer of `body`, in a window.
template <class Body>
auto during(Body&& body) {
  const Window window;
  return body();
}

}  // namespace pintle::allocation_sweep
