// Handles that are counted.
#pragma once

#include <utility>

namespace pintle::kit {

/// A counted handle; a default one is none. `Count` has `retain` and `release`, which are never called for none.
template <class Handle, class Count>
class Counted {
 public:
  Counted() noexcept = default;
  /// Takes over a reference.
  explicit Counted(Handle handle) noexcept : handle_(handle) {}
  Counted(const Counted& other) noexcept : handle_(other.handle_) {
    if (handle_ != nullptr) Count::retain(handle_);
  }
  Counted(Counted&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Counted& operator=(Counted other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Counted() {
    if (handle_ != nullptr) Count::release(handle_);
  }

  [[nodiscard]] Handle get() const noexcept { return handle_; }

 private:
  Handle handle_ = nullptr;
};

}  // namespace pintle::kit
