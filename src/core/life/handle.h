// A user's handle to a part of a device.
#pragma once

#include <memory>
#include <utility>

#include "core/life/life.h"

namespace pintle::core {

/// A pointer to the part that shares a lease on the device. When the last copy goes, `gone(part)` is called, and the
/// lease is let go after it; also where there is no memory for the handle.
template <class Part, class Gone>
[[nodiscard]] std::shared_ptr<Part> make_handle(const Life& life, std::shared_ptr<Part> part, Gone gone) {
  Part* const pointer = part.get();
  return {pointer, [lease = life.lease(), part = std::move(part), gone = std::move(gone)](Part*) mutable {
            gone(part);
            part.reset();
            lease.reset();
          }};
}

}  // namespace pintle::core
