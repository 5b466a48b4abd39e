#include "core/buffers/pool_heap.h"

#include <algorithm>

namespace pintle::core {

PoolHeap::Chunk* PoolHeap::new_chunk() {
  if (spare_.capacity() <= chunks_.size()) spare_.reserve(2 * chunks_.size() + 16);  // so that forgetting needs none
  if (spare_.empty()) return &chunks_.emplace_back();
  Chunk* const chunk = spare_.back();
  spare_.pop_back();
  *chunk = Chunk();
  return chunk;
}

PoolHeap::Chunk* PoolHeap::take_free(std::uint64_t size) {
  std::size_t word = class_of(size) / 64;
  std::uint64_t bits = filled_[word] & (~std::uint64_t{0} << (class_of(size) % 64));
  while (bits == 0) {
    if (++word == filled_.size()) return nullptr;
    bits = filled_[word];
  }
  Chunk& chunk = *free_[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
  Chunk* const rest = chunk.size > size ? new_chunk() : nullptr;
  unlink_free(chunk);
  if (rest != nullptr) {
    rest->block = chunk.block;
    rest->offset = chunk.offset + size;
    rest->size = chunk.size - size;
    rest->left = &chunk;
    rest->right = chunk.right;
    if (rest->right != nullptr) rest->right->left = rest;
    chunk.right = rest;
    chunk.size = size;
    chunk.size_class = static_cast<std::uint16_t>(class_of(size));
    link_free(*rest);
  }
  chunk.state = State::used;
  used_ += size;
  return &chunk;
}

void PoolHeap::set_free(Chunk& chunk) noexcept {
  unlink(waiting_, chunk);
  waiting_bytes_ -= chunk.size;
  chunk.stamps = {};
  Chunk* whole = &chunk;
  if (chunk.right != nullptr && chunk.right->state == State::free) {
    unlink_free(*chunk.right);
    merge_with_right(chunk);
  }
  if (chunk.left != nullptr && chunk.left->state == State::free) {
    whole = chunk.left;
    unlink_free(*whole);
    merge_with_right(*whole);
  }
  link_free(*whole);
}

void PoolHeap::merge_with_right(Chunk& chunk) noexcept {
  Chunk& gone = *chunk.right;
  chunk.size += gone.size;
  chunk.right = gone.right;
  if (chunk.right != nullptr) chunk.right->left = &chunk;
  forget_chunk(gone);
}

void PoolHeap::link_free(Chunk& chunk) noexcept {
  chunk.state = State::free;
  chunk.size_class = static_cast<std::uint16_t>(class_of(chunk.size));
  link(free_, chunk);
  filled_[chunk.size_class / 64] |= std::uint64_t{1} << (chunk.size_class % 64);
}

void PoolHeap::unlink_free(Chunk& chunk) noexcept {
  unlink(free_, chunk);
  if (free_[chunk.size_class] == nullptr)
    filled_[chunk.size_class / 64] &= ~(std::uint64_t{1} << (chunk.size_class % 64));
}

void PoolHeap::add_block(backend::MemoryId memory, std::uint64_t size) {
  blocks_.reserve(blocks_.size() + 1);
  auto block = std::make_unique<Block>(Block{memory, size, nullptr});
  Chunk* const whole = new_chunk();
  whole->block = block.get();
  whole->size = size;
  block->first = whole;
  blocks_.push_back(std::move(block));
  held_ += size;
  link_free(*whole);
}

std::optional<std::pair<backend::MemoryId, std::uint64_t>> PoolHeap::drop_block(std::uint64_t keep) noexcept {
  auto largest = blocks_.end();
  for (auto each = blocks_.begin(); each != blocks_.end(); ++each) {
    const Block& block = **each;
    const bool is_empty = block.first->state == State::free && block.first->right == nullptr;
    if (!is_empty || held_ - block.size < keep) continue;
    if (largest == blocks_.end() ||
        std::pair(block.size, block.memory) > std::pair((*largest)->size, (*largest)->memory))
      largest = each;
  }
  if (largest == blocks_.end()) return std::nullopt;
  const std::pair dropped((*largest)->memory, (*largest)->size);
  unlink_free(*(*largest)->first);
  forget_chunk(*(*largest)->first);
  held_ -= dropped.second;
  blocks_.erase(largest);
  return dropped;
}

std::uint64_t PoolHeap::largest_free() const noexcept {
  for (std::size_t word = filled_.size(); word-- > 0;) {
    if (filled_[word] == 0) continue;
    std::uint64_t largest = 0;
    const std::size_t top = word * 64 + static_cast<std::size_t>(std::bit_width(filled_[word])) - 1;
    for (const Chunk* chunk = free_[top]; chunk != nullptr; chunk = chunk->next)
      largest = std::max(largest, chunk->size);
    return largest;
  }
  return 0;
}

}  // namespace pintle::core
