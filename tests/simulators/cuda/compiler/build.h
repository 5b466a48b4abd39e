// From a source of kernels to a shared object for the host.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "image.h"

namespace pintle::simulator {

using Words = std::vector<std::string>;

struct BuildOptions {
  std::string standard = "c++17";
  bool contracts = true;
  Words for_clang;
};

struct Built {
  std::string log;
  bool is_right = false;
  std::vector<EntryText> entries;  ///< In the object's order.
  std::vector<std::byte> object;
};

/// `name` is the file that messages name.
[[nodiscard]] Built build(const std::string& source, const std::string& name, const BuildOptions& options);

}  // namespace pintle::simulator
