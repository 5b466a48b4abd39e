#include "backends/vulkan/staging.h"

#include <algorithm>
#include <bit>

namespace pintle::vulkan {

Result<std::unique_ptr<Block>> StagingPool::take(std::uint64_t size) {
  size = std::max(smallest, std::bit_ceil(size));
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(free_, size, [](const auto& block) { return block->size(); });
    if (found != free_.end()) {
      std::unique_ptr<Block> block = std::move(*found);
      free_.erase(found);
      kept_ -= size;
      return block;
    }
    free_.reserve(free_.size() + 64);  // so that giving back needs no memory as a rule
  }
  return Block::create(context_, {.size = size, .placement = Placement::host});
}

void StagingPool::give_back(std::unique_ptr<Block> block) noexcept {
  const std::lock_guard lock(mutex_);
  if (kept_ + block->size() > most_kept || free_.size() == free_.capacity()) return;
  kept_ += block->size();
  free_.push_back(std::move(block));
}

Staging::~Staging() {
  for (auto& block : blocks_) pool_.give_back(std::move(block));
}

Result<Staged> Staging::take(std::uint64_t size, std::uint64_t alignment) {
  const std::uint64_t offset = (used_ + alignment - 1) / alignment * alignment;
  if (blocks_.empty() || offset > blocks_.back()->size() || size > blocks_.back()->size() - offset) {
    PINTLE_ASSIGN(block, pool_.take(size));
    blocks_.push_back(std::move(block));
    used_ = size;
    return Staged{blocks_.back()->buffer(), 0, blocks_.back()->mapped()};
  }
  used_ = offset + size;
  return Staged{blocks_.back()->buffer(), offset, blocks_.back()->mapped() + offset};
}

void Staging::reset() noexcept {
  used_ = 0;
  while (blocks_.size() > 1 || (!blocks_.empty() && blocks_.back()->size() > StagingPool::smallest)) {
    pool_.give_back(std::move(blocks_.back()));
    blocks_.pop_back();
  }
}

}  // namespace pintle::vulkan
