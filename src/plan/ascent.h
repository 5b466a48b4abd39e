// A second exact search: blocks are placed in the order of their offsets, from the lowest on.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/model.h"
#include "plan/search.h"

namespace pintle::plan {

/// How blocks with one offset are ordered: by this criterion first, then by the others.
enum class Rank : std::uint8_t { area, length, load };

/// Answers what `search` answers, by other choices. Where the blocks leave gaps in any case it is often faster.
[[nodiscard]] Verdict ascend(const std::vector<Block>& blocks, std::uint32_t sections, std::uint64_t base,
                             std::uint64_t capacity, Rank rank, Allowance& allowance,
                             std::vector<std::uint64_t>& offsets);

}  // namespace pintle::plan
