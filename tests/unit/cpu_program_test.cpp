#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/subprocess.h"
#include "cpu_support.h"
#include "pintle/must.h"
#include "pintle/native/cpu.h"
#include "scratch_folder.h"
#include "tests_dir.h"

namespace pintle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A cache of its own, and programs through the seam.
class CpuProgram : public testing::Test {
 protected:
  CpuProgram() { setenv("XDG_CACHE_HOME", scratch.path().c_str(), 1); }
  ~CpuProgram() override { unsetenv("XDG_CACHE_HOME"); }

  Result<backend::ProgramId> load(std::string_view format, std::string_view code,
                                  const std::vector<std::string>& signatures,
                                  const std::vector<backend::Constant>& constants = {}) {
    std::vector<Entry> entries;
    for (const std::string& signature : signatures) entries.push_back(must(Entry::parse(signature)));
    return rig.device->load({"shapes", format, std::as_bytes(std::span(code)), entries, constants});
  }

  /// What the entry `out(out: write f64[])` of a source stores first.
  double value_of(std::string_view source, const std::vector<backend::Constant>& constants = {}) {
    const auto program = must(load("c", source, {"out(out: write f64[]) group 1"}, constants));
    const auto memory = rig.buffer<double>({-1});
    rig.run(launch(program, 0, {1, 1, 1}, {buffer_argument(range_of(memory, 0, 8))}));
    const double value = rig.read<double>(memory)[0];
    rig.device->unload(program);
    rig.device->release(memory);
    return value;
  }
  double constant_in_c(const backend::Constant& constant) {
    return value_of("void out(const pintle_group* g, void* const* a) { (void)g; *(double*)a[0] = (double)(VALUE); }",
                    {constant});
  }

  ScratchFolder scratch;
  CpuRig rig;
};

constexpr std::string_view twice =
    "void twice(const pintle_group* group, void* const* arguments) {\n"
    "  uint32_t* x = arguments[0];\n"
    "  uint32_t first = group->id[0] * group->size[0];\n"
    "  for (uint32_t i = first; i < first + group->size[0]; ++i) x[i] *= 2;\n"
    "}\n";

TEST_F(CpuProgram, NativeEntriesAreRegisteredFunctions) {
  must(cpu::register_kernel("program_test_known", [](const pintle_group*, void* const*) {}));
  EXPECT_TRUE(load("native", "", {"program_test_known(x: read f32[]) group 1"}));
  const auto missing = load("native", "",
                            {"program_test_known(x: read f32[]) group 1", "program_test_absent(x: read f32[]) group 1",
                             "program_test_gone(x: read f32[]) group 1"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), Errc::build_failed);
  EXPECT_THAT(std::string(missing.error().message()),
              AllOf(HasSubstr("program_test_absent"), HasSubstr("program_test_gone"),
                    testing::Not(HasSubstr("program_test_known"))));
}

TEST_F(CpuProgram, OneNameHasOneFunction) {
  const pintle_cpu_kernel first = [](const pintle_group*, void* const*) {};
  const pintle_cpu_kernel second = [](const pintle_group* group, void* const*) { static_cast<void>(group->id); };
  must(cpu::register_kernel("program_test_twice", first));
  EXPECT_TRUE(cpu::register_kernel("program_test_twice", first));
  const auto again = cpu::register_kernel("program_test_twice", second);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), Errc::invalid_argument);
  EXPECT_EQ(cpu::register_kernel("not an identifier", first).error().code(), Errc::invalid_argument);
  EXPECT_EQ(cpu::register_kernel("program_test_null", nullptr).error().code(), Errc::invalid_argument);
}

TEST_F(CpuProgram, CSourceRuns) {
  const auto program = must(load("c", twice, {"twice(x: read_write u32[]) group 4"}));
  const auto memory = rig.buffer<std::uint32_t>({1, 2, 3, 4, 5, 6, 7, 8});
  rig.run(launch(program, 0, {2, 1, 1}, {buffer_argument(range_of(memory, 0, 32))}));
  EXPECT_EQ(rig.read<std::uint32_t>(memory), (std::vector<std::uint32_t>{2, 4, 6, 8, 10, 12, 14, 16}));
  rig.device->unload(program);
}

TEST_F(CpuProgram, ArgumentsMayHaveTypes) {
  constexpr std::string_view code = R"(
void axpy(const pintle_group* group, float a, const float* restrict x, float* y, const uint32_t n) {
  for (uint32_t i = 0; i < group->size[0]; ++i) if (i < n) y[i] += a * x[i];
}
void nothing(const pintle_group* group) { (void)group; }
static void erased(const pintle_group* group, void* const* arguments) { *(float*)arguments[0] = (float)group->size[0]; }
)";
  const auto program = must(load("c", code,
                                 {"axpy(a: f32, x: read f32[], y: read_write f32[], n: u32) group 4", "nothing()",
                                  "erased(y: write f32[]) group 2"}));
  const auto x = rig.buffer<float>({1, 2, 3, 4}), y = rig.buffer<float>({1, 1, 1, 1});
  rig.run(launch(program, 0, {1, 1, 1},
                 {scalar_argument(2.0f), buffer_argument(range_of(x, 0, 16)), buffer_argument(range_of(y, 0, 16)),
                  scalar_argument(3u)}));
  EXPECT_EQ(rig.read<float>(y), (std::vector<float>{3, 5, 7, 1}));
  rig.run(launch(program, 1, {1, 1, 1}, {}));
  rig.run(launch(program, 2, {1, 1, 1}, {buffer_argument(range_of(y, 0, 16))}));
  EXPECT_EQ(rig.read<float>(y), (std::vector<float>{2, 5, 7, 1}));
  rig.device->unload(program);
}

TEST_F(CpuProgram, ArgumentsOfAnotherTypeAreRefusedWithBoth) {
  constexpr std::string_view code =
      "void f(const pintle_group* group, float a, const float* x) { (void)group; (void)a; (void)x; }";
  for (const std::string signature :
       {"f(a: i32, x: read f32[])", "f(a: f64, x: read f32[])", "f(a: f32, x: read u32[])", "f(a: f32, x: write f32[])",
        "f(x: read f32[], a: f32)", "f(a: f32)", "f(a: f32, x: read f32[], n: u32)", "f(a: f32, x: f32)"}) {
    const auto refused = load("c", code, {signature});
    ASSERT_FALSE(refused) << signature;
    EXPECT_EQ(refused.error().code(), Errc::build_failed);
    EXPECT_THAT(std::string(refused.error().message()),
                AllOf(HasSubstr("incompatible"), HasSubstr("float,"), HasSubstr("the signatures")))
        << signature;
  }
  rig.device->unload(must(load("c", code, {"f(a: f32, x: read f32[])"})));
}

TEST_F(CpuProgram, EveryDTypeHasATypeInC) {
  constexpr std::string_view code = R"(
void f(const pintle_group* g, _Bool b, int8_t i1, int16_t i2, int32_t i4, int64_t i8, uint8_t u1, uint16_t u2,
       uint32_t u4, uint64_t u8, _Float16 h, uint16_t bf, float f4, double f8, uint8_t e4, uint8_t e5,
       float _Complex c, double* y) {
  y[g->id[0]] = b + i1 + i2 + i4 + (double)i8 + u1 + u2 + u4 + (double)u8 + (double)h + bf + f4 + f8 + e4 + e5 +
                __real__ c + __imag__ c;
}
)";
  const auto program =
      must(load("c", code,
                {"f(b: bool, i1: i8, i2: i16, i4: i32, i8: i64, u1: u8, u2: u16, u4: u32, u8: u64, h: f16, bf: bf16, "
                 "f4: f32, f8: f64, e4: f8_e4m3fn, e5: f8_e5m2, c: complex64, y: write f64[])"}));
  rig.device->unload(program);
}

TEST_F(CpuProgram, CSourceIsCompiledOnce) {
  const auto count = [&] {
    std::size_t entries = 0;
    for (const auto& item : std::filesystem::directory_iterator(scratch.path() / "pintle")) {
      entries += item.path().extension() == ".so" ? 1U : 0U;
    }
    return entries;
  };
  const std::vector<std::string> entries{"twice(x: read_write u32[]) group 4"};
  rig.device->unload(must(load("c", twice, entries)));
  rig.device->unload(must(load("c", twice, entries)));
  EXPECT_EQ(count(), 1u);
  rig.device->unload(must(load("c", std::string(twice) + "// changed", entries)));
  EXPECT_EQ(count(), 2u);
  rig.device->unload(must(load("c", twice, entries, {{"VALUE", DType::u32, scalar_of<std::uint32_t>(1)}})));
  EXPECT_EQ(count(), 3u);
}

TEST_F(CpuProgram, WhatDoesNotCompileCarriesTheCompilersWordsAndLines) {
  const auto failed = load("c", "int fine;\nint broken = ;\n", {"twice(x: read_write u32[]) group 4"});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), Errc::build_failed);
  EXPECT_THAT(std::string(failed.error().message()), AllOf(HasSubstr("shapes.c:2"), HasSubstr("error")));
}

TEST_F(CpuProgram, MissingFunctionsAreNamed) {
  const auto failed = load("c", "int fine;", {"twice(x: read_write u32[]) group 4"});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), Errc::build_failed);
  EXPECT_THAT(std::string(failed.error().message()), AllOf(HasSubstr("\"twice\""), HasSubstr("lacks entry points")));
}

TEST_F(CpuProgram, UndefinedReferencesAreFoundAtLoad) {
  const auto failed = load(
      "c", "void missing(void); void twice(const pintle_group* g, void* const* a) { (void)g; (void)a; missing(); }",
      {"twice(x: read_write u32[]) group 4"});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), Errc::build_failed);
  EXPECT_THAT(std::string(failed.error().message()), HasSubstr("missing"));
}

TEST_F(CpuProgram, MultiplyAndAddAreNotFused) {
  // (1 + e)(1 - e) - 1 is -e^2 exactly, and 0 where the product is rounded first.
  EXPECT_EQ(
      value_of(
          "void out(const pintle_group* g, void* const* a) { (void)g; double* x = a[0]; volatile double e = 0x1p-40;\n"
          "  double p = 1 + e, q = 1 - e; x[0] = p * q - 1; }"),
      0.0);
}

TEST_F(CpuProgram, ConstantsAreExact) {
  const auto constant = [](auto value) {
    return backend::Constant{"VALUE", dtype_of<decltype(value)>(), scalar_of(value)};
  };
  EXPECT_EQ(constant_in_c(constant(true)), 1);
  EXPECT_EQ(constant_in_c(constant(std::int8_t{-128})), -128);
  EXPECT_EQ(constant_in_c(constant(std::uint16_t{65535})), 65535);
  EXPECT_EQ(constant_in_c(constant(std::numeric_limits<std::int32_t>::min())), -2147483648.0);
  EXPECT_EQ(constant_in_c(constant(std::numeric_limits<std::int64_t>::min())), -9223372036854775808.0);
  EXPECT_EQ(constant_in_c(constant(std::numeric_limits<std::uint64_t>::max())), 18446744073709551615.0);
  EXPECT_EQ(constant_in_c(constant(0.1f)), static_cast<double>(0.1f));
  EXPECT_EQ(constant_in_c(constant(-0.1)), -0.1);
  EXPECT_EQ(constant_in_c(constant(5e-324)), 5e-324);
  EXPECT_EQ(constant_in_c(constant(-std::numeric_limits<double>::infinity())),
            -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(constant_in_c(constant(std::numeric_limits<float>::quiet_NaN()))));
}

TEST_F(CpuProgram, ConstantsThatCHasNoTypeForAreRefused) {
  const auto failed =
      load("c", twice, {"twice(x: read_write u32[]) group 4"}, {{"HALF", DType::f16, scalar_of<std::uint16_t>(0)}});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), Errc::unsupported);
  EXPECT_THAT(std::string(failed.error().message()), AllOf(HasSubstr("HALF"), HasSubstr("f16")));
}

TEST_F(CpuProgram, ConstantsOfCompiledFormatsAreRefused) {
  must(cpu::register_kernel("program_test_constant", [](const pintle_group*, void* const*) {}));
  for (const std::string_view format : {"native", "so"}) {
    const auto failed = load(format, "", {"program_test_constant(x: read f32[]) group 1"}, {{"N", DType::u32, {}}});
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code(), Errc::unsupported);
    EXPECT_THAT(std::string(failed.error().message()), HasSubstr("\"N\""));
  }
}

TEST_F(CpuProgram, SharedObjectsAreLoaded) {
  const auto source = scratch.write(
      "twice.c", "#include <stdint.h>\n" + std::string("#include \"cpu_kernel.h\"\n") + std::string(twice));
  scratch.write("cpu_kernel.h", [] {
    const auto text = must(base::read_file(std::string(test::tests_dir) + "/../include/pintle/native/cpu_kernel.h"));
    return std::string(reinterpret_cast<const char*>(text.data()), text.size());
  }());
  const std::string object = (scratch.path() / "twice.so").string();
  const std::vector<std::string> words{
      base::find_program("cc").value(), "-shared", "-fPIC", "-o", object, source.string()};
  const auto compiled = must(base::run_process(words, soon()));
  ASSERT_EQ(compiled.status, 0) << compiled.output;
  const auto code = must(base::read_file(object));
  const std::string_view text(reinterpret_cast<const char*>(code.data()), code.size());
  const auto program = must(load("so", text, {"twice(x: read_write u32[]) group 2"}));
  const auto memory = rig.buffer<std::uint32_t>({1, 2, 3, 4});
  rig.run(launch(program, 0, {2, 1, 1}, {buffer_argument(range_of(memory, 0, 16))}));
  EXPECT_EQ(rig.read<std::uint32_t>(memory), (std::vector<std::uint32_t>{2, 4, 6, 8}));
  const auto missing = load("so", text, {"thrice(x: read_write u32[]) group 2"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), Errc::build_failed);
  EXPECT_THAT(std::string(missing.error().message()), HasSubstr("thrice"));
}

TEST_F(CpuProgram, WhatIsNoSharedObjectCarriesTheLoadersWords) {
  const auto failed = load("so", std::string(1000, 'x'), {"twice(x: read_write u32[]) group 2"});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), Errc::build_failed);
  EXPECT_THAT(std::string(failed.error().message()), HasSubstr("ELF"));
}

TEST_F(CpuProgram, ABrokenCacheStillCompiles) {
  setenv("XDG_CACHE_HOME", scratch.write("file", "").c_str(), 1);
  EXPECT_EQ(value_of("void out(const pintle_group* g, void* const* a) { (void)g; *(double*)a[0] = 7; }"), 7.0);
}

TEST_F(CpuProgram, OtherFormatsAreRefused) {
  const auto failed = load("spirv", "", {"twice(x: read_write u32[]) group 2"});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), Errc::unsupported);
}

}  // namespace
}  // namespace pintle::test
