// What every example begins and ends with.
#pragma once

#include <cstdio>

#include "pintle/pintle.h"

/// Where the build has packed the example's kernels (example.cmake).
extern const char* const example_pack;

namespace example {

/// The example's kernels.
inline pintle::ProgramPack pack() { return pintle::must(pintle::ProgramPack::open(example_pack)); }

/// The device that the first argument names, else the best that takes the kernels.
inline pintle::Device device(int count, char** arguments, const pintle::ProgramPack& pack) {
  return pintle::must(pintle::open(count > 1 ? arguments[1] : "best", pack));
}

/// Prints one line, and answers the exit code.
inline int verdict(const pintle::Device& device, const char* what, bool is_right) {
  std::printf("%s: %s is %s\n", device.info().name.c_str(), what, is_right ? "right" : "wrong");
  return is_right ? 0 : 1;
}

/// `body` with its errors as words.
template <class Body>
int run(Body body) try {
  return body();
} catch (const pintle::Exception& error) {
  return std::puts(error.what()), 1;
}

}  // namespace example
