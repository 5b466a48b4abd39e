// The pjrt backend through the seam: what the conformance suite does not reach.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "pjrt_support.h"

namespace pintle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Floats = std::vector<float>;
using Words = std::vector<std::uint32_t>;

class PjrtDriverTest : public PjrtTest {
 protected:
  /// As `each`, on XLA's own plug-in alone. A skip where it is not among the plug-ins.
  template <class Body>
  void on_xla_cpu(Body body) {
    bool is_here = false;
    each([&](PjrtRig& rig) {
      if (!rig.device->info().driver.starts_with("xla_cpu_pjrt,")) return;
      is_here = true;
      body(rig);
    });
    if (!is_here) GTEST_SKIP() << "PINTLE_PJRT_PLUGINS does not name xla_cpu_pjrt";
  }
};

constexpr std::string_view kernels = R"(
!x = tensor<?xf32>
!words = tensor<?xui32>
func.func @increment(%x: !x, %by: tensor<f32>) -> !x {
  %all = stablehlo.broadcast_in_dim %by, dims = [] : (tensor<f32>) -> !x
  %sum = stablehlo.add %x, %all : !x
  return %sum : !x
}
func.func @count(%words: !words) -> !words {
  %one = stablehlo.constant dense<1> : !words
  %sum = stablehlo.add %words, %one : !words
  return %sum : !words
}
)";
constexpr const char* increment = "increment(x: read_write f32[], by: f32)";
constexpr const char* count = "count(words: read_write u32[])";

backend::Argument read_write(backend::Range range) {
  backend::Argument argument = buffer_argument(range);
  argument.access = Access::read_write;
  return argument;
}

List increment_of(backend::ProgramId program, backend::Range range, float by) {
  return launch(program, 0, {1, 1, 1}, {read_write(range), scalar_argument(by)});
}

TEST_F(PjrtDriverTest, ListsWhatThePluginSays) {
  for (const DeviceInfo& info : pjrt_driver().enumerate().devices) {
    EXPECT_EQ(info.backend, "pjrt");
    EXPECT_EQ(info.name, "cpu");  // both plug-ins of the tests
    EXPECT_EQ(info.kind, DeviceKind::software);
    EXPECT_THAT(info.driver, HasSubstr("PJRT 0."));
    EXPECT_EQ(info.limits.max_grid, (Grid{1, 1, 1}));
    for (const Capability& row : info.capabilities) {
      EXPECT_TRUE(row.support == Support::native || !row.detail.empty()) << name(row.feature);
    }
  }
}

TEST_F(PjrtDriverTest, AnotherDeviceOfThePluginIsAnOption) {
  for (const char* const device : {"0", "1"}) {
    const std::vector<backend::Option> options{{"device", device}};
    const auto opened = must(pjrt_driver().open(0, options));
    const auto queue = must(opened->create_queue({QueueKind::compute, 0, {}}));
    const std::vector<Entry> entries{must(Entry::parse(increment))};
    const auto program = must(opened->load({"test", "stablehlo", base::bytes_in(kernels), entries, {}}));
    const auto memory = must(opened->allocate(sized(8)));
    const Floats before{1, 2};
    Floats after(2);
    const List put({SeamRig::upload(memory, 0, before)});
    must(opened->wait(queue, must(opened->submit(queue, {}, put)), soon()));
    const List add = increment_of(program, range_of(memory, 0, 8), 0.5f);
    must(opened->wait(queue, must(opened->submit(queue, {}, add)), soon()));
    const List get({SeamRig::download(after, memory, 0)});
    must(opened->wait(queue, must(opened->submit(queue, {}, get)), soon()));
    EXPECT_EQ(after, (Floats{1.5f, 2.5f})) << device;
    opened->destroy_queue(queue);
  }
  for (const char* const device : {"", "-1", "one", "1000000"}) {
    const std::vector<backend::Option> options{{"device", device}};
    EXPECT_EQ(pjrt_driver().open(0, options).error().code(), Errc::invalid_argument) << device;
  }
}

TEST_F(PjrtDriverTest, WrongCodeIsRefusedInThePluginsWords) {
  each([](PjrtRig& rig) {
    const auto refused = [&](std::string_view text, const char* signature, Errc code, const char* words) {
      const auto loaded = rig.try_text(text, {signature});
      ASSERT_FALSE(loaded) << text;
      EXPECT_EQ(loaded.error().code(), code) << loaded.error().text();
      EXPECT_THAT(std::string(loaded.error().message()), AllOf(HasSubstr("[Program \"test\"]"), HasSubstr(words)));
    };
    refused("func.func @f() { %x = stablehlo.nonsense : tensor<f32> return }", "f()", Errc::build_failed, "nonsense");
    refused(R"(func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
                 %y = stablehlo.custom_call @nobody_has_this(%x) : (tensor<4xf32>) -> tensor<4xf32>
                 return %y : tensor<4xf32> })",
            "f(x: read f32[4], y: write f32[4])", Errc::build_failed, "nobody_has_this");
    refused("func.func @f(%x: tensor<4xf32>) -> tensor<8xf32> { return %x : tensor<4xf32> }",
            "f(x: read f32[4], y: write f32[8])", Errc::build_failed, "\"f\"");
    refused("func.func @f() { return }", "g()", Errc::build_failed, "\"g\"");
  });
}

TEST_F(PjrtDriverTest, TextThatEndsInTheMiddleIsRefusedWithItsPlace) {
  each([](PjrtRig& rig) {
    const auto loaded = rig.try_text("func.func @f() {\n  return", {"f()"});
    ASSERT_FALSE(loaded);
    EXPECT_THAT(std::string(loaded.error().text()), AllOf(HasSubstr("line"), HasSubstr("[Program \"test\"]")));
  });
}

TEST_F(PjrtDriverTest, DifferencesFromTheSignatureAreRefusedByName) {
  each([](PjrtRig& rig) {
    const auto refused = [&](const std::string& signature, const std::string& words,
                             Errc code = Errc::invalid_argument) {
      const auto loaded = rig.try_text(kernels, {signature});
      ASSERT_FALSE(loaded) << signature;
      EXPECT_EQ(loaded.error().code(), code) << loaded.error().text();
      EXPECT_THAT(std::string(loaded.error().message()), HasSubstr(words));
    };
    refused("increment(x: read_write u32[], by: f32)", "\"x\"");
    refused("increment(x: read_write f32[], by: f64)", "\"by\"");
    refused("increment(x: read_write f32[], by: read f32[], more: u32)", "(2) arguments");
    refused("increment(x: read f32[], by: f32)", "(0) are written");
    refused("increment(x: read_write f32[], by: f32x4)", "\"by\"", Errc::unsupported);
    refused("increment(x: read_write f32[], by: local f32[])", "\"by\"", Errc::unsupported);
    EXPECT_TRUE(rig.try_text(kernels, {increment, count}));
  });
}

TEST_F(PjrtDriverTest, ConstantsAndMacrosAreRefusedByName) {
  each([](PjrtRig& rig) {
    const auto loaded = rig.try_load("stablehlo", base::bytes_in(kernels), {count}, {{"width", DType::u32, {}}});
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code(), Errc::unsupported);
    EXPECT_THAT(std::string(loaded.error().message()), HasSubstr("\"width\""));
  });
}

TEST_F(PjrtDriverTest, StepsInPlaceMoveNothing) {
  each([](PjrtRig& rig) {
    const auto program = must(rig.try_text(kernels, {increment}));
    const auto memory = rig.buffer(Floats(1000, 1.f));
    const auto range = range_of(memory, 0, 4000);
    rig.run(increment_of(program, range, 1.f));
    const auto before = rig.transfers();
    const List step = increment_of(program, range, 1.f);
    for (int count = 0; count < 200; ++count) rig.submit(step);
    rig.run(step);
    const auto after = rig.transfers();
    EXPECT_EQ(after.to_device, before.to_device);
    EXPECT_EQ(after.to_host, before.to_host);
    EXPECT_EQ(rig.read<float>(memory, 0, 1000), Floats(1000, 203.f));
    EXPECT_EQ(rig.transfers().to_host, after.to_host + 4000);
  });
}

TEST_F(PjrtDriverTest, ACopyStaysWhenTheOtherIsWritten) {
  each([](PjrtRig& rig) {
    const auto program = must(rig.try_text(kernels, {increment}));
    const auto a = rig.buffer(Floats(16, 1.f));
    const auto b = rig.allocate(64);
    const auto whole = range_of(a, 0, 64);
    rig.run(increment_of(program, whole, 1.f));
    const auto before = rig.transfers();
    rig.run(List({backend::Copy{range_of(b, 0, 64), whole}}));
    rig.run(increment_of(program, whole, 1.f));
    rig.run(increment_of(program, range_of(b, 0, 64), 10.f));
    EXPECT_EQ(rig.transfers().to_host, before.to_host);
    EXPECT_EQ(rig.transfers().to_device, before.to_device);
    EXPECT_EQ(rig.read<float>(a, 0, 16), Floats(16, 3.f));
    EXPECT_EQ(rig.read<float>(b, 0, 16), Floats(16, 12.f));
  });
}

/// The code gives up an argument that the signature only reads.
TEST_F(PjrtDriverTest, WhatIsOnlyReadStays) {
  constexpr std::string_view text = R"(
!x = tensor<?xf32>
!y = tensor<?xf32>
func.func @twice(%x: !x {jax.buffer_donor = true}) -> !y {
  %sum = stablehlo.add %x, %x : !x
  return %sum : !y
}
func.func @other(%x: !x {tf.aliasing_output = 0 : i32}) -> !y {
  %sum = stablehlo.add %x, %x : !x
  return %sum : !y
}
)";
  each([&](PjrtRig& rig) {
    const auto program =
        must(rig.try_text(text, {"twice(x: read f32[], y: write f32[])", "other(x: read f32[], y: write f32[])"}));
    const auto x = rig.buffer(Floats{1, 2}), y = rig.allocate(8);
    for (const std::uint32_t entry : {0U, 1U, 0U, 1U}) {
      backend::Argument written = buffer_argument(range_of(y, 0, 8));
      written.access = Access::write;
      rig.run(launch(program, entry, {1, 1, 1}, {buffer_argument(range_of(x, 0, 8)), written}));
      EXPECT_EQ(rig.read<float>(y, 0, 2), (Floats{2, 4}));
      EXPECT_EQ(rig.read<float>(x, 0, 2), (Floats{1, 2}));
    }
  });
}

TEST_F(PjrtDriverTest, BytesAreReadAsAnotherType) {
  each([](PjrtRig& rig) {
    const auto program = must(rig.try_text(kernels, {increment, count}));
    const auto memory = rig.buffer(Floats{1.f, 2.f});
    rig.run(increment_of(program, range_of(memory, 0, 8), 0.f));
    rig.run(launch(program, 1, {1, 1, 1}, {read_write(range_of(memory, 0, 8))}));
    rig.run(launch(program, 1, {1, 1, 1}, {read_write(range_of(memory, 4, 4))}));
    EXPECT_EQ(rig.read<std::uint32_t>(memory, 0, 2), (Words{0x3f800001, 0x40000002}));
  });
}

/// Random commands on one block, beside the same on bytes.
TEST_F(PjrtDriverTest, PartsAndWholesAgreeWithBytes) {
  each([](PjrtRig& rig) {
    constexpr std::uint32_t words = 24;
    const auto program = must(rig.try_text(kernels, {count}));
    const auto memory = rig.buffer(Words(words, 0)), other = rig.buffer(Words(words, 0));
    Words model(words, 0), other_model(words, 0);
    auto random = [source = std::mt19937(7)]() mutable { return static_cast<std::uint32_t>(source()); };
    for (int step = 0; step < 600; ++step) {
      const std::uint32_t begin = random() % words, size = 1 + random() % (words - begin), value = random();
      const auto here = range_of(memory, begin * 4, size * 4), there = range_of(other, begin * 4, size * 4);
      const auto first = model.begin() + begin, last = first + size;
      Words values(size);
      switch (random() % 6) {
        case 0:
          rig.run(launch(program, 0, {1, 1, 1}, {read_write(here)}));
          std::for_each(first, last, [](std::uint32_t& word) { ++word; });
          break;
        case 1:
          rig.run(List({backend::Fill{here, scalar_of(value), 4, DType::u32}}));
          std::fill(first, last, value);
          break;
        case 2:
          for (std::uint32_t& word : values) word = random();
          rig.run(List({SeamRig::upload(memory, begin * 4, values)}));
          std::copy(values.begin(), values.end(), first);
          break;
        case 3:
          rig.run(List({backend::Copy{there, here}}));
          std::copy(first, last, other_model.begin() + begin);
          break;
        case 4:
          rig.run(List({backend::Copy{here, there}}));
          std::copy_n(other_model.begin() + begin, size, first);
          break;
        default:
          rig.run(List({SeamRig::download(values, memory, begin * 4)}));
          ASSERT_TRUE(std::equal(first, last, values.begin())) << step;
      }
    }
    EXPECT_EQ(rig.read<std::uint32_t>(memory, 0, words), model);
    EXPECT_EQ(rig.read<std::uint32_t>(other, 0, words), other_model);
  });
}

TEST_F(PjrtDriverTest, CopiesWithinABlockAgreeWithBytes) {
  each([](PjrtRig& rig) {
    const auto program = must(rig.try_text(kernels, {count}));
    const auto memory = rig.buffer(Words{1, 2, 3, 4, 5, 6, 7, 8});
    rig.run(launch(program, 0, {1, 1, 1}, {read_write(range_of(memory, 4, 8))}));
    rig.run(List({backend::Copy{range_of(memory, 16, 12), range_of(memory, 0, 12)}}));
    EXPECT_EQ(rig.read<std::uint32_t>(memory, 0, 8), (Words{1, 3, 4, 4, 1, 3, 4, 8}));
  });
}

constexpr std::string_view four = R"(
func.func @double(%x: tensor<4xf32>) -> tensor<4xf32> {
  %sum = stablehlo.add %x, %x : tensor<4xf32>
  return %sum : tensor<4xf32>
}
)";

TEST_F(PjrtDriverTest, AFixedShapeTakesWhatItNeedsAndRefusesLess) {
  each([](PjrtRig& rig) {
    const auto program = must(rig.try_text(four, {"double(x: read_write f32[])"}));
    const auto memory = rig.buffer(Floats{1, 2, 3, 4, 5, 6});
    rig.run(launch(program, 0, {1, 1, 1}, {read_write(range_of(memory, 0, 24))}));
    EXPECT_EQ(rig.read<float>(memory, 0, 6), (Floats{2, 4, 6, 8, 5, 6}));
    const auto failed = rig.verdict_of(launch(program, 0, {1, 1, 1}, {read_write(range_of(memory, 0, 8))}));
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->code(), Errc::invalid_argument);
    EXPECT_THAT(std::string(failed->message()),
                AllOf(HasSubstr("(8 bytes)"), HasSubstr("(16 bytes)"), HasSubstr("\"x\"")));
  });
}

TEST_F(PjrtDriverTest, AResultOfAnotherSizeLeavesWhatItDoesNotCover) {
  constexpr std::string_view text = R"(
!x = tensor<?xf32>
func.func @first_two(%x: !x) -> tensor<2xf32> {
  %two = "stablehlo.slice"(%x) <{start_indices = array<i64: 2>, limit_indices = array<i64: 4>, strides = array<i64: 1>}>
    : (!x) -> tensor<2xf32>
  return %two : tensor<2xf32>
}
)";
  each([&](PjrtRig& rig) {
    const auto program = must(rig.try_text(kernels, {increment}));
    const auto other = must(rig.try_text(text, {"first_two(x: read_write f32[])"}));
    const auto memory = rig.buffer(Floats{1, 2, 3, 4, 5, 6});
    rig.run(increment_of(program, range_of(memory, 0, 24), 1.f));
    rig.run(launch(other, 0, {1, 1, 1}, {read_write(range_of(memory, 0, 24))}));
    EXPECT_EQ(rig.read<float>(memory, 0, 6), (Floats{4, 5, 4, 5, 6, 7}));
    const auto longer =
        must(rig.try_text("!x = tensor<?xf32> func.func @more(%x: !x) -> tensor<8xf32> {"
                          " %all = stablehlo.constant dense<1.0> : tensor<8xf32> return %all : tensor<8xf32> }",
                          {"more(x: read_write f32[])"}));
    const auto failed = rig.verdict_of(launch(longer, 0, {1, 1, 1}, {read_write(range_of(memory, 0, 24))}));
    ASSERT_TRUE(failed);
    EXPECT_THAT(std::string(failed->message()), AllOf(HasSubstr("(24 bytes)"), HasSubstr("(32 bytes)")));
  });
}

TEST_F(PjrtDriverTest, ShapesThatDifferFromTheSignatureAreRefused) {
  struct Case {
    std::string_view declared, given;  // a word of a signature, and a type of the code
    bool agree;
  };
  constexpr Case cases[] = {
      {"f32[4]", "tensor<4xf32>", true},      {"f32[]", "tensor<4xf32>", true},
      {"f32[1]", "tensor<f32>", true},        {"f32[1,1]", "tensor<f32>", true},
      {"f32[2,n]", "tensor<2x3xf32>", true},  {"f32[n]", "tensor<2x3xf32>", true},
      {"f32[8]", "tensor<4xf32>", false},     {"f32[2]", "tensor<4xf32>", false},
      {"f32[2,3]", "tensor<3x2xf32>", false}, {"f32[6]", "tensor<2x3xf32>", false},
      {"f32[2]", "tensor<f32>", false},       {"f32[3,n]", "tensor<2x3xf32>", false},
  };
  each([&](PjrtRig& rig) {
    for (const auto& [declared, given, agree] : cases) {
      const std::string type(given);
      const std::string text =
          "func.func @f(%x: " + type + ", %n: tensor<ui32>) -> " + type + " { return %x : " + type + " }";
      const auto loaded = rig.try_text(text, {"f(x: read_write " + std::string(declared) + ", n: u32)"});
      EXPECT_EQ(loaded.has_value(), agree) << declared << " " << given;
      if (agree || loaded) continue;
      EXPECT_EQ(loaded.error().code(), Errc::invalid_argument);
      EXPECT_THAT(std::string(loaded.error().message()),
                  AllOf(HasSubstr("\"x\" as read_write " + std::string(declared)), HasSubstr("is " + type)));
    }
    EXPECT_EQ(rig.try_text(four, {"double(x: read f32[4], y: write f32[8])"}).error().code(), Errc::invalid_argument)
        << "a result is compared, too";
  });
}

/// The queue does nothing behind a failure, and the device goes on.
TEST_F(PjrtDriverTest, AFailureIsTheQueuesAlone) {
  each([](PjrtRig& rig) {
    const auto program = must(rig.try_text(four, {"double(x: read_write f32[])"}));
    const auto memory = rig.buffer(Floats{1, 2, 3, 4});
    ASSERT_TRUE(rig.verdict_of(launch(program, 0, {1, 1, 1}, {read_write(range_of(memory, 0, 8))})));
    const auto behind = rig.verdict_of(List({backend::Fill{range_of(memory, 0, 16), scalar_of(7.f), 4, DType::f32}}));
    ASSERT_TRUE(behind);
    EXPECT_THAT(std::string(behind->message()), HasSubstr("(8 bytes)"));
    const auto other = must(rig.device->create_queue({QueueKind::compute, 0, {}}));
    Floats values(4);
    const List get({SeamRig::download(values, memory, 0)});
    must(rig.device->wait(other, must(rig.device->submit(other, {}, get)), soon()));
    EXPECT_EQ(values, (Floats{1, 2, 3, 4}));
    rig.device->destroy_queue(other);
    EXPECT_TRUE(rig.device->probe());
  });
}

/// The compiler of the other plug-in ends the process at arrays of such a size (a division by zero).
constexpr std::string_view too_large = R"(
func.func @first(%x: tensor<4xf32>) -> tensor<4xf32> {
  %i = stablehlo.iota dim = 0 : tensor<1099511627776xf32>
  %sorted = "stablehlo.sort"(%i) <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %is_less = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %is_less : tensor<i1>
  }) : (tensor<1099511627776xf32>) -> tensor<1099511627776xf32>
  %first = stablehlo.slice %sorted [0:4] : (tensor<1099511627776xf32>) -> tensor<4xf32>
  %sum = stablehlo.add %first, %x : tensor<4xf32>
  return %sum : tensor<4xf32>
}
)";

TEST_F(PjrtDriverTest, MemoryThatRunsOutInAProgramFailsItsSubmission) {
  on_xla_cpu([&](PjrtRig& rig) {
    const auto program = must(rig.try_text(too_large, {"first(x: read_write f32[4])"}));
    const auto memory = rig.buffer(Floats(4, 1.f));
    const auto failed = rig.verdict_of(launch(program, 0, {1, 1, 1}, {read_write(range_of(memory, 0, 16))}));
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->code(), Errc::out_of_memory) << failed->text();
    EXPECT_THAT(std::string(failed->message()), HasSubstr("Out of memory allocating 4398046511"));
    EXPECT_TRUE(rig.device->probe());
  });
}

/// Only the last launch of a chain is asked for its end.
TEST_F(PjrtDriverTest, AnErrorInTheMiddleOfAChainFailsItsSubmission) {
  on_xla_cpu([&](PjrtRig& rig) {
    const auto program = must(rig.try_text(too_large, {"first(x: read_write f32[4])"}));
    const auto others = must(rig.try_text(kernels, {increment}));
    const auto range = range_of(rig.buffer(Floats(4, 1.f)), 0, 16);
    List chain = increment_of(others, range, 1.f);
    chain.arguments.push_back(read_write(range));
    chain.add(backend::Exec{program, 0, 2, 1, {1, 1, 1}});
    for (const std::uint32_t first : {3U, 5U}) {
      chain.arguments.push_back(read_write(range));
      chain.arguments.push_back(scalar_argument(1.f));
      chain.add(backend::Exec{others, 0, first, 2, {1, 1, 1}});
    }
    const auto failed = rig.verdict_of(chain);
    ASSERT_TRUE(failed);
    EXPECT_THAT(std::string(failed->message()), HasSubstr("Out of memory allocating 4398046511"));
    EXPECT_TRUE(rig.device->probe());
  });
}

TEST_F(PjrtDriverTest, SizesThatVaryAreCompiledOnceEach) {
  each([](PjrtRig& rig) {
    const auto program = must(rig.try_text(kernels, {increment}));
    for (int round = 0; round < 3; ++round) {
      for (const std::uint64_t size : {1U, 2U, 7U, 100U}) {
        const auto memory = rig.buffer(Floats(size, 1.f));
        rig.run(increment_of(program, range_of(memory, 0, size * 4), static_cast<float>(round)));
        EXPECT_EQ(rig.read<float>(memory, 0, size), Floats(size, 1.f + static_cast<float>(round)));
      }
    }
  });
}

TEST_F(PjrtDriverTest, SidesOfAShapeAreTheCallersScalars) {
  constexpr std::string_view text = R"(
!a = tensor<?x?xf32>
!rows = tensor<?xf32>
func.func @sums(%a: !a, %m: tensor<ui32>, %n: tensor<ui32>) -> !rows {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sums = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (!a, tensor<f32>) -> !rows
  return %sums : !rows
}
)";
  each([&](PjrtRig& rig) {
    const auto program = must(rig.try_text(text, {"sums(a: read f32[m,n], rows: write f32[m], m: u32, n: u32)"}));
    for (const auto& [m, n] : {std::pair{2U, 3U}, std::pair{3U, 2U}}) {
      const auto a = rig.buffer(Floats{1, 2, 3, 4, 5, 6});
      const auto rows = rig.allocate(m * 4);
      backend::Argument written = buffer_argument(range_of(rows, 0, m * 4));
      written.access = Access::write;
      rig.run(launch(program, 0, {1, 1, 1},
                     {buffer_argument(range_of(a, 0, 24)), written, scalar_argument(m), scalar_argument(n)}));
      EXPECT_EQ(rig.read<float>(rows, 0, m), m == 2 ? (Floats{6, 15}) : (Floats{3, 7, 11}));
    }
  });
}

TEST_F(PjrtDriverTest, MoreMemoryThanThereIsIsRefused) {
  each([](PjrtRig& rig) {
    const auto refused = rig.device->allocate(sized(std::uint64_t{1} << 50));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::out_of_memory);
    EXPECT_TRUE(rig.device->allocate(sized(16)));
  });
}

}  // namespace
}  // namespace pintle::test
