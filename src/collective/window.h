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

/// Zero at first. Ranges are the caller's to check. What others have written here may be anything: a neighbour is not
/// trusted with more than bytes. Thread-safe.
class Window {
 public:
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  virtual ~Window() = default;

  /// The size of each piece.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] std::byte* own() const noexcept { return pieces_[rank_]; }
  /// A rank's piece; null where the processor does not reach it, and then the functions below are the only way.
  [[nodiscard]] std::byte* at(std::uint32_t rank) const noexcept { return pieces_[rank]; }
  [[nodiscard]] bool is_addressable() const noexcept { return is_addressable_; }

  /// Bytes into a rank's piece; there by the next `store` to that rank or `flush`. `from` is free on return.
  virtual Result<void> put(std::uint32_t rank, std::uint64_t offset, std::span<const std::byte> from);
  /// Bytes of a rank's piece, here on return.
  virtual Result<void> get(std::uint32_t rank, std::uint64_t offset, std::span<std::byte> to);
  /// A word of eight bytes, whole, after all that this thread has put to that rank before.
  virtual Result<void> store(std::uint32_t rank, std::uint64_t offset, std::uint64_t value);
  /// The word is `value` at least, after all that this thread has put to that rank before.
  virtual Result<void> raise(std::uint32_t rank, std::uint64_t offset, std::uint64_t value);
  /// Returns when everything put so far is there.
  virtual Result<void> flush();
  /// Lets the transport work, where nobody else does.
  virtual void progress() noexcept {}

  /// A word of the own piece, as others store it. Aligned to eight bytes.
  [[nodiscard]] std::atomic_ref<std::uint64_t> word(std::uint64_t offset) const noexcept {
    return word_in(own(), offset);
  }
  [[nodiscard]] static std::atomic_ref<std::uint64_t> word_in(std::byte* piece, std::uint64_t offset) noexcept {
    return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(piece + offset));
  }

 protected:
  /// `pieces[r]` is rank r's, null where it is out of reach; the own one never is.
  Window(std::uint32_t rank, std::uint64_t size, std::vector<std::byte*> pieces);

 private:
  const std::uint32_t rank_;
  const std::uint64_t size_;
  const std::vector<std::byte*> pieces_;
  const bool is_addressable_;
};

}  // namespace pintle::collective
