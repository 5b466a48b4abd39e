// The host copies of a handle: the last one that is whole, and one that may be on its way.
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

/// Memory that any element may lie in; its contents are undefined.
[[nodiscard]] HostBytes allocate_host(std::uint64_t size);

/// A copy on its way never touches the last one, so whatever happens to it, the last one stays good.
class HandleShadow {
 public:
  /// Waits for the copy on its way: reached, it is the last one; failed, it is dropped, and a holder of its point
  /// hears why. An error (`timeout`) leaves it on its way.
  Result<void> settle(Deadline deadline);
  /// Memory for the next copy; call it when settled.
  [[nodiscard]] HostBytes memory(std::uint64_t size);
  /// `bytes` are the last copy once `point` is reached.
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
  /// True where nothing is on its way any more.
  bool look();

  HostBytes last_;
  bool is_last_lent_ = false;  // an upload may still read it
  HostBytes spare_;            // the one before the last, which nobody uses
  std::optional<OnItsWay> coming_;
};

}  // namespace pintle::memory
