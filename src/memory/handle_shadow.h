// The host copies of a handle: the last one that is whole, and one that may be under way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "pintle/deadline.h"
#include "pintle/error.h"
#include "pintle/signal.h"

namespace pintle::memory {

using HostBytes = std::shared_ptr<std::byte[]>;

/// Memory whose alignment suits every element type. Its contents are undefined.
[[nodiscard]] HostBytes allocate_host(std::uint64_t size);

/// A copy under way never touches the last one. So the last one stays good, even where the copy fails.
class HandleShadow {
 public:
  /// Waits for the copy under way. Once reached it is the last one; where it fails it is dropped, and a caller that
  /// holds its point gets the reason. After an error (`timeout`) the copy stays under way.
  Result<void> settle(Deadline deadline);
  /// Memory for the next copy. Called after `settle`.
  [[nodiscard]] HostBytes memory(std::uint64_t size);
  /// Notes that `bytes` become the last copy when `point` is reached.
  void expect(HostBytes bytes, Point point) noexcept;
  /// True where there is a last copy, as far as is known without waiting.
  [[nodiscard]] bool is_there();
  /// The last copy, for reading only; null where there is none.
  [[nodiscard]] HostBytes last() noexcept;

 private:
  struct OnItsWay {
    HostBytes bytes;
    Point point;
  };
  /// True where no copy is under way any more.
  bool look();

  HostBytes last_;
  bool is_last_lent_ = false;  // an upload may still read it
  HostBytes spare_;            // the copy before the last, which nothing uses
  std::optional<OnItsWay> coming_;
};

}  // namespace pintle::memory
