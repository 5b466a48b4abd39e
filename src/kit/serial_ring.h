// Objects by serials that rise by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace pintle::kit {

/// A ring. The object of a serial lies at the serial mod the size, a power of two, so the serials in use follow
/// one another, and are not more than the size. A place that is used again has what was left there: an object with
/// vectors keeps their memory, and a user that has found its size allocates nothing.
template <class T>
class SerialRing {
 public:
  /// `size` is a power of two.
  explicit SerialRing(std::size_t size) : places_(std::make_unique<T[]>(size)), mask_(size - 1) {}

  [[nodiscard]] T& operator[](std::uint64_t serial) noexcept { return places_[serial & mask_]; }
  [[nodiscard]] std::size_t size() const noexcept { return mask_ + 1; }

  /// Makes room for `count` objects behind `last`, where those up to `before` are over. The others may move.
  void make_room(std::uint64_t before, std::uint64_t last, std::size_t count) {
    std::size_t needed = size();
    while (needed < last - before + count) needed *= 2;
    if (needed == size()) return;
    SerialRing larger(needed);
    for (std::uint64_t serial = before; serial++ != last;) larger[serial] = std::move((*this)[serial]);
    *this = std::move(larger);
  }

 private:
  std::unique_ptr<T[]> places_;
  std::size_t mask_;
};

}  // namespace pintle::kit
