// Adapters as core lists them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backends/webgpu/api.h"
#include "kit/found_devices.h"
#include "pintle/info.h"

namespace pintle::webgpu {

/// Submissions of a queue that may be unfinished.
inline constexpr std::uint32_t max_in_flight = 64;
/// Bytes of the scalars of a kernel.
inline constexpr std::uint32_t most_scalar_bytes = 4096;

/// What an adapter can do, and what is asked of its device.
struct Abilities {
  wg::Limits limits;
  std::vector<wg::Feature> features;  ///< Those that the adapter has and that are used here.
  bool computes_on_host = false;      ///< Its memory is the host's.
  std::uint32_t push_bytes = 0;       ///< Bytes of immediates; 0: there are none.
  std::uint32_t min_subgroup = 1;     ///< The implementation chooses the items of a subgroup from here
  std::uint32_t max_subgroup = 1;     ///< to here.

  [[nodiscard]] bool has(wg::Feature feature) const noexcept;
};

struct FoundDevice {
  const Implementation* implementation = nullptr;
  std::uint32_t index = 0;  ///< The adapter's place in its library's list.
  Abilities abilities;
  DeviceInfo info;
};

using FoundDevices = kit::Found<FoundDevice>;

/// Every adapter of every library that computes; libraries in their order. Makes no device.
[[nodiscard]] FoundDevices find_devices();
/// An adapter again: some serve one device only.
[[nodiscard]] Result<Owned<wg::Adapter>> adapter_of(const Implementation& implementation, std::uint32_t index);

/// Whether the machine has a program that makes SPIR-V of GLSL. Looked for once.
[[nodiscard]] bool can_compile_glsl();

}  // namespace pintle::webgpu
