// Launches whose grid the device reads from memory.
#include <algorithm>
#include <array>

#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

using Words = std::vector<std::uint32_t>;

DEVICE_TEST(Indirect, IsHonest) {
  Queue queue = test.queue();
  const Buffer grid = test.allocate(DType::u32, 3);
  const auto point = queue.submit(CommandList{}.exec_indirect(test.kernel("nothing"), grid, Grid{1}));
  if (!test.has(Feature::indirect)) {
    check_error(point, Errc::unsupported, {"indirect", test.info().capability(Feature::indirect).detail});
  } else {
    check_ok(point);
  }
}

Words groups_run(Context& test, const Words& grid, Grid most) {
  Queue queue = test.queue();
  const Buffer at = test.buffer(grid), out = test.buffer(Words(64, 0));
  need(queue.submit(CommandList{}.exec_indirect(test.kernel("count_groups"), at, most, out)));
  return test.read<std::uint32_t>(queue, out);
}

Words ones(std::size_t count) {
  Words words(64, 0);
  std::fill_n(words.begin(), count, 1u);
  return words;
}

DEVICE_TEST(Indirect, GridComesFromMemory) {
  test.require(Feature::indirect);
  test.require_bytes();
  CHECK_EQ(groups_run(test, {4, 3, 2}, {8, 8, 1}), ones(12));  // the third count is clamped to 1
  CHECK_EQ(groups_run(test, {4, 3, 2}, {4, 4, 4}), ones(24));
}

DEVICE_TEST(Indirect, CountsAreClamped) {
  test.require(Feature::indirect);
  test.require_bytes();
  CHECK_EQ(groups_run(test, {0xffffffff, 0xffffffff, 0xffffffff}, {3, 2, 1}), ones(6));
}

DEVICE_TEST(Indirect, ZeroRunsNothing) {
  test.require(Feature::indirect);
  test.require_bytes();
  CHECK_EQ(groups_run(test, {0, 1, 1}, {8, 8, 1}), ones(0));
  CHECK_EQ(groups_run(test, {1, 1, 0}, {8, 8, 1}), ones(0));
}

// The grid may be computed by the list itself, one command before.
DEVICE_TEST(Indirect, GridIsReadWhenTheCommandRuns) {
  test.require(Feature::indirect);
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer grid = test.buffer(Words{1, 1, 1}), out = test.buffer(Words(64, 0));
  need(queue.submit(CommandList{}
                        .exec(test.kernel("put_u32"), Grid{1}, 5u, grid, 1u)
                        .exec_indirect(test.kernel("count_groups"), grid, Grid{64}, out)
                        .fill(grid, 9u)));
  CHECK_EQ(test.read<std::uint32_t>(queue, out), ones(5));
}

DEVICE_TEST(Indirect, WorksInRecordingsAndSlots) {
  test.require(Feature::indirect);
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer three = test.buffer(Words{3, 1, 1}), seven = test.buffer(Words{7, 1, 1});
  const Buffer out = test.buffer(Words(64, 0));
  const Recording recording = need(test.device().record(
      CommandList{}.fill(out, 0u).exec_indirect(test.kernel("count_groups"), Slot{0}, Grid{64}, out)));
  need(queue.replay(recording, {three}));
  CHECK_EQ(test.read<std::uint32_t>(queue, out), ones(3));
  need(queue.replay(recording, {seven}));
  CHECK_EQ(test.read<std::uint32_t>(queue, out), ones(7));
}

DEVICE_TEST(Indirect, WrongGridWindowsAreRefused) {
  test.require(Feature::indirect);
  Queue queue = test.queue();
  const Kernel nothing = test.kernel("nothing");
  const Buffer words = test.allocate(DType::u32, 8), floats = test.allocate(DType::f32, 3),
               bytes = test.allocate(DType::u8, 64);
  check_error(queue.submit(CommandList{}.exec_indirect(nothing, need(words.slice(0, 2)), Grid{1})),
              Errc::invalid_argument, {"8", "12"});
  check_error(queue.submit(CommandList{}.exec_indirect(nothing, words, Grid{1})), Errc::invalid_argument, {"32", "12"});
  check_error(queue.submit(CommandList{}.exec_indirect(nothing, floats, Grid{1})), Errc::invalid_argument,
              {"f32", "u32"});
  check_error(queue.submit(CommandList{}.exec_indirect(nothing, need(bytes.slice(1, 12)), Grid{1})),
              Errc::invalid_argument);
  check_error(queue.submit(CommandList{}.exec_indirect(nothing, need(words.slice(0, 3)), Grid{0, 1, 1})),
              Errc::invalid_argument, {"0"});
}

}  // namespace
}  // namespace pintle::conformance
