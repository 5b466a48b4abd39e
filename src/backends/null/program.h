// Programs without code.
#pragma once

#include <atomic>
#include <cstdint>

#include "pintle/backend/driver.h"

namespace pintle::null {

/// Thread-safe. There is nothing to compile, to find or to free: core keeps names and entries itself.
class ProgramTable {
 public:
  backend::ProgramId load(const backend::ProgramImage& image) noexcept;
  void unload(backend::ProgramId program) noexcept;

 private:
  std::atomic<std::uint64_t> last_id_{0};
};

}  // namespace pintle::null
