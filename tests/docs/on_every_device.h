// Runs a program of the documentation on every device here that compiles source.
#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "pintle/pintle.h"

inline bool takes_source(const pintle::DeviceInfo& info) {
  constexpr std::array<std::string_view, 3> sources{"c", "opencl_c", "glsl"};
  return info.kind != pintle::DeviceKind::simulated &&
         std::ranges::find_first_of(info.formats, sources) != info.formats.end();
}

/// `program(id)` answers 0 where its result is right.
inline int on_every_device(int (*program)(const char* id)) try {
  int wrong = 0;
  const pintle::DeviceList all = pintle::must(pintle::devices());
  for (const pintle::DeviceInfo& info : all.devices) {
    if (!takes_source(info)) continue;
    const int status = program(info.id.c_str());
    std::printf("%s: %d\n", info.id.c_str(), status);
    wrong += status != 0;
  }
  return wrong;
} catch (const pintle::Exception& error) {
  return std::puts(error.what()), 1;
}
