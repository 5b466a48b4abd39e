#include "plan/neighbours.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace pintle::plan {

Neighbours::Neighbours(const Model& model) : model_(model), is_added_(model.blocks.size()) {
  if (!model.is_line) return;
  by_begin_.resize(model.blocks.size());
  place_of_.resize(model.blocks.size());
  std::iota(by_begin_.begin(), by_begin_.end(), 0u);
  std::ranges::sort(by_begin_, {}, [&](std::uint32_t block) { return std::pair(model.blocks[block].lower, block); });
  begins_before_.resize(model.sections + 1);
  for (std::uint32_t i = 0; i < by_begin_.size(); ++i) place_of_[by_begin_[i]] = i;
  for (const Block& block : model.blocks) ++begins_before_[block.lower + 1];
  std::partial_sum(begins_before_.begin(), begins_before_.end(), begins_before_.begin());
  leaves_ = std::bit_ceil(std::max<std::uint32_t>(1, static_cast<std::uint32_t>(by_begin_.size())));
  last_end_.resize(std::size_t{2} * leaves_);
}

void Neighbours::add(std::uint32_t block) {
  is_added_[block] = 1;
  if (!model_.is_line) return;
  const std::uint32_t end = model_.blocks[block].upper;
  for (std::uint32_t node = leaves_ + place_of_[block]; node != 0; node /= 2)
    last_end_[node] = std::max(last_end_[node], end);
}

void Neighbours::clear() {
  std::ranges::fill(is_added_, 0);
  std::ranges::fill(last_end_, 0);
}

std::uint64_t Neighbours::pairs() const {
  std::uint64_t pairs = 0;
  if (model_.is_line) {
    for (const Block& block : model_.blocks) pairs += begins_before_[block.upper] - begins_before_[block.lower];
    return pairs;
  }
  for (const auto& list : model_.conflicts) pairs += list.size();
  return pairs / 2;
}

}  // namespace pintle::plan
