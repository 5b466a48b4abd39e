// Launches: each runs three ways, against an oracle of its own.
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

using Words = std::vector<std::uint32_t>;

DEVICE_TEST(Launch, SaxpyComputes) {
  test.require_bytes();
  const auto x = ramp<float>(1000, 0.f, 1.f), y = ramp<float>(1000, 500.f, -0.5f);
  std::vector<float> expected(1000);
  for (std::size_t i = 0; i < 1000; ++i) expected[i] = 2.f * x[i] + y[i];
  const std::array operands{Operand::scalar(2.f), Operand::buffer(x), Operand::buffer(y), Operand::scalar(1000u)};
  const Outputs out = three_ways(test, test.kernel("saxpy"), Grid::cover(1000), operands);
  CHECK_EQ(values_of<float>(out[2]), expected);
  CHECK_EQ(values_of<float>(out[1]), x);
}

DEVICE_TEST(Launch, CoverRoundsUpToWholeGroups) {
  test.require_bytes();
  test.require_groups();
  for (const std::uint32_t n : {1u, 63u, 64u, 65u, 129u}) {
    const std::array operands{Operand::buffer(Words(200, 1)), Operand::scalar(3u), Operand::scalar(n),
                              Operand::scalar(200u)};
    const Outputs out = three_ways(test, test.kernel("affine"), Grid::cover(n), operands);
    Words expected(200, 1);
    std::fill_n(expected.begin(), std::min(200u, (n + 63) / 64 * 64), 3 + n);
    CHECK_EQ(values_of<std::uint32_t>(out[0]), expected);
  }
}

void check_index(Context& test, const Extent& extent, std::uint32_t width, std::uint32_t height, std::uint32_t depth) {
  const std::size_t count = std::size_t{width} * height * depth;
  const std::array operands{Operand::buffer(Words(count, 0xeeeeeeee)), Operand::scalar(width), Operand::scalar(height),
                            Operand::scalar(depth)};
  const Outputs out = three_ways(test, test.kernel("fill_index"), extent, operands);
  Words expected;
  for (std::uint32_t z = 0; z < depth; ++z) {
    for (std::uint32_t y = 0; y < height; ++y) {
      for (std::uint32_t x = 0; x < width; ++x) expected.push_back((z * 1000 + y) * 1000 + x);
    }
  }
  CHECK_EQ(values_of<std::uint32_t>(out[0]), expected);
}

DEVICE_TEST(Launch, GridsOfOneDimension) {
  test.require_bytes();
  check_index(test, Grid::cover(37), 37, 1, 1);
  if (test.has_groups()) check_index(test, Grid{10}, 37, 1, 1);
}

DEVICE_TEST(Launch, GridsOfTwoDimensions) {
  test.require_bytes();
  check_index(test, Grid::cover(19, 7), 19, 7, 1);
  if (test.has_groups()) check_index(test, Grid{5, 4}, 19, 7, 1);
}

DEVICE_TEST(Launch, GridsOfThreeDimensions) {
  test.require_bytes();
  check_index(test, Grid::cover(9, 6, 5), 9, 6, 5);
  if (test.has_groups()) check_index(test, Grid{3, 3, 3}, 9, 6, 5);
}

// Where a launch has one group, that group has whatever is covered.
DEVICE_TEST(Launch, CoverIsOneGroupWhereThereIsNoOther) {
  if (test.has_groups()) test.not_applicable("a launch has several groups on this device");
  test.require_bytes();
  const std::array operands{Operand::buffer(Words(1000, 1)), Operand::scalar(3u), Operand::scalar(4u),
                            Operand::scalar(1000u)};
  const Outputs out = three_ways(test, test.kernel("affine"), Grid::cover(1000), operands);
  CHECK_EQ(values_of<std::uint32_t>(out[0]), Words(1000, 7));
  Queue queue = test.queue();
  const Kernel nothing = test.kernel("nothing");
  const std::array<std::pair<Grid, std::string_view>, 3> several{
      {{Grid{2}, "(2,1,1)"}, {Grid{1, 2}, "(1,2,1)"}, {Grid{1, 1, 2}, "(1,1,2)"}}};
  for (const auto& [grid, text] : several)
    check_error(queue.submit(CommandList{}.exec(nothing, grid)), Errc::invalid_argument, {text, "(1,1,1)"});
}

// Every group runs once, and knows its id, how many there are and their size. A Grid counts groups, not items.
DEVICE_TEST(Launch, GroupsKnowTheirPlace) {
  test.require_bytes();
  const Grid grid{4, 3, 2};
  const std::array operands{Operand::buffer(Words(24 * 9, 0))};
  const Outputs out = three_ways(test, test.kernel("record_groups"), grid, operands);
  Words expected;
  for (std::uint32_t z = 0; z < grid.z; ++z) {
    for (std::uint32_t y = 0; y < grid.y; ++y) {
      for (std::uint32_t x = 0; x < grid.x; ++x) {
        for (const std::uint32_t value : {x, y, z, grid.x, grid.y, grid.z, 3u, 2u, 1u}) expected.push_back(value);
      }
    }
  }
  CHECK_EQ(values_of<std::uint32_t>(out[0]), expected);
}

DEVICE_TEST(Launch, EveryGroupRunsOnce) {
  test.require_bytes();
  const std::array operands{Operand::buffer(Words(30 * 20 * 10, 5))};
  const Outputs out = three_ways(test, test.kernel("count_groups"), Grid{30, 20, 10}, operands);
  CHECK_EQ(values_of<std::uint32_t>(out[0]), Words(30 * 20 * 10, 6));
}

DEVICE_TEST(Launch, GroupsHaveLocalMemory) {
  test.require_bytes();
  const Words values = ramp<std::uint32_t>(1000, 1u);
  const std::array operands{Operand::buffer(values), Operand::buffer(Words(16)), Operand::scalar(1000u)};
  const Outputs out = three_ways(test, test.kernel("reduce"), Grid{16}, operands);
  Words expected(16);
  for (std::uint32_t i = 0; i < 1000; ++i) expected[i / 64] += values[i];
  CHECK_EQ(values_of<std::uint32_t>(out[1]), expected);
}

Operand bytes_of_dtype(DType dtype, std::size_t count, Operand::Kind kind) {
  Operand operand{kind, dtype, {}};
  for (std::size_t i = 0; i < count * bytes_of(dtype); ++i) operand.bytes.push_back(static_cast<std::byte>(i * 31 + 7));
  if (dtype == DType::boolean) std::ranges::fill(operand.bytes, std::byte{1});
  return operand;
}

DEVICE_TEST(Launch, ScalarsOfEveryDtypeArrive) {
  test.require_bytes();
  for (const DType dtype : all_dtypes()) {
    Operand out = bytes_of_dtype(dtype, 3, Operand::Kind::buffer);
    std::ranges::fill(out.bytes, std::byte{0});
    const Operand value = bytes_of_dtype(dtype, 1, Operand::Kind::scalar);
    const std::array operands{value, out, Operand::scalar(2u)};
    const Outputs got = three_ways(test, test.kernel("put_" + std::string(name(dtype))), Grid{1}, operands);
    std::vector<std::byte> expected(3 * value.bytes.size());
    std::ranges::copy(value.bytes, expected.begin());
    std::ranges::copy(value.bytes, expected.begin() + static_cast<std::ptrdiff_t>(value.bytes.size()));
    CHECK_EQ(got[1], expected);
  }
}

DEVICE_TEST(Launch, BuffersOfEveryDtypeArrive) {
  test.require_bytes();
  for (const DType dtype : all_dtypes()) {
    const Operand from = bytes_of_dtype(dtype, 100, Operand::Kind::buffer);
    Operand to = from;
    std::ranges::fill(to.bytes, std::byte{0});
    const std::array operands{from, to, Operand::scalar(100u)};
    const Outputs out = three_ways(test, test.kernel("copy_" + std::string(name(dtype))), Grid::cover(100), operands);
    CHECK_EQ(out[1], from.bytes);
  }
}

DEVICE_TEST(Launch, ArgumentsMayBeWindows) {
  test.require_bytes();
  Queue queue = test.queue();
  const std::uint64_t step = std::max(16u, test.info().limits.offset_alignment) / 4;
  const Buffer buffer = test.buffer(ramp<std::uint32_t>(step * 2));
  const BufferView first = need(buffer.slice(0, 4)), second = need(buffer.slice(step, 4));
  need(queue.submit(CommandList{}.exec(test.kernel("add_to"), Grid{1}, first, second, 100u, 4u)));
  CHECK_EQ(test.read<std::uint32_t>(queue, second), (Words{100, 101, 102, 103}));
}

DEVICE_TEST(Error, WrongArgumentCountIsRefused) {
  Queue queue = test.queue();
  const Kernel saxpy = test.kernel("saxpy");
  const Buffer x = test.allocate(DType::f32, 4), y = test.allocate(DType::f32, 4);
  check_error(queue.submit(CommandList{}.exec(saxpy, Grid{1}, 2.f, x, y)), Errc::invalid_argument,
              {"(3)", "(4)", "[Kernel \"conform_saxpy\"]"});
  check_error(queue.submit(CommandList{}.exec(saxpy, Grid{1}, 2.f, x, y, 4u, 4u)), Errc::invalid_argument,
              {"(5)", "(4)"});
  check_error(queue.submit(CommandList{}.exec(saxpy, Grid{1})), Errc::invalid_argument, {"(0)", "(4)"});
  check_error(queue.submit(CommandList{}.exec(test.kernel("nothing"), Grid{1}, 1u)), Errc::invalid_argument,
              {"(1)", "(0)"});
}

DEVICE_TEST(Error, WrongArgumentTypeIsRefusedByPosition) {
  Queue queue = test.queue();
  const Kernel saxpy = test.kernel("saxpy");
  const Buffer x = test.allocate(DType::f32, 4), y = test.allocate(DType::f32, 4),
               doubles = test.allocate(DType::f64, 4);
  const auto refused = [&](auto... arguments) {
    return queue.submit(CommandList{}.exec(saxpy, Grid{1}, arguments...));
  };
  const std::string kernel = "[Kernel \"conform_saxpy\"]";
  check_error(refused(2.0, x.view(), y.view(), 4u), Errc::invalid_argument, {"argument 0", "f64", "f32", kernel});
  check_error(refused(2.f, 1.f, y.view(), 4u), Errc::invalid_argument, {"argument 1", "\"x\"", kernel});
  check_error(refused(2.f, x.view(), doubles.view(), 4u), Errc::invalid_argument, {"argument 2", "f64", "f32", kernel});
  check_error(refused(2.f, x.view(), y.view(), 4), Errc::invalid_argument, {"argument 3", "i32", "u32", kernel});
  check_error(refused(2.f, x.view(), y.view(), x.view()), Errc::invalid_argument, {"argument 3", "\"n\"", kernel});
}

DEVICE_TEST(Error, GridOfZeroIsRefused) {
  Queue queue = test.queue();
  const Kernel nothing = test.kernel("nothing");
  for (const Grid& grid : {Grid{0, 1, 1}, Grid{1, 0, 1}, Grid{1, 1, 0}}) {
    check_error(queue.submit(CommandList{}.exec(nothing, grid)), Errc::invalid_argument, {"0", "at least 1"});
  }
  check_error(queue.submit(CommandList{}.exec(nothing, Grid::cover(0))), Errc::invalid_argument, {"(0,1,1)"});
  check_error(queue.submit(CommandList{}.exec(nothing, Grid::cover(5, 0))), Errc::invalid_argument, {"(5,0,1)"});
}

DEVICE_TEST(Error, GridBeyondTheLimitIsRefusedWithIt) {
  Queue queue = test.queue();
  const Kernel nothing = test.kernel("nothing");
  const Grid most = test.info().limits.max_grid;
  constexpr auto all = std::numeric_limits<std::uint32_t>::max();
  const std::array<std::pair<std::uint32_t, Grid>, 3> beyond{
      {{most.x, {most.x + 1, 1, 1}}, {most.y, {1, most.y + 1, 1}}, {most.z, {1, 1, most.z + 1}}}};
  for (const auto& [limit, grid] : beyond) {
    if (limit == all) continue;
    check_error(queue.submit(CommandList{}.exec(nothing, grid)), Errc::invalid_argument,
                {std::to_string(limit), std::to_string(limit + 1)});
  }
  if (!test.has_groups()) return;  // the one group has whatever is covered
  constexpr auto huge = std::numeric_limits<std::uint64_t>::max();
  check_error(queue.submit(CommandList{}.exec(nothing, Grid::cover(huge))), Errc::invalid_argument,
              {"18446744073709551615"});
  check_error(queue.submit(CommandList{}.exec(nothing, Grid::cover(1, 1ull << 40))), Errc::invalid_argument,
              {"1099511627776"});
}

DEVICE_TEST(Error, MisalignedArgumentIsRefusedWithTheLimit) {
  const std::uint32_t alignment = test.info().limits.offset_alignment;
  if (alignment <= 1) test.not_applicable("every offset is aligned: offset_alignment is 1");
  Queue queue = test.queue();
  const Buffer bytes = test.allocate(DType::u8, 4096);
  const BufferView odd = need(bytes.slice(alignment / 2, 64));
  check_error(queue.submit(CommandList{}.exec(test.kernel("copy_u8"), Grid{1}, odd, need(bytes.slice(2048, 64)), 64u)),
              Errc::invalid_argument, {std::to_string(alignment / 2), std::to_string(alignment), "[Buffer"});
}

DEVICE_TEST(Error, EmptyKernelIsRefused) {
  Queue queue = test.queue();
  check_error(queue.submit(CommandList{}.exec(Kernel(), Grid{1})), Errc::invalid_argument, {"empty"});
  Kernel kernel = test.kernel("nothing");
  const Kernel moved = std::move(kernel);
  check_error(queue.submit(CommandList{}.exec(kernel, Grid{1})), Errc::invalid_argument,
              {"empty"});  // NOLINT(bugprone-use-after-move)
  CHECK_EQ(kernel.entry().name, "");
  check_ok(queue.submit(CommandList{}.exec(moved, Grid{1})));
}

DEVICE_TEST(Error, KernelOfAnotherDeviceIsRefused) {
  const Device other = need(open(test.id() == "null" ? "cpu" : "null"));
  const Kernel foreign = need(other.load(need(suite_pack()), "conform_nothing"));
  Queue queue = test.queue();
  check_error(queue.submit(CommandList{}.exec(foreign, Grid{1})), Errc::invalid_argument,
              {"[Kernel \"conform_nothing\"]"});
  const Buffer buffer = test.allocate(DType::u32, 4);
  check_error(queue.submit(CommandList{}.fill(buffer, 1u).exec(foreign, Grid{1})), Errc::invalid_argument,
              {"[Kernel \"conform_nothing\"]"});
}

}  // namespace
}  // namespace pintle::conformance
