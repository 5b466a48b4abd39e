// Memory of a backend that has no owner yet.
#pragma once

#include <utility>

#include "core/life/life.h"
#include "pintle/backend/command.h"

namespace pintle::core {

/// Gives the memory back, unless somebody has taken it. The caller holds no lock.
class Unowned {
 public:
  Unowned(Life& life, backend::MemoryId memory) noexcept : life_(life), memory_(memory) {}
  Unowned(const Unowned&) = delete;
  Unowned& operator=(const Unowned&) = delete;
  ~Unowned() {
    if (memory_ != backend::MemoryId::none && !life_.is_lost()) life_.device().release(memory_);
  }
  [[nodiscard]] backend::MemoryId take() noexcept { return std::exchange(memory_, backend::MemoryId::none); }

 private:
  Life& life_;
  backend::MemoryId memory_;
};

}  // namespace pintle::core
