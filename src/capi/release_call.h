// Functions of the caller's that say that something is used no more.
#pragma once

namespace pintle::capi {

/// Calls a function of C's when its last owner lets go of it, once it is armed: a call that fails before has called
/// nothing.
class ReleaseCall {
 public:
  ReleaseCall() noexcept = default;
  ReleaseCall(const ReleaseCall&) = delete;
  ReleaseCall& operator=(const ReleaseCall&) = delete;
  ~ReleaseCall() {
    if (released_ != nullptr) released_(data_);
  }
  void arm(void (*released)(void* data), void* data) noexcept {
    released_ = released;
    data_ = data;
  }

 private:
  void (*released_)(void* data) = nullptr;
  void* data_ = nullptr;
};

}  // namespace pintle::capi
