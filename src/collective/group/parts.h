// What a rank gives and gets in an operation, in parts.
#pragma once

#include <cstdint>

#include "collective/group/call.h"

namespace pintle::collective {

/// How many parts a rank reads and writes: 0 for none, 1, or one for each rank.
struct PartCounts {
  std::uint64_t from = 0;
  std::uint64_t to = 0;

  friend bool operator==(const PartCounts&, const PartCounts&) noexcept = default;
};

/// Which side of a message a rank is: of `send_recv` only.
enum class Side : std::uint8_t { sends, receives };

/// What `rank` of `ranks` reads and writes. For `send_recv`, `side` says it.
[[nodiscard]] PartCounts parts_of(Operation operation, std::uint32_t rank, std::uint32_t ranks, std::uint32_t root,
                                  Side side = Side::sends) noexcept;

}  // namespace pintle::collective
