// What a run-time compiler is given: CUDA's, and others that are called as it is.
#pragma once

#include <string>
#include <vector>

namespace pintle::vendor::cuda {

/// A text for the compiler, and how it is compiled.
struct CompilerInput {
  std::string text;
  std::string file;  ///< For messages: "blur.cu".
  std::vector<std::string> options;
};

}  // namespace pintle::vendor::cuda
