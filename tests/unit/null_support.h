// A null device without core above it.
#pragma once

#include <memory>
#include <vector>

#include "pintle/backend/driver.h"
#include "pintle/must.h"

namespace pintle::null {
std::unique_ptr<backend::Driver> create_driver();
}

namespace pintle::test {

inline std::unique_ptr<backend::Device> open_null(std::vector<backend::Option> options = {}) {
  return must(null::create_driver()->open(0, options));
}

}  // namespace pintle::test
