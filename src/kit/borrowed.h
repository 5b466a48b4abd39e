// Memory of a device that a layer has allocated or imported for one launch.
#pragma once

#include <utility>

#include "pintle/backend/driver.h"

namespace pintle::kit {

/// Releases the memory at its end. `leave` keeps it for ever: the device may still use it.
class Borrowed {
 public:
  Borrowed(backend::Device& device, backend::MemoryId id) noexcept : device_(&device), id_(id) {}
  Borrowed(Borrowed&& other) noexcept
      : device_(other.device_), id_(std::exchange(other.id_, backend::MemoryId::none)) {}
  Borrowed& operator=(Borrowed&&) = delete;
  ~Borrowed() {
    if (id_ != backend::MemoryId::none) device_->release(id_);
  }
  [[nodiscard]] backend::MemoryId id() const noexcept { return id_; }
  void leave() noexcept { id_ = backend::MemoryId::none; }

 private:
  backend::Device* device_;
  backend::MemoryId id_;
};

}  // namespace pintle::kit
