// Handles that end with the object that has made them.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "capi/objects.h"

namespace pintle::capi {

/// One thread at a time.
template <class Handle>
class OwnedHandles {
 public:
  OwnedHandles() noexcept = default;
  OwnedHandles(const OwnedHandles&) = delete;
  OwnedHandles& operator=(const OwnedHandles&) = delete;
  ~OwnedHandles() {
    for (const Handle& handle : handles_) (void)Kind<Handle>::table.release(handle.id);
  }

  /// The handle of an object that is made of the parts.
  template <class... Parts>
  [[nodiscard]] Result<Handle> add(Parts&&... parts) {
    handles_.emplace_back();
    if (auto made = make(&handles_.back(), std::forward<Parts>(parts)...); !made) {
      handles_.pop_back();
      return made.error();
    }
    return handles_.back();
  }
  /// The handle of what `create` answers. It is there before, so that nothing fails after `create` has succeeded.
  template <class Create>
  [[nodiscard]] Result<Handle> add_created(Create create) {
    PINTLE_ASSIGN(handle, add(typename Kind<Handle>::Object()));
    auto created = create();
    if (!created) {
      end(handle);
      return created.error();
    }
    *Kind<Handle>::table.find(handle.id) = *std::move(created);
    return handle;
  }

  /// Ends a handle, if it is one of these.
  void end(Handle ended) noexcept {
    const auto is_it = [&](const Handle& handle) { return handle.id == ended.id; };
    if (std::erase_if(handles_, is_it) != 0) (void)Kind<Handle>::table.release(ended.id);
  }
  /// Gives all of them to the caller, in their order.
  void give(Handle* out) noexcept {
    std::copy(handles_.begin(), handles_.end(), out);
    handles_.clear();
  }

 private:
  std::vector<Handle> handles_;
};

}  // namespace pintle::capi
