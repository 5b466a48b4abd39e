#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>

#include "opencl_c/clang.h"
#include "opencl_support.h"
#include "scratch_folder.h"

namespace pintle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::uint32_t>;

class OpenClProgramTest : public OpenClTest {
 protected:
  /// Loading `code` on every device ends in an error with the words.
  template <class Matcher>
  void expect_refused(std::string_view code, const std::string& signature, Errc code_of_error, Matcher matcher) {
    on_each([&](OpenClRig& rig) {
      const auto loaded = rig.try_load(code, {signature});
      ASSERT_FALSE(loaded);
      EXPECT_EQ(loaded.error().code(), code_of_error) << loaded.error().text();
      EXPECT_THAT(std::string(loaded.error().message()), matcher);
    });
  }
};

/// A list of one launch of the first entry.
List launch_first(backend::ProgramId program, std::vector<backend::Argument> arguments) {
  return launch(program, 0, {1, 1, 1}, std::move(arguments));
}

TEST_F(OpenClProgramTest, WrongSourceIsBuildFailedWithTheDriversWords) {
  expect_refused("kernel void broken(global uint* x) { undeclared_thing(x }", "broken(x: write u32[])",
                 Errc::build_failed, AllOf(HasSubstr("[Program \"test\"]"), HasSubstr("error")));
}

// Drivers of hardware build no such source with the option by which arguments are compared.
TEST_F(OpenClProgramTest, AKernelWithoutParametersIsNoReasonToRefuse) {
  constexpr std::string_view source = R"(
kernel void nothing(void) {}
kernel void put(global uint* x, uint a) { x[get_global_id(0)] = a; }
)";
  on_each([&](OpenClRig& rig) {
    for (std::uint32_t load = 0; load < 2; ++load) {  // from the source, then from the cache
      const auto program = must(rig.try_load(source, {"put(x: write u32[], a: u32)", "nothing()"}));
      const auto memory = rig.buffer(Words{0});
      rig.run(launch_first(program, {buffer_argument(range_of(memory, 0, 4)), scalar_argument(3u + load)}));
      EXPECT_EQ(rig.read<std::uint32_t>(memory, 1), Words{3u + load});
      rig.device->unload(program);
    }
  });
  expect_refused(source, "put(x: write u32[])", Errc::invalid_argument, AllOf(HasSubstr("(2)"), HasSubstr("(1)")));
  expect_refused(source, "put(x: write u32[], a: u64)", Errc::invalid_argument, HasSubstr("\"a\""));
}

// Drivers of hardware tell nothing of the arguments of such a source, and then a clang reads it.
TEST_F(OpenClProgramTest, TypesBesideAKernelWithoutParametersAreComparedByClang) {
  if (const auto clang = opencl_c::find_clang(15); !clang) GTEST_SKIP() << clang.error().text();
  constexpr std::string_view code = R"(
struct pair { float x; int y; };
kernel void nothing(void) {}
kernel void put(global const uint* x, global float* y, uint a, struct pair b) { y[a] = b.x + (float)x[0]; }
)";
  const std::vector<std::string> right{"put(x: read u32[], y: write f32[], a: u32, b: { x: f32, y: i32 })",
                                       "nothing()"};
  on_each([&](OpenClRig& rig) {
    for (int load = 0; load < 2; ++load) rig.device->unload(must(rig.try_load(code, right)));  // and from the cache
  });
  const auto refused = [&](const std::string& signature, std::string_view words) {
    expect_refused(code, signature, Errc::invalid_argument, AllOf(HasSubstr("\"put\""), HasSubstr(std::string(words))));
  };
  refused("put(x: read f32[], y: write f32[], a: u32, b: { x: f32, y: i32 })", "declared as a buffer (read f32[])");
  refused("put(x: write u32[], y: write f32[], a: u32, b: { x: f32, y: i32 })", "parameter \"x\"");
  refused("put(y: read u32[], x: write f32[], a: u32, b: { x: f32, y: i32 })", "parameter \"y\"");
  refused("put(x: read u32[], y: write f32[], a: f32, b: { x: f32, y: i32 })", "by value (uint)");
}

TEST_F(OpenClProgramTest, WrongSourceShowsTheLogWithoutAnOptionOfOurs) {
  expect_refused("kernel void nothing() {} kernel void broken(global uint* x) { undeclared_thing(x }",
                 "broken(x: write u32[])", Errc::build_failed,
                 AllOf(HasSubstr("error"), Not(HasSubstr("-cl-kernel-arg-info"))));
}

TEST_F(OpenClProgramTest, AMissingEntryNamesThoseThatAreThere) {
  expect_refused(opencl_kernels, "blur(x: read u32[])", Errc::build_failed,
                 AllOf(HasSubstr("\"blur\""), HasSubstr("spin"), HasSubstr("add_to")));
}

TEST_F(OpenClProgramTest, AnotherNumberOfArgumentsIsRefused) {
  expect_refused(opencl_kernels, "add(x: read_write u32[], a: u32) group 64", Errc::invalid_argument,
                 AllOf(HasSubstr("\"add\""), HasSubstr("(3)"), HasSubstr("(2)")));
  expect_refused(opencl_kernels, "add(x: read_write u32[], a: u32, n: u32, m: u32) group 64", Errc::invalid_argument,
                 AllOf(HasSubstr("(3)"), HasSubstr("(4)")));
}

TEST_F(OpenClProgramTest, BuffersAndScalarsAreNotMixedUp) {
  expect_refused(opencl_kernels, "add(x: u64, a: u32, n: u32) group 64", Errc::invalid_argument,
                 AllOf(HasSubstr("\"x\""), HasSubstr("global"), HasSubstr("scalar")));
  expect_refused(opencl_kernels, "add(x: read u32[], a: read u32[], n: u32) group 64", Errc::invalid_argument,
                 AllOf(HasSubstr("\"a\""), HasSubstr("by value (uint)"), HasSubstr("buffer (read u32[])")));
}

TEST_F(OpenClProgramTest, BuffersOfNumbersOfAnotherTypeAreRefused) {
  constexpr std::string_view code = "kernel void f(global uint* x, global const long* y) { x[0] = (uint)y[0]; }";
  const auto words = [](std::string_view type, std::string_view parameter) {
    return AllOf(HasSubstr("\"f\""), HasSubstr(std::string(type)), HasSubstr(std::string(parameter)));
  };
  expect_refused(code, "f(x: write f64[], y: read i64[])", Errc::invalid_argument,
                 words("global (uint*)", "\"x\", declared as a buffer (write f64[])"));
  expect_refused(code, "f(x: write f32[], y: read i64[])", Errc::invalid_argument, words("(uint*)", "f32[]"));
  expect_refused(code, "f(x: write u32[], y: read f64[])", Errc::invalid_argument,
                 words("(long*)", "\"y\", declared as a buffer (read f64[])"));
}

// A driver may tell nothing of the parameters of code from the cache.
TEST_F(OpenClProgramTest, CodeFromTheCacheIsComparedAsWell) {
  constexpr std::string_view code =
      "kernel void f(global uint* x) { x[0] = 1; }  // a comment that makes this long enough for the cache";
  on_each([&](OpenClRig& rig) {
    for (int i = 0; i < 3; ++i) {
      rig.device->unload(must(rig.try_load(code, {"f(x: write u32[])"})));
      EXPECT_FALSE(rig.try_load(code, {"f(x: write f64[])"}));
    }
  });
}

// A kernel may move bytes, and numbers that its language has no name for.
TEST_F(OpenClProgramTest, NumbersThatMayStandForOthersAreTaken) {
  constexpr std::string_view code = "kernel void f(global uint* x, global ushort4* y, uint n) { x[0] = y[n].x; }";
  on_each([&](OpenClRig& rig) {
    for (const std::string signature :
         {"f(x: write u32[], y: read u16[], n: u32)", "f(x: write u8[], y: read bf16[], n: u32)"})
      rig.device->unload(must(rig.try_load(code, {signature})));
  });
}

TEST_F(OpenClProgramTest, ScalarsOfAnotherTypeAreRefused) {
  constexpr std::string_view code =
      "struct pair { float x; int y; };\n"
      "kernel void f(global float* y, float a, uint n) { y[n] = a; }\n"
      "kernel void v(global float* y, float2 a) { y[0] = a.x; }\n"
      "kernel void s(global float* y, struct pair a) { y[0] = a.x + (float)a.y; }\n";
  const auto words = [](std::string_view type, std::string_view parameter) {
    return AllOf(HasSubstr(std::string(type)), HasSubstr(std::string(parameter)));
  };
  expect_refused(code, "f(y: write f32[], a: i32, n: u32)", Errc::invalid_argument,
                 words("by value (float)", "\"a\", declared as a scalar (i32)"));
  expect_refused(code, "f(y: write f32[], a: f32, n: f32)", Errc::invalid_argument, words("by value (uint)", "(f32)"));
  expect_refused(code, "v(y: write f32[], a: u64)", Errc::invalid_argument, words("(float2)", "scalar (u64)"));
  expect_refused(code, "s(y: write f32[], a: u64)", Errc::invalid_argument, words("(struct pair)", "scalar (u64)"));
}

TEST_F(OpenClProgramTest, AnImageIsNoBuffer) {
  expect_refused("kernel void f(global float* y, read_only image2d_t x) { y[0] = (float)get_image_width(x); }",
                 "f(y: write f32[], x: read f32[])", Errc::invalid_argument,
                 AllOf(HasSubstr("image2d_t"), HasSubstr("\"x\", declared as a buffer (read f32[])")));
}

TEST_F(OpenClProgramTest, AccessesThatTheTypeForbidsAreRefused) {
  constexpr std::string_view code = "kernel void f(global const float* x, global float* y) { y[0] = x[0]; }";
  expect_refused(code, "f(x: read_write f32[], y: write f32[])", Errc::invalid_argument,
                 HasSubstr("has as a pointer to const the argument for the parameter \"x\", declared (read_write)"));
  expect_refused("kernel void f(constant float* x, global float* y) { y[0] = x[0]; }",
                 "f(x: write f32[], y: write f32[])", Errc::invalid_argument, HasSubstr("in constant memory"));
}

TEST_F(OpenClProgramTest, NamesTellTheOrder) {
  constexpr std::string_view code = "kernel void f(global float* y, global float* x) { y[0] = x[0]; }";
  expect_refused(code, "f(x: read f32[], y: write f32[])", Errc::invalid_argument,
                 HasSubstr("has the argument \"y\" where the parameter \"x\" is declared"));
}

TEST_F(OpenClProgramTest, MoreBytesOfArgumentsThanTheLimitAreRefused) {
  on_each([](OpenClRig& rig) {
    const std::uint32_t most = rig.device->info().limits.max_scalar_bytes;
    if (most / 8 >= Entry::max_parameters) return;
    std::string code = "kernel void f(global ulong* y", signature = "f(y: write u64[]";
    for (std::uint32_t index = 0; index < most / 8; ++index) {
      code += ", ulong a" + std::to_string(index);
      signature += ", a" + std::to_string(index) + ": u64";
    }
    const auto loaded = rig.try_load(code + ") { y[0] = a0; }", {signature + ")"});
    ASSERT_FALSE(loaded);
    EXPECT_THAT(loaded.error().text(), HasSubstr(std::to_string(most)));
  });
}

TEST_F(OpenClProgramTest, AScalarOfAnotherSizeIsRefused) {
  expect_refused(opencl_kernels, "add(x: read_write u32[], a: u32, n: u64) group 64", Errc::invalid_argument,
                 AllOf(HasSubstr("\"n\""), HasSubstr("u64"), HasSubstr("(uint)")));
}

TEST_F(OpenClProgramTest, AGroupOfAnotherSizeThanCompiledIsRefused) {
  expect_refused("kernel __attribute__((reqd_work_group_size(8, 1, 1))) void fixed(global uint* x) { x[0] = 1; }",
                 "fixed(x: write u32[]) group 16", Errc::invalid_argument,
                 AllOf(HasSubstr("\"fixed\""), HasSubstr("(8,1,1)"), HasSubstr("(16,1,1)")));
}

TEST_F(OpenClProgramTest, OtherFormatsAreUnsupported) {
  on_each([](OpenClRig& rig) {
    const std::vector<Entry> entries{must(Entry::parse("f()"))};
    const auto loaded = rig.device->load({"test", "glsl", base::bytes_in("x"), entries, {}});
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code(), Errc::unsupported);
    EXPECT_THAT(std::string(loaded.error().message()), AllOf(HasSubstr("glsl"), HasSubstr("opencl_c")));
  });
}

TEST_F(OpenClProgramTest, LocalMemoryMayBeTheLastArgumentOrTheKernelsOwn) {
  constexpr std::string_view code = R"(
kernel void given(global uint* out, uint a, local uint* scratch) {
  scratch[get_local_id(0)] = (uint)get_local_id(0) + a;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = scratch[get_local_size(0) - 1 - get_local_id(0)];
}
kernel void own(global uint* out, uint a) {
  local uint scratch[8];
  scratch[get_local_id(0)] = (uint)get_local_id(0) + a;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = scratch[get_local_size(0) - 1 - get_local_id(0)];
}
)";
  on_each([&](OpenClRig& rig) {
    const auto program = must(rig.try_load(
        code, {"given(out: write u32[], a: u32) group 8 local 32", "own(out: write u32[], a: u32) group 8 local 32"}));
    const auto out = rig.buffer(Words(16, 0));
    for (std::uint32_t entry = 0; entry < 2; ++entry) {
      for (const std::uint32_t a : {1u, 5u}) {
        rig.run(launch(program, entry, {2, 1, 1}, {buffer_argument(range_of(out, 0, 64)), scalar_argument(a)}));
        const Words words = rig.read<std::uint32_t>(out, 16);
        for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(words[i], 7 - i % 8 + a);
      }
    }
    rig.device->unload(program);
  });
}

TEST_F(OpenClProgramTest, ALastArgumentThatIsNotLocalIsRefused) {
  expect_refused("kernel void f(global uint* out, global uint* scratch) { out[0] = scratch[0]; }",
                 "f(out: write u32[]) local 32", Errc::invalid_argument,
                 AllOf(HasSubstr("global"), HasSubstr("local")));
}

template <class T>
backend::Constant constant(std::string_view name, T value) {
  return {name, dtype_of<T>(), scalar_of(value)};
}

TEST_F(OpenClProgramTest, ConstantsAreFixedAtLoad) {
  constexpr std::string_view code = "kernel void f(global long* out) { out[0] = (long)(A); out[1] = (long)(B); }";
  on_each([&](OpenClRig& rig) {
    const auto out = rig.buffer(std::vector<std::int64_t>{0, 0});
    const auto run = [&](std::vector<backend::Constant> constants) {
      const auto program = must(rig.try_load(code, {"f(out: write i64[])"}, constants));
      rig.run(launch_first(program, {buffer_argument(range_of(out, 0, 16))}));
      return rig.read<std::int64_t>(out, 2);
    };
    using Values = std::vector<std::int64_t>;
    EXPECT_EQ(run({constant("A", 4.0), constant("B", -7.0f)}), (Values{4, -7}));
    EXPECT_EQ(run({constant("A", std::uint64_t{1} << 40), constant("B", std::int64_t{-1} << 40)}),
              (Values{std::int64_t{1} << 40, -(std::int64_t{1} << 40)}));
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    EXPECT_EQ(run({constant("A", least), constant("B", true)}), (Values{least, 1}));
    EXPECT_EQ(rig.try_load(code, {"f(out: write i64[])"}).error().code(), Errc::build_failed);
  });
}

/// Sets a variable for a while, also for processes that are started meanwhile.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// PoCL ends the process where it finds no linker.
TEST_F(OpenClProgramTest, PoclWithoutALinkerIsBuildFailed) {
  on_each([](OpenClRig& rig) {
    if (!rig.device->info().driver.starts_with("PoCL")) return;
    const test::ScratchFolder folder;
    const Variable nowhere("PATH", folder.path());
    const auto loaded = rig.try_load(opencl_kernels, opencl_signatures);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code(), Errc::build_failed);
    EXPECT_THAT(std::string(loaded.error().message()), AllOf(HasSubstr("\"ld\""), HasSubstr("PATH")));
  });
}

TEST_F(OpenClProgramTest, ProgramsMayBeLoadedAndUnloadedAgain) {
  on_each([](OpenClRig& rig) {
    const auto out = rig.buffer(Words(64, 0));
    for (std::uint32_t i = 0; i < 10; ++i) {
      const auto program = must(rig.try_load(opencl_kernels, opencl_signatures));
      rig.run(
          launch_first(program, {buffer_argument(range_of(out, 0, 256)), scalar_argument(1u), scalar_argument(64u)}));
      rig.device->unload(program);
    }
    EXPECT_EQ(rig.read<std::uint32_t>(out, 64), Words(64, 10));
  });
}

std::vector<std::filesystem::path> entries_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> all;
  for (const auto& item : std::filesystem::directory_iterator(folder)) {
    if (item.path().extension() == ".clbin") all.push_back(item.path());
  }
  return all;
}

bool computes(std::uint32_t ordinal) {
  OpenClRig rig(ordinal);
  const auto out = rig.buffer(Words(64, 1));
  List list;
  rig.add(list, range_of(out, 0, 256), 2);
  rig.run(list);
  return rig.read<std::uint32_t>(out, 64) == Words(64, 3);
}

/// In a process of its own, which has the setting from its start.
[[noreturn]] void use_cache(const std::filesystem::path& folder, std::size_t device_count) {
  const auto all_compute = [&] {
    for (std::uint32_t ordinal = 0; ordinal < device_count; ++ordinal) {
      if (!computes(ordinal)) return false;
    }
    return true;
  };
  if (!all_compute() || entries_in(folder).size() != device_count) std::_Exit(4);
  if (!all_compute() || entries_in(folder).size() != device_count) std::_Exit(5);
  for (const auto& entry : entries_in(folder)) std::ofstream(entry, std::ios::binary) << "damaged";
  if (!all_compute()) std::_Exit(6);
  for (const auto& entry : entries_in(folder)) {
    if (std::filesystem::file_size(entry) < 100) std::_Exit(7);
  }
  std::filesystem::remove_all(folder);
  std::_Exit(3);
}

TEST_F(OpenClProgramTest, CompiledCodeIsKeptAndDamagedCodeIsCompiledAgain) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const ScratchFolder scratch;
  const char* const given = std::getenv("OPENCL_PROGRAM_TEST");  // in the process of its own, which comes by here too
  const std::string folder = given != nullptr ? given : scratch.path().string();
  const Variable name("OPENCL_PROGRAM_TEST", folder), setting("PINTLE_CACHE_DIR", folder);
  EXPECT_EXIT(use_cache(folder, devices().size()), testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace pintle::test
