// A window whose pieces this process has mapped, each kept as long as any rank has the window.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/shared_memory.h"
#include "collective/transport.h"
#include "collective/window.h"
#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::collective {

/// A rank's piece of a window.
using Piece = std::shared_ptr<const base::SharedMemory>;

class SharedWindow final : public Window {
 public:
  /// `pieces` by rank, each of at least `size` bytes.
  SharedWindow(std::uint32_t rank, std::uint64_t size, std::vector<Piece> pieces);

 private:
  const std::vector<Piece> pieces_;
};

/// The ranks that take part in creating a window.
struct WindowMembers {
  std::uint32_t rank = 0;

  std::uint32_t ranks = 0;
  std::span<const std::uint64_t> processes{};  ///< By rank; empty where ranks are threads.
};

/// See `Transport::create_window`.
[[nodiscard]] Result<std::unique_ptr<Window>> create_shared_window(const WindowMembers& members, std::uint64_t bytes,
                                                                   const Exchange& exchange, Deadline deadline);

}  // namespace pintle::collective
