#include "bench/collective/work.h"

#include <algorithm>

namespace pintle::bench {
namespace {

std::size_t from_count(const CollectiveWork& work) {
  switch (work.operation) {
    case CollectiveOperation::all_gather: return work.part_count();
    case CollectiveOperation::broadcast: return 0;
    default: return work.count();
  }
}

void fill(std::vector<float>& values, std::uint32_t rank) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>((i * 7 + rank * 13) % 31);
}

}  // namespace

CollectiveMemory::CollectiveMemory(const CollectiveWork& work, std::uint32_t rank)
    : from(from_count(work)),
      to(work.operation == CollectiveOperation::reduce_scatter ? work.part_count() : work.count()) {
  fill(from, rank);
  restore(work, rank);
}

void CollectiveMemory::restore(const CollectiveWork& work, std::uint32_t rank) {
  if (work.operation == CollectiveOperation::broadcast && rank == 0) fill(to, rank);
  else std::ranges::fill(to, -1.0F);
}

}  // namespace pintle::bench
