// A user's handle to a part of a device.
#pragma once

#include <memory>
#include <utility>

#include "core/life/life.h"

namespace pintle::core {

/// A pointer to the part that shares a lease on the device. When the last copy goes, `gone(part)` is called, and the
/// lease is let go after it.
template <class Part, class Gone>
[[nodiscard]] std::shared_ptr<Part> make_handle(const Life& life, std::shared_ptr<Part> part, Gone gone) {
  struct Handle {
    std::shared_ptr<void> lease;
    std::shared_ptr<Part> part;
    Gone gone;
    Handle(std::shared_ptr<void> held, std::shared_ptr<Part> kept, Gone then) noexcept
        : lease(std::move(held)), part(std::move(kept)), gone(std::move(then)) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() { gone(part); }
  };
  Part* const pointer = part.get();
  return {std::make_shared<Handle>(life.lease(), std::move(part), std::move(gone)), pointer};
}

}  // namespace pintle::core
