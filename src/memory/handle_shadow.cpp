#include "memory/handle_shadow.h"

#include <utility>

namespace pintle::memory {

// operator new aligns for every element type, which make_shared of bytes does not.
HostBytes allocate_host(std::uint64_t size) { return HostBytes(new std::byte[size]); }

bool HandleShadow::look() {
  if (!coming_) return true;
  const auto reached = coming_->point.is_reached();
  if (reached && !*reached) return false;
  if (reached) {
    spare_ = std::exchange(is_last_lent_, false) ? nullptr : std::move(last_);
    last_ = std::move(coming_->bytes);
  }
  coming_.reset();
  return true;
}

Result<void> HandleShadow::settle(Deadline deadline) {
  if (look()) return {};
  const auto waited = coming_->point.wait(deadline - Clock::now());
  if (look()) return {};
  return waited;
}

HostBytes HandleShadow::memory(std::uint64_t size) {
  return spare_ != nullptr ? std::exchange(spare_, nullptr) : allocate_host(size);
}

void HandleShadow::expect(HostBytes bytes, Point point) noexcept { coming_ = {std::move(bytes), std::move(point)}; }

bool HandleShadow::is_there() {
  look();
  return last_ != nullptr;
}

HostBytes HandleShadow::last() noexcept {
  is_last_lent_ = last_ != nullptr;
  return last_;
}

}  // namespace pintle::memory
