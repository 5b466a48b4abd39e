#include "collective/queue/group_queue_cut.h"

#include <algorithm>

namespace pintle::collective {
namespace {

constexpr std::uint64_t granularity = 16;

/// The parts of the rank that has most.
std::uint64_t most_parts(Operation operation, std::uint32_t ranks) noexcept {
  switch (operation) {
    case Operation::reduce_scatter:
    case Operation::all_gather:
    case Operation::gather:
    case Operation::scatter:
    case Operation::all_to_all: return ranks;
    default: return 1;
  }
}

}  // namespace

Cut::Cut(Operation operation, std::uint64_t part, std::uint32_t ranks, std::uint64_t most) noexcept
    : part_(part),
      size_(std::max(most / most_parts(operation, ranks) / granularity * granularity, granularity)),
      count_(std::max<std::uint64_t>(part / size_ + (part % size_ != 0 ? 1 : 0), 1)) {}

Chunk Cut::at(std::uint64_t index) const noexcept {
  const std::uint64_t offset = index * size_;
  return {offset, std::min(size_, part_ - offset)};
}

}  // namespace pintle::collective
