// Images that copies fill and read, in a list and in a recording, and that go while they are used.
#include <algorithm>

#include "conformance/sweep/memory.h"

namespace pintle::conformance {
namespace {

constexpr ImageExtent extent{16, 4};
constexpr std::size_t size = 64;

bool has_texel(const Device& device) {
  return std::ranges::any_of(device.info().texels,
                             [](const TexelSupport& support) { return support.texel == Texel::r32ui; });
}

}  // namespace

Result<void> images_in_turn(Run& run) {
  const Device& device = run.device();
  if (!has_texel(device)) return {};
  PINTLE_ASSIGN(queue, device.create_queue());
  PINTLE_ASSIGN(gate, run.gate());
  PINTLE_ASSIGN(buffer, device.allocate(DType::u32, {size}));
  PINTLE_ASSIGN(kept, device.create_image(extent, Texel::r32ui, {.label = "kept", .access = Access::read}));
  PINTLE_ASSIGN(recording, device.record(CommandList{}.copy(buffer, kept)));
  Words& result = run.memory(size);
  {
    PINTLE_ASSIGN(brief, device.create_image(extent, Texel::r32ui, {.label = "brief", .access = Access::read}));
    PINTLE_TRY(run.keep(queue.submit(
        CommandList{}.fill(buffer, 5u).copy(brief, buffer).fill(buffer, 6u).copy(kept, buffer, {.extent = {16, 2}}),
        {.after = {run.test().at(gate, 1)}})));
    PINTLE_TRY(
        run.keep(queue.submit(CommandList{}.copy(buffer, brief).copy(kept, buffer, {.y = 2, .extent = {16, 2}}))));
  }
  PINTLE_TRY(run.keep(queue.submit(CommandList{}.fill(buffer, 7u))));
  PINTLE_TRY(run.keep(queue.replay(recording, {})));
  PINTLE_ASSIGN(done, run.keep(queue.submit(CommandList{}.download(result, buffer))));
  PINTLE_TRY(run.test().raise(gate, 1));
  PINTLE_TRY(run.test().wait(done));
  Words expected(size, 6);
  std::ranges::fill(expected.begin() + 32, expected.end(), 5u);
  run.compare(result, expected);
  return {};
}

}  // namespace pintle::conformance
