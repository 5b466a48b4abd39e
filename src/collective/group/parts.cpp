#include "collective/group/parts.h"

namespace pintle::collective {

PartCounts parts_of(Operation operation, std::uint32_t rank, std::uint32_t ranks, std::uint32_t root,
                    Side side) noexcept {
  const bool is_root = rank == root;
  switch (operation) {
    case Operation::all_reduce: return {1, 1};
    case Operation::reduce: return {1, is_root ? 1u : 0u};
    case Operation::reduce_scatter: return {ranks, 1};
    case Operation::all_gather: return {1, ranks};
    case Operation::gather: return {1, is_root ? ranks : 0};
    case Operation::scatter: return {is_root ? ranks : 0, 1};
    case Operation::broadcast: return is_root ? PartCounts{1, 0} : PartCounts{0, 1};
    case Operation::all_to_all: return {ranks, ranks};
    case Operation::send_recv: return side == Side::sends ? PartCounts{1, 0} : PartCounts{0, 1};
    default: return {};
  }
}

}  // namespace pintle::collective
