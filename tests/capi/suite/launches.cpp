// Launches: each runs as a submission, as a recording, and through slots.
#include <algorithm>
#include <limits>
#include <numeric>

#include "suite.h"

namespace csuite {
namespace {

/// An argument of a launch. Each way gets a fresh buffer with these bytes.
struct Operand {
  std::uint32_t dtype = 0;
  std::uint64_t scalar = 0;
  std::vector<std::byte> bytes{};

  static Operand of(std::uint32_t value) { return {.dtype = PINTLE_U32, .scalar = value}; }
  template <class T>
  static Operand of(std::uint32_t dtype, const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {.dtype = dtype, .bytes = {bytes.begin(), bytes.end()}};
  }
};

using Outputs = std::vector<std::vector<std::byte>>;

template <class T>
std::vector<T> values_of(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

class Launch : public Suite {
 protected:
  /// The bytes of every buffer after the launch, which are the same each way.
  Outputs three_ways(const std::string& entry, const pintle_extent& extent, const std::vector<Operand>& operands) {
    const Outputs first = one_way(operands, [&](pintle_queue queue, const std::vector<pintle_argument>& arguments) {
      submit(queue, launch(entry, extent, arguments));
    });
    const Outputs second = one_way(operands, [&](pintle_queue queue, const std::vector<pintle_argument>& arguments) {
      replay(queue, record(launch(entry, extent, arguments)));
    });
    const Outputs third = one_way(operands, [&](pintle_queue queue, const std::vector<pintle_argument>& arguments) {
      std::vector<pintle_argument> slots;
      for (std::size_t i = 0; i < arguments.size(); ++i) slots.push_back(slot(i));
      const pintle_recording recording = record(launch(entry, extent, slots));
      EXPECT_EQ(made<std::size_t>(pintle_recording_slots, recording), arguments.size());
      replay(queue, recording, arguments);
    });
    EXPECT_EQ(second, first);
    EXPECT_EQ(third, first);
    return first;
  }

 private:
  template <class Run>
  Outputs one_way(const std::vector<Operand>& operands, Run run) {
    std::vector<pintle_argument> arguments;
    std::vector<pintle_buffer> buffers;
    for (const Operand& operand : operands) {
      buffers.push_back({});
      if (operand.bytes.empty()) {
        arguments.push_back(of_scalar(operand.dtype, operand.scalar));
        continue;
      }
      buffers.back() = buffer(operand.dtype, operand.bytes.size() / bytes_of(operand.dtype));
      write(buffers.back(), operand.bytes.data(), operand.bytes.size());
      arguments.push_back(csuite::of(buffers.back()));
    }
    const pintle_queue on = queue("three ways");
    run(on, arguments);
    Outputs outputs;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      outputs.emplace_back(operands[i].bytes.size());
      if (!operands[i].bytes.empty()) read(on, buffers[i], outputs.back().data(), outputs.back().size());
    }
    return outputs;
  }
};

TEST_P(Launch, SaxpyComputes) {
  NEEDS_BYTES();
  std::vector<float> x(1000), y(1000), expected(1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    x[i] = static_cast<float>(i);
    y[i] = 500.f - 0.5f * static_cast<float>(i);
    expected[i] = 2.f * x[i] + y[i];
  }
  const Operand two{.dtype = PINTLE_F32, .scalar = 0x40000000};
  const Outputs out = three_ways("saxpy", items(1000),
                                 {two, Operand::of(PINTLE_F32, x), Operand::of(PINTLE_F32, y), Operand::of(1000)});
  EXPECT_EQ(values_of<float>(out[2]), expected);
  EXPECT_EQ(values_of<float>(out[1]), x);
}

TEST_P(Launch, ItemsAreRoundedUpToWholeGroups) {
  NEEDS_BYTES();
  for (const std::uint32_t n : {1u, 63u, 64u, 65u, 129u}) {
    const Outputs out = three_ways(
        "affine", items(n), {Operand::of(PINTLE_U32, Words(200, 1)), Operand::of(3), Operand::of(n), Operand::of(200)});
    Words expected(200, 1);
    std::fill_n(expected.begin(), std::min(200u, (n + 63) / 64 * 64), 3 + n);
    EXPECT_EQ(values_of<std::uint32_t>(out[0]), expected);
  }
}

TEST_P(Launch, GridsHaveUpToThreeDimensions) {
  NEEDS_BYTES();
  struct Row {
    pintle_extent extent;
    std::uint32_t width, height, depth;
  };
  for (const Row& row : {Row{items(37, 0, 0), 37, 1, 1}, Row{groups(10, 0, 0), 37, 1, 1}, Row{items(19, 7), 19, 7, 1},
                         Row{groups(5, 4), 19, 7, 1}, Row{items(9, 6, 5), 9, 6, 5}, Row{groups(3, 3, 3), 9, 6, 5}}) {
    const Words filled(std::size_t{row.width} * row.height * row.depth, 0xeeeeeeee);
    const Outputs out = three_ways(
        "fill_index", row.extent,
        {Operand::of(PINTLE_U32, filled), Operand::of(row.width), Operand::of(row.height), Operand::of(row.depth)});
    Words expected;
    for (std::uint32_t z = 0; z < row.depth; ++z) {
      for (std::uint32_t y = 0; y < row.height; ++y) {
        for (std::uint32_t x = 0; x < row.width; ++x) expected.push_back((z * 1000 + y) * 1000 + x);
      }
    }
    EXPECT_EQ(values_of<std::uint32_t>(out[0]), expected);
  }
}

// A grid counts groups, not items, and each group knows its place.
TEST_P(Launch, GroupsKnowTheirPlaceAndRunOnce) {
  NEEDS_BYTES();
  const Outputs places = three_ways("record_groups", groups(4, 3, 2), {Operand::of(PINTLE_U32, Words(24 * 9, 0))});
  Words expected;
  for (std::uint32_t z = 0; z < 2; ++z) {
    for (std::uint32_t y = 0; y < 3; ++y) {
      for (std::uint32_t x = 0; x < 4; ++x) {
        for (const std::uint32_t value : {x, y, z, 4u, 3u, 2u, 3u, 2u, 1u}) expected.push_back(value);
      }
    }
  }
  EXPECT_EQ(values_of<std::uint32_t>(places[0]), expected);
  const Outputs counts = three_ways("count_groups", groups(30, 20, 10), {Operand::of(PINTLE_U32, Words(6000, 5))});
  EXPECT_EQ(values_of<std::uint32_t>(counts[0]), Words(6000, 6));
}

TEST_P(Launch, GroupsHaveLocalMemory) {
  NEEDS_BYTES();
  Words values(1000), expected(16);
  std::iota(values.begin(), values.end(), 1u);
  for (std::size_t i = 0; i < 1000; ++i) expected[i / 64] += values[i];
  const Outputs out = three_ways(
      "reduce", groups(16), {Operand::of(PINTLE_U32, values), Operand::of(PINTLE_U32, Words(16)), Operand::of(1000)});
  EXPECT_EQ(values_of<std::uint32_t>(out[1]), expected);
}

/// The name of a dtype, as those of the kernels end.
std::string name_of(std::uint32_t dtype) { return made<const char*>(pintle_dtype_name, dtype); }

TEST_P(Launch, ScalarsOfEveryDtypeArrive) {
  NEEDS_BYTES();
  for (std::uint32_t dtype = PINTLE_BOOL; dtype <= PINTLE_COMPLEX64; ++dtype) {
    const std::uint64_t bits = dtype == PINTLE_BOOL ? 1 : 0x473c41263b2d1c07;
    const std::size_t size = bytes_of(dtype);
    const Operand out{.dtype = dtype, .bytes = std::vector<std::byte>(3 * size)};
    const Outputs got =
        three_ways("put_" + name_of(dtype), groups(1), {{.dtype = dtype, .scalar = bits}, out, Operand::of(2)});
    std::vector<std::byte> expected(3 * size);
    for (const std::size_t place : {std::size_t{0}, size}) std::memcpy(expected.data() + place, &bits, size);
    EXPECT_EQ(got[1], expected) << name_of(dtype);
  }
}

TEST_P(Launch, BuffersOfEveryDtypeArrive) {
  NEEDS_BYTES();
  for (std::uint32_t dtype = PINTLE_BOOL; dtype <= PINTLE_COMPLEX64; ++dtype) {
    Operand from{.dtype = dtype, .bytes = std::vector<std::byte>(100 * bytes_of(dtype), std::byte{1})};
    const Operand to{.dtype = dtype, .bytes = std::vector<std::byte>(from.bytes.size())};
    for (std::size_t i = 0; i < from.bytes.size() && dtype != PINTLE_BOOL; ++i)
      from.bytes[i] = static_cast<std::byte>(i * 31 + 7);
    const Outputs out = three_ways("copy_" + name_of(dtype), items(100), {from, to, Operand::of(100)});
    EXPECT_EQ(out[1], from.bytes) << name_of(dtype);
  }
}

TEST_P(Launch, ArgumentsMayBeWindows) {
  NEEDS_BYTES();
  const std::uint64_t step = std::max(16u, on().offset_alignment);
  Words values(step / 2);
  std::iota(values.begin(), values.end(), 0u);
  const pintle_buffer whole = buffer(values);
  const pintle_queue queue = this->queue();
  const auto to = part_of(whole, step, 16);
  submit(queue, launch("add_to", groups(1), {of(part_of(whole, 0, 16)), of(to), of(100u), of(4u)}));
  for (std::uint32_t i = 0; i < 4; ++i) values[step / 4 + i] = 100 + i;
  EXPECT_EQ(words(queue, whole, values.size()), values);
}

TEST_P(Launch, WrongArgumentsAreRefusedByPosition) {
  const pintle_buffer x = buffer(PINTLE_F32, 4), y = buffer(PINTLE_F32, 4), doubles = buffer(PINTLE_F64, 4);
  const pintle_extent one = groups(1);
  const auto check = [&](std::initializer_list<std::string_view> words, const std::vector<pintle_argument>& arguments) {
    refused(PINTLE_INVALID_ARGUMENT, words, pintle_list_launch, list(), kernel("saxpy"), &one, arguments.data(),
            arguments.size());
  };
  check({"(3)", "(4)", "[Kernel \"conform_saxpy\"]"}, {of(2.f), of(x), of(y)});
  check({"(5)", "(4)"}, {of(2.f), of(x), of(y), of(4u), of(4u)});
  check({"argument 0", "f64", "f32"}, {of_scalar(PINTLE_F64, 0), of(x), of(y), of(4u)});
  check({"argument 1", "\"x\""}, {of(2.f), of(1.f), of(y), of(4u)});
  check({"argument 2", "f64", "f32"}, {of(2.f), of(x), of(doubles), of(4u)});
  check({"argument 3", "i32", "u32"}, {of(2.f), of(x), of(y), of(std::int32_t{4})});
}

TEST_P(Launch, GridsBeyondTheLimitsAreRefusedWithThem) {
  auto info = sized<pintle_device_info>();
  ok(pintle_device_get_info, device(), &info);
  const auto check = [&](std::initializer_list<std::string_view> words, const pintle_extent& extent) {
    refused(PINTLE_INVALID_ARGUMENT, words, pintle_list_launch, list(), kernel("nothing"), &extent, nullptr,
            std::size_t{0});
  };
  check({"0", "at least 1"}, groups(0));
  check({"(0,1,1)"}, items(0));
  check({"18446744073709551615"}, items(std::numeric_limits<std::uint64_t>::max()));
  check({"4294967296"}, groups(std::uint64_t{1} << 32));
}

TEST_P(Launch, MisalignedArgumentsAreRefusedWithTheLimit) {
  const std::uint32_t alignment = on().offset_alignment;
  const std::uint32_t offset = std::max(alignment / 2, 1u);
  const pintle_buffer bytes = buffer(PINTLE_U8, 4096);
  const std::vector<pintle_argument> arguments{of(part_of(bytes, offset, 64)), of(part_of(bytes, 2048, 64)), of(64u)};
  const pintle_extent one = groups(1);
  if (alignment <= 1) return finish(submit(queue(), launch("copy_u8", one, arguments)));  // every offset is aligned
  refused(PINTLE_INVALID_ARGUMENT, {std::to_string(offset), std::to_string(alignment)}, pintle_list_launch, list(),
          kernel("copy_u8"), &one, arguments.data(), arguments.size());
}

TEST_P(Launch, KernelsOfAnotherDeviceAreRefused) {
  OpenDevice& other = open_device(GetParam() == "null" ? "cpu" : "null");
  const auto foreign =
      keep(made<pintle_kernel>(pintle_program_kernel, other.program, "conform_nothing"), &pintle_kernel_release);
  const pintle_extent one = groups(1);
  const pintle_list with_it = list();
  ok(pintle_list_launch, with_it, foreign, &one, nullptr, std::size_t{0});
  refused(PINTLE_INVALID_ARGUMENT, {"[Kernel \"conform_nothing\"]"}, pintle_queue_submit, queue(), with_it, nullptr,
          nullptr);
  refused(PINTLE_INVALID_ARGUMENT, {}, pintle_list_launch, list(), pintle_kernel{}, &one, nullptr, std::size_t{0});
}

INSTANTIATE_TEST_SUITE_P(C, Launch, testing::ValuesIn(device_ids()), suffix);

}  // namespace
}  // namespace csuite
