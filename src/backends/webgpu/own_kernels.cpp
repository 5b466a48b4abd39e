#include "backends/webgpu/own_kernels.h"

#include <array>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace pintle::webgpu {
namespace {

/// Bytes of a word outside of the range keep what they are. Nothing else runs on the device's one queue meanwhile.
constexpr std::string_view text = R"wgsl(
struct MoveArguments { first: u32, size: u32, begin: i32 }
struct FillArguments { first: u32, size: u32, even: u32, odd: u32 }
struct ClampArguments { at: u32, x: u32, y: u32, z: u32 }
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> place: array<u32>;
@group(0) @binding(2) var<uniform> move_arguments: MoveArguments;
@group(0) @binding(2) var<uniform> fill_arguments: FillArguments;
@group(0) @binding(2) var<uniform> clamp_arguments: ClampArguments;

fn store(word: u32, value: u32, first: u32, size: u32) {
  let begin = word * 4u;
  let end = first + size;
  var mask = 0xffffffffu;
  if (begin < first) { mask = mask << ((first - begin) * 8u); }
  if (begin + 4u > end) { mask = mask & (0xffffffffu >> ((begin + 4u - end) * 8u)); }
  if (mask == 0xffffffffu) { place[word] = value; } else { place[word] = (place[word] & ~mask) | (value & mask); }
}

@compute @workgroup_size(256) fn move_bytes(@builtin(global_invocation_id) id: vec3<u32>) {
  let first = move_arguments.first;
  let word = first / 4u + id.x;
  if (word * 4u >= first + move_arguments.size) { return; }
  let at = i32(word * 4u) - i32(first) + move_arguments.begin;
  let index = at >> 2u;
  let shift = u32(at & 3) * 8u;
  var value = 0u;
  if (index >= 0) { value = source[index] >> shift; }
  if (shift != 0u) { value = value | (source[index + 1] << (32u - shift)); }
  store(word, value, first, move_arguments.size);
}

@compute @workgroup_size(256) fn fill_bytes(@builtin(global_invocation_id) id: vec3<u32>) {
  let first = fill_arguments.first;
  let word = first / 4u + id.x;
  if (word * 4u >= first + fill_arguments.size) { return; }
  store(word, select(fill_arguments.even, fill_arguments.odd, (word & 1u) == 1u), first, fill_arguments.size);
}

@compute @workgroup_size(1) fn clamp_grid() {
  let at = clamp_arguments.at;
  let most = vec3<u32>(clamp_arguments.x, clamp_arguments.y, clamp_arguments.z);
  var counts = min(vec3<u32>(source[at], source[at + 1u], source[at + 2u]), most);
  if (any(counts == vec3<u32>(0u))) { counts = vec3<u32>(0u); }
  place[0] = counts.x;
  place[1] = counts.y;
  place[2] = counts.z;
}
)wgsl";

constexpr std::array<std::string_view, 3> signatures{
    "move_bytes(from: read u32[], to: read_write u32[], first: u32, size: u32, begin: i32) group 256",
    "fill_bytes(to: read_write u32[], first: u32, size: u32, even: u32, odd: u32) group 256",
    "clamp_grid(from: read u32[], to: read_write u32[], at: u32, x: u32, y: u32, z: u32)"};

}  // namespace

Result<std::unique_ptr<OwnKernels>> OwnKernels::load(Context& context) {
  std::vector<Entry> entries;
  for (const std::string_view signature : signatures) {
    PINTLE_ASSIGN(entry, Entry::parse(signature));
    entries.push_back(std::move(entry));
  }
  const backend::ProgramImage image{
      .name = "pintle", .format = "wgsl", .code = base::bytes_in(text), .entries = entries, .constants = {}};
  auto kernels = std::make_unique<OwnKernels>();
  PINTLE_ASSIGN(program, Program::load(context, image));
  kernels->program_ = std::move(program);
  return kernels;
}

}  // namespace pintle::webgpu
