// The words that select a device among those of its backend: `opencl:pocl`, `webgpu:wgpu-llvmpipe`, `cuda:h100`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/device_name.h"
#include "pintle/info.h"

namespace pintle::base {

/// The letters of ASCII in lower case.
[[nodiscard]] std::string lower(std::string_view text);

/// "llvmpipe-llvm-15-0-6-256-bits" of "llvmpipe (LLVM 15.0.6, 256 bits)": lower-case letters and digits, with "-" for
/// whatever is between them.
[[nodiscard]] std::string device_slug(std::string_view text);

/// The devices of one backend that `word` selects: the one with exactly this name, else all whose uuid, or any word of
/// whose driver, begins with it, else all with such a word in their name. Drivers come before names since a device in
/// software has the name of its processor: `opencl:intel` is Intel's driver, not PoCL on a processor of Intel's. Where
/// none of these is so, all whose driver and name have each of several words: `webgpu:wgpu-llvmpipe`.
/// With more than one device the word is not enough.
[[nodiscard]] std::vector<std::size_t> devices_called(std::string_view word, std::span<const DeviceInfo> devices);

}  // namespace pintle::base
