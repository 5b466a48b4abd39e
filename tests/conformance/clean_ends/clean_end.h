// What the programs here share. Each is started with a device id and must end with exit code 0, under every sanitizer.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <vector>

#include "pintle/pintle.h"

namespace clean_end {

/// Ends the process at once, so that a failed expectation is not hidden by a hang afterwards.
inline void expect(bool holds, std::source_location where = std::source_location::current()) {
  if (holds) return;
  std::fprintf(stderr, "%s:%u: the expectation does not hold\n", where.file_name(),
               static_cast<unsigned>(where.line()));
  std::_Exit(1);
}

template <class T>
T value(pintle::Result<T> result, std::source_location where = std::source_location::current()) {
  if (!result) std::fprintf(stderr, "%s\n", result.error().text().c_str());
  expect(result.has_value(), where);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

inline const char* device_id(int count, char** arguments) { return count > 1 ? arguments[1] : "cpu"; }

inline bool executes(const pintle::Device& device) {
  return device.info().capability(pintle::Feature::execution).support != pintle::Support::absent;
}

}  // namespace clean_end
