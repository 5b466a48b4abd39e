// Memory of which each rank of a group has a piece of the same size, and which every rank reaches.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pintle/error.h"

namespace pintle::collective {

/// All bytes are zero at first. The caller checks ranges. Other ranks may have written any bytes here: a reader trusts
/// none of them. Thread-safe.
class Window {
 public:
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  virtual ~Window() = default;

  /// The size of each piece.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] std::byte* own() const noexcept { return pieces_[rank_]; }
  /// A rank's piece. Null where the processor does not reach the piece; then only the functions below reach it.
  [[nodiscard]] std::byte* at(std::uint32_t rank) const noexcept { return pieces_[rank]; }
  [[nodiscard]] bool is_addressable() const noexcept { return is_addressable_; }

  /// Writes bytes to a rank's piece. They are there by the next `store` to that rank or the next `flush`. The caller
  /// may reuse `from` on return.
  virtual Result<void> put(std::uint32_t rank, std::uint64_t offset, std::span<const std::byte> from);
  /// Reads bytes of a rank's piece; they are here on return.
  virtual Result<void> get(std::uint32_t rank, std::uint64_t offset, std::span<std::byte> to);
  /// Writes a word of eight bytes at once, after everything that this thread has put to that rank before.
  virtual Result<void> store(std::uint32_t rank, std::uint64_t offset, std::uint64_t value);
  /// Makes the word at least `value`, after everything that this thread has put to that rank before.
  virtual Result<void> raise(std::uint32_t rank, std::uint64_t offset, std::uint64_t value);
  /// Returns when everything put so far is there.
  virtual Result<void> flush();
  /// Lets the transport make progress, where nothing else does.
  virtual void progress() noexcept {}

  /// A word of the own piece, as other ranks store it. `offset` is a multiple of eight bytes.
  [[nodiscard]] std::atomic_ref<std::uint64_t> word(std::uint64_t offset) const noexcept {
    return word_in(own(), offset);
  }
  [[nodiscard]] static std::atomic_ref<std::uint64_t> word_in(std::byte* piece, std::uint64_t offset) noexcept {
    return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(piece + offset));
  }

 protected:
  /// `pieces[r]` is rank r's piece, null where it is out of reach. The own piece is never out of reach.
  Window(std::uint32_t rank, std::uint64_t size, std::vector<std::byte*> pieces);

 private:
  const std::uint32_t rank_;
  const std::uint64_t size_;
  const std::vector<std::byte*> pieces_;
  const bool is_addressable_;
};

}  // namespace pintle::collective
