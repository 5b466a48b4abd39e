// Handles that end with the object that has made them.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "capi/enter.h"
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
  /// The handle of what `create` answers. It has its place before, so that nothing fails after `create` has succeeded,
  /// and no handle finds the object before it is made.
  template <class Create>
  [[nodiscard]] Result<Handle> add_created(Create create) {
    Creation<Create> creation(create);
    PINTLE_ASSIGN(handle, add(creation));
    if (!creation.failure()) return handle;
    end(handle);
    return *creation.failure();
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
  using Object = typename Kind<Handle>::Object;

  /// Becomes the object in its place: an empty one where `create` fails.
  template <class Create>
  class Creation {
   public:
    explicit Creation(Create& create) noexcept : create_(create) {}

    operator Object() noexcept {  // NOLINT(google-explicit-constructor)
      try {
        auto created = create_();
        if (created) return *std::move(created);
        failure_ = created.error();
      } catch (...) {
        failure_ = caught();
      }
      return Object();
    }
    [[nodiscard]] const std::optional<Error>& failure() const noexcept { return failure_; }

   private:
    Create& create_;
    std::optional<Error> failure_;
  };

  std::vector<Handle> handles_;
};

}  // namespace pintle::capi
