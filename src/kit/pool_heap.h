// Places in blocks of device memory, in size classes. What is given back may still be in use. It knows no device and
// takes no lock.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "pintle/backend/command.h"

namespace pintle::kit {

/// Hands out chunks of blocks. A chunk that comes back waits in the list of its size class, with the stamps of its last
/// uses. The next request that may have it gets it, last in first out: nothing is merged or split while the same sizes
/// come and go. `settle` turns waiting chunks whose uses are finished into free ones, which merge with their
/// neighbours; a free chunk of a larger class is split. Sizes are whole classes, eight for each power of two, so a
/// request is rounded up by less than an eighth. `Stamps` says what the last uses are; made without arguments, that
/// there are none.
template <class Stamps>
class PoolHeap {
 public:
  /// Offsets and sizes are multiples of a granule, in bytes.
  static constexpr std::uint64_t least_granule = 256;

  struct Block;
  enum class State : std::uint8_t { used, waiting, free };

  /// A piece of a block; all pieces tile it.
  struct Chunk {
    Block* block = nullptr;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    State state = State::free;
    std::uint16_t size_class = 0;  ///< The class of its size.
    Chunk* left = nullptr;         ///< The neighbour in the block, by offset.
    Chunk* right = nullptr;
    Chunk* previous = nullptr;  ///< The neighbour in its list.
    Chunk* next = nullptr;
    Stamps stamps;  ///< A waiting chunk's last uses; for a used one, the stamps that it was taken with.
  };

  /// Memory of the device.
  struct Block {
    backend::MemoryId memory = backend::MemoryId::none;
    std::uint64_t size = 0;
    Chunk* first = nullptr;
  };

  /// `granule` is a power of two, `least_granule` or more. May throw std::bad_alloc: an empty deque takes memory.
  explicit PoolHeap(std::uint64_t granule = least_granule)
      : granule_bits_(static_cast<unsigned>(std::countr_zero(granule))) {}
  PoolHeap(const PoolHeap&) = delete;
  PoolHeap& operator=(const PoolHeap&) = delete;

  /// The size of the class that holds `size` bytes (at least 1); empty beyond 2^63.
  [[nodiscard]] std::optional<std::uint64_t> rounded(std::uint64_t size) const noexcept {
    if (size > std::uint64_t{1} << 63) return std::nullopt;
    const std::uint64_t granules = (size + granule() - 1) >> granule_bits_;
    if (granules < 2 * steps) return granules << granule_bits_;
    const auto shift = static_cast<unsigned>(std::bit_width(granules)) - 4;  // the step is 2^shift granules
    const std::uint64_t step = std::uint64_t{1} << shift;
    return ((granules + step - 1) >> shift << shift) << granule_bits_;
  }
  [[nodiscard]] std::uint64_t granule() const noexcept { return std::uint64_t{1} << granule_bits_; }

  /// A waiting chunk of exactly this class whose stamps `may_have` accepts; null when there is none.
  template <class MayHave>
  [[nodiscard]] Chunk* reuse(std::uint64_t size, MayHave may_have) {
    constexpr int most = 64;  // chunks looked at: a long list of chunks in flight costs no more than a split
    int looked = 0;
    for (Chunk* chunk = waiting_[class_of(size)]; chunk != nullptr && looked < most; chunk = chunk->next, ++looked) {
      if (may_have(chunk->stamps)) return take_waiting(*chunk);
    }
    return nullptr;
  }
  /// A free chunk, split where it is larger; null when none is large enough. May throw std::bad_alloc, and then nothing
  /// is taken.
  [[nodiscard]] Chunk* take_free(std::uint64_t size) {
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
  /// Takes back a used chunk, with its last uses.
  void give(Chunk& chunk, Stamps&& stamps) noexcept {
    chunk.stamps = std::move(stamps);
    chunk.state = State::waiting;
    link(waiting_, chunk);
    used_ -= chunk.size;
    waiting_bytes_ += chunk.size;
  }
  /// Waiting chunks whose stamps `is_finished` accepts become free and merge.
  template <class IsFinished>
  void settle(IsFinished is_finished) {
    for (Chunk*& list : waiting_) {
      for (Chunk* chunk = list; chunk != nullptr;) {
        Chunk* const next = chunk->next;
        if (is_finished(chunk->stamps)) set_free(*chunk);
        chunk = next;
      }
    }
  }
  /// Calls `visit(chunk)` for each waiting chunk until it answers false.
  template <class Visit>
  void each_waiting(Visit visit) const {
    for (const Chunk* const list : waiting_) {
      for (const Chunk* chunk = list; chunk != nullptr; chunk = chunk->next) {
        if (!visit(*chunk)) return;
      }
    }
  }

  /// New memory, wholly free; `size` is a multiple of the granule. May throw std::bad_alloc, and then nothing changes.
  void add_block(backend::MemoryId memory, std::uint64_t size) {
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
  /// Forgets the largest wholly free block, if at least `keep` bytes stay held, and returns its memory and size.
  [[nodiscard]] std::optional<std::pair<backend::MemoryId, std::uint64_t>> drop_block(std::uint64_t keep) noexcept {
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

  /// Bytes of all blocks.
  [[nodiscard]] std::uint64_t held() const noexcept { return held_; }
  /// Bytes of chunks in use, then of waiting chunks, then of the largest free chunk.
  [[nodiscard]] std::uint64_t used() const noexcept { return used_; }
  [[nodiscard]] std::uint64_t waiting() const noexcept { return waiting_bytes_; }
  [[nodiscard]] std::uint64_t largest_free() const noexcept {
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
  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_.size(); }

 private:
  static constexpr std::size_t steps = 8;  // classes for each power of two
  static constexpr std::size_t classes = 56 * steps;
  using Lists = std::array<Chunk*, classes>;

  /// Class k of the power of two 2^p covers [2^p (1 + k/8), 2^p (1 + (k+1)/8)). Below 8 granules every count of
  /// granules is a class of its own.
  [[nodiscard]] std::size_t class_of(std::uint64_t size) const noexcept {
    const std::uint64_t granules = size >> granule_bits_;
    if (granules < steps) return static_cast<std::size_t>(granules);
    const auto power = static_cast<unsigned>(std::bit_width(granules)) - 1;
    return (power - 2) * steps + static_cast<std::size_t>((granules >> (power - 3)) & (steps - 1));
  }
  [[nodiscard]] Chunk* new_chunk() {
    if (spare_.capacity() <= chunks_.size()) spare_.reserve(2 * chunks_.size() + 16);  // so that forgetting needs none
    if (spare_.empty()) return &chunks_.emplace_back();
    Chunk* const chunk = spare_.back();
    spare_.pop_back();
    *chunk = Chunk();
    return chunk;
  }
  void forget_chunk(Chunk& chunk) noexcept { spare_.push_back(&chunk); }
  [[nodiscard]] Chunk* take_waiting(Chunk& chunk) noexcept {
    unlink(waiting_, chunk);
    waiting_bytes_ -= chunk.size;
    used_ += chunk.size;
    chunk.state = State::used;
    return &chunk;
  }
  void set_free(Chunk& chunk) noexcept {
    unlink(waiting_, chunk);
    waiting_bytes_ -= chunk.size;
    chunk.stamps = Stamps();
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
  void merge_with_right(Chunk& chunk) noexcept {
    Chunk& gone = *chunk.right;
    chunk.size += gone.size;
    chunk.right = gone.right;
    if (chunk.right != nullptr) chunk.right->left = &chunk;
    forget_chunk(gone);
  }
  void link_free(Chunk& chunk) noexcept {
    chunk.state = State::free;
    chunk.size_class = static_cast<std::uint16_t>(class_of(chunk.size));
    link(free_, chunk);
    filled_[chunk.size_class / 64] |= std::uint64_t{1} << (chunk.size_class % 64);
  }
  void unlink_free(Chunk& chunk) noexcept {
    unlink(free_, chunk);
    if (free_[chunk.size_class] == nullptr)
      filled_[chunk.size_class / 64] &= ~(std::uint64_t{1} << (chunk.size_class % 64));
  }
  static void link(Lists& lists, Chunk& chunk) noexcept {
    Chunk*& first = lists[chunk.size_class];
    chunk.previous = nullptr;
    chunk.next = first;
    if (first != nullptr) first->previous = &chunk;
    first = &chunk;
  }
  static void unlink(Lists& lists, Chunk& chunk) noexcept {
    (chunk.previous != nullptr ? chunk.previous->next : lists[chunk.size_class]) = chunk.next;
    if (chunk.next != nullptr) chunk.next->previous = chunk.previous;
  }

  const unsigned granule_bits_;
  std::deque<Chunk> chunks_;  // every chunk that has ever been; the memory of one that has gone is used again
  std::vector<Chunk*> spare_;
  std::vector<std::unique_ptr<Block>> blocks_;
  Lists waiting_{};
  Lists free_{};
  std::array<std::uint64_t, classes / 64> filled_{};  // which lists of `free_` hold something
  std::uint64_t held_ = 0;
  std::uint64_t used_ = 0;
  std::uint64_t waiting_bytes_ = 0;
};

}  // namespace pintle::kit
