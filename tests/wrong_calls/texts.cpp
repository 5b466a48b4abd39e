#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "calls.h"

namespace pintle::wrong_calls {
namespace {

constexpr std::string_view signature = "add(from: read u32[], to: read_write u32[], n: u32) group side=32";

constexpr std::string_view wgsl = R"(
struct Scalars { n: u32 }
@group(0) @binding(0) var<storage, read> from: array<u32>;
@group(0) @binding(1) var<storage, read_write> to: array<u32>;
@group(0) @binding(2) var<uniform> scalars: Scalars;
override side: u32 = 32;
@compute @workgroup_size(side) fn add(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < scalars.n) { to[id.x] += from[id.x]; }
}
)";

constexpr std::string_view opencl_c = R"(
kernel void add(global const uint* from, global uint* to, uint n) {
  if (get_global_id(0) < n) to[get_global_id(0)] += from[get_global_id(0)];
}
)";

/// Characters that may mean something where they come to stand.
constexpr std::string_view letters = "{}()<>[];:,@*&=-+.0129azu_ \n\"/%";

std::string changed(std::string_view text, Random& random) {
  std::string made(text);
  for (std::uint32_t left = random.from_to(0, 4); left != 0; --left) {
    const std::size_t at = random.below(made.size());
    switch (random.below(4)) {
      case 0: made.erase(at, random.from_to(1, 12)); break;
      case 1: made.insert(at, 1, letters[random.below(letters.size())]); break;
      case 2: made.insert(at, made.substr(random.below(made.size()), random.from_to(1, 40))); break;
      default: made[at] = letters[random.below(letters.size())];
    }
    if (made.empty()) made = "x";
  }
  return made;
}

}  // namespace

std::optional<ProgramPack> broken_text(const DeviceInfo& device, Random& random) {
  // The drivers of OpenCL compile in the process: what breaks them is not ours.
  const bool takes_wgsl = std::ranges::find(device.formats, "wgsl") != device.formats.end();
  if (!takes_wgsl && device.backend != "cpu") return std::nullopt;
  const std::array signatures{signature};
  auto pack = ProgramPack::source(takes_wgsl ? "wgsl" : "opencl_c", changed(takes_wgsl ? wgsl : opencl_c, random),
                                  signatures, "broken");
  if (!pack) return std::nullopt;
  return *std::move(pack);
}

}  // namespace pintle::wrong_calls
