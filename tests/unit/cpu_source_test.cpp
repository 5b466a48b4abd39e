// What a C program is compiled with, and what the formats without a source refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "base/c_compiler.h"
#include "cpu_support.h"
#include "kit/c_program.h"
#include "kit/no_source.h"
#include "pintle/log.h"
#include "pintle/must.h"
#include "pintle/native/cpu.h"
#include "scratch_folder.h"

namespace pintle::test {
namespace {

using backend::Constant;
using backend::Macro;
using backend::SourceOptions;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

template <class T>
Constant constant(std::string_view name, T value) {
  return {name, dtype_of<T>(), scalar_of(value)};
}

Constant side(Constant constant) {
  constant.is_side = true;
  return constant;
}

class CpuSource : public testing::Test {
 protected:
  CpuSource() { setenv("XDG_CACHE_HOME", scratch.path().c_str(), 1); }
  ~CpuSource() override { unsetenv("XDG_CACHE_HOME"); }

  Result<backend::ProgramId> load(std::string_view code, const SourceOptions& source,
                                  const std::vector<Constant>& constants = {}, std::string_view format = "c") {
    const std::vector<Entry> entries{must(Entry::parse("out(out: write f64[]) group 1"))};
    return rig.device->load(
        {"source", format, std::as_bytes(std::span(code)), entries, constants, nullptr, source, nullptr});
  }
  /// What the function stores.
  double value(const std::string& expression, const SourceOptions& source, const std::vector<Constant>& constants = {},
               const std::string& before = "") {
    const std::string code =
        before + "void out(const pintle_group* g, double* out) { (void)g; out[0] = (double)(" + expression + "); }\n";
    const auto program = must(load(code, source, constants));
    const auto memory = rig.buffer<double>({-1});
    rig.run(launch(program, 0, {1, 1, 1}, {buffer_argument(range_of(memory, 0, 8))}));
    const double value = rig.read<double>(memory)[0];
    rig.device->unload(program);
    rig.device->release(memory);
    return value;
  }
  [[nodiscard]] std::size_t compiled() const {
    std::size_t count = 0;
    for (const auto& item : std::filesystem::directory_iterator(scratch.path() / "pintle"))
      count += item.path().extension() == ".so" ? 1U : 0U;
    return count;
  }

  ScratchFolder scratch;
  CpuRig rig;
};

TEST_F(CpuSource, MacrosAreText) {
  const std::vector<Macro> macros{{"TYPE", "float"}, {"ADD(a,b)", "a + b"}, {"EMPTY", ""}};
  EXPECT_EQ(value("sizeof(TYPE) EMPTY", {std::span(macros).first(1), {}, {}}, {}, "#define EMPTY\n"), 4);
  EXPECT_EQ(value("ADD(2, 3) EMPTY", {macros, {}, {}}), 5);
  const std::vector<Macro> doubles{{"TYPE", "double"}};
  EXPECT_EQ(value("sizeof(TYPE) EMPTY", {doubles, {}, {}}, {}, "#define EMPTY\n"), 8);
}

TEST_F(CpuSource, IntegersAreIntegersAndDoublesAreDoubles) {
  const std::string sized = "#if N == 16\nstatic char table[N];\n#endif\n";
  EXPECT_EQ(value("sizeof table", {}, {constant("N", 16u)}, sized), 16);
  EXPECT_EQ(value("sizeof table", {}, {constant("N", std::int64_t{16})}, sized), 16);
  EXPECT_EQ(value("N / 32", {}, {constant("N", 16.0)}), 0.5);
  EXPECT_EQ(value("N / 32", {}, {constant("N", 16u)}), 0);
  // A side of a group is a size, whatever it was given as.
  EXPECT_EQ(value("sizeof table", {}, {side(constant("N", 16.0))}, sized), 16);
}

TEST_F(CpuSource, TheLanguageIsWhatWasAskedFor) {
  EXPECT_EQ(value("__STDC_VERSION__", {}), 201112);
  EXPECT_EQ(value("__STDC_VERSION__", {{}, {}, "c99"}), 199901);
  EXPECT_EQ(value("__STDC_VERSION__ == 201710L", {{}, {}, "gnu17"}), 1);
  EXPECT_EQ(value("sizeof(typeof(1.0f))", {{}, {}, "gnu11"}), 4);
  for (const std::string_view other : {"CL2.0", "460", "c++17", "c", "gnu", "11", "c11 -w"}) {
    const auto refused = load("int fine;", {{}, {}, other});
    ASSERT_FALSE(refused) << other;
    EXPECT_EQ(refused.error().code(), Errc::unsupported);
    EXPECT_THAT(refused.error().text(), AllOf(HasSubstr(std::string(other)), HasSubstr("c11")));
  }
}

TEST_F(CpuSource, ChangedIncludesAreCompiledAgain) {
  const std::vector<std::string> folders{scratch.path().string()};
  const SourceOptions source{{}, folders, {}};
  const std::string include = "#include \"number.h\"\n#include <more.h>\n";
  scratch.write("number.h", "#define NUMBER 3\n");
  scratch.write("more.h", "#define MORE 10\n");
  EXPECT_EQ(value("NUMBER + MORE", source, {}, include), 13);
  EXPECT_EQ(value("NUMBER + MORE", source, {}, include), 13);
  EXPECT_EQ(compiled(), 1u);
  scratch.write("number.h", "#define NUMBER 4\n");
  EXPECT_EQ(value("NUMBER + MORE", source, {}, include), 14);
  scratch.write("more.h", "#define MORE 20\n");
  EXPECT_EQ(value("NUMBER + MORE", source, {}, include), 24);
  EXPECT_EQ(compiled(), 3u);
}

/// A path in the text needs no folder, and neither does a macro that names a file.
TEST_F(CpuSource, ChangedFilesWithAPathAreCompiledAgain) {
  const std::string path = scratch.write("path.h", "#define NUMBER 3\n").string();
  EXPECT_EQ(value("NUMBER", {}, {}, "#  include  \"" + path + "\"\n"), 3);
  const std::string quoted = "\"" + path + "\"";
  const std::vector<Macro> macros{{"FILE_NAME", quoted}};
  EXPECT_EQ(value("NUMBER", {macros, {}, {}}, {}, "#include FILE_NAME\n"), 3);
  scratch.write("path.h", "#define NUMBER 4\n");
  EXPECT_EQ(value("NUMBER", {}, {}, "#  include  \"" + path + "\"\n"), 4);
  EXPECT_EQ(value("NUMBER", {macros, {}, {}}, {}, "#include FILE_NAME\n"), 4);
}

TEST_F(CpuSource, AFolderThatIsNoneIsNamed) {
  const std::vector<std::string> folders{"/nowhere/at/all"};
  const auto refused = load("int fine;", {{}, folders, {}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::not_found);
  EXPECT_THAT(refused.error().text(), HasSubstr("/nowhere/at/all"));
}

TEST_F(CpuSource, CompiledFormatsRefuseEachOptionByName) {
  must(cpu::register_kernel("out", [](const pintle_group*, void* const*) {}));
  const std::vector<Macro> macros{{"TYPE", "float"}};
  const std::vector<std::string> folders{"/usr/include"};
  for (const std::string_view format : {"native", "so"}) {
    const auto refusal = [&](const SourceOptions& source) {
      const auto loaded = load("", source, {}, format);
      EXPECT_EQ(loaded.error().code(), Errc::unsupported);
      return loaded.error().text();
    };
    EXPECT_THAT(refusal({macros, folders, "c11"}), AllOf(HasSubstr("macro \"TYPE\""), HasSubstr(std::string(format))));
    EXPECT_THAT(refusal({{}, folders, "c11"}), HasSubstr("include folder \"/usr/include\""));
    EXPECT_THAT(refusal({{}, {}, "c11"}), HasSubstr("language \"c11\""));
    const auto constants = load("", {}, {side(constant("TILE", 8u)), constant("N", 8u)}, format);
    EXPECT_EQ(constants.error().code(), Errc::unsupported);
    EXPECT_THAT(constants.error().text(), HasSubstr("constant \"N\""));
  }
  // Code in C reads the size of its group when it runs.
  rig.device->unload(must(load("", {}, {side(constant("TILE", 8u))}, "native")));
}

/// Code of OpenCL C, which has a text of what it lacks, has its group's size in it.
TEST_F(CpuSource, CodeForOneSizeRefusesASide) {
  const auto compiled = [](const std::string& more) {
    const base::CCompiler compiler = must(base::find_c_compiler());
    std::vector<std::string> command = compiler.command;
    command.insert(command.end(), {"-shared", "-fPIC"});
    return must(base::compile_c("code", command, "void out(void* group, void** a) { (void)group; (void)a; }\n" + more));
  };
  const auto text = [](const std::vector<std::byte>& code) {
    return std::string_view(reinterpret_cast<const char*>(code.data()), code.size());
  };
  const std::vector<Constant> tile{side(constant("TILE", 8u))};
  const auto any = compiled(""), fixed = compiled("const char pintle_refusals[] = \"pintle refusals:\\n\";\n");
  rig.device->unload(must(load(text(any), {}, tile, "so")));
  rig.device->unload(must(load(text(fixed), {}, {}, "so")));
  const auto refused = load(text(fixed), {}, tile, "so");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::unsupported);
  EXPECT_THAT(refused.error().text(), AllOf(HasSubstr("\"TILE\""), HasSubstr("OpenCL C")));
}

TEST_F(CpuSource, CHasSubgroupsOfOneItemOnly) {
  const std::string_view code = "void out(const pintle_group* g, double* out) { (void)g; (void)out; }";
  for (const std::uint32_t items : {1U, 16U}) {
    const std::vector<Entry> entries{
        must(Entry::parse("out(out: write f64[]) group 1 subgroup " + std::to_string(items)))};
    std::vector<backend::LeftOut> left_out;
    rig.device->unload(must(rig.device->load({"one", "c", std::as_bytes(std::span(code)), entries, {}, &left_out})));
    ASSERT_EQ(left_out.size(), items == 1 ? 0U : 1U);
    if (items == 1) continue;
    EXPECT_EQ(left_out[0].entry, "out");
    EXPECT_THAT(left_out[0].reason, AllOf(HasSubstr("subgroups of (16)"), HasSubstr("of (1) in its code")));
    const auto refused = rig.device->load({"one", "c", std::as_bytes(std::span(code)), entries, {}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::build_failed);
  }
  EXPECT_EQ(rig.device->info().limits.min_subgroup, 1u);
  EXPECT_EQ(rig.device->info().limits.max_subgroup, 128u);
}

TEST(CDefines, AreConstantsThenMacros) {
  const std::vector<Macro> macros{{"TYPE", "float"}};
  const std::vector<Constant> constants{constant("N", 16u), side(constant("TILE", 16.0)), constant("A", 0.5)};
  backend::ProgramImage image{};
  image.constants = constants;
  image.source.macros = macros;
  EXPECT_THAT(must(kit::c_defines(image)), ElementsAre("N=16u", "TILE=16", "A=(0x1p-1)", "TYPE=float"));
}

constexpr std::string_view doubtful =
    "// pintle: compiler gcc\n"
    "typedef float f4 __attribute__((ext_vector_type(4)));\n"
    "void out(const pintle_group* g, double* out) { (void)g; (void)out; }\n";

/// Settings and log belong to the process, so each case has one of its own.
class CpuSourceDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  static Result<void> load(std::string_view code) {
    const ScratchFolder scratch;
    setenv("XDG_CACHE_HOME", scratch.path().c_str(), 1);
    const CpuRig rig;
    const std::vector<Entry> entries{must(Entry::parse("out(out: write f64[]) group 1"))};
    PINTLE_TRY(rig.device->load({"source", "c", std::as_bytes(std::span(code)), entries, {}}));
    return {};
  }
};

TEST_F(CpuSourceDeathTest, WarningsReachTheLog) {
  EXPECT_EXIT(
      {
        set_log_callback([](LogLevel level, std::string_view category, std::string_view message) {
          std::cerr << name(level) << " " << category << ": " << message << "\n";
        });
        std::exit(load(doubtful).has_value() ? 0 : 1);
      },
      testing::ExitedWithCode(0),
      "warn c: \\[Program \"source\"\\] compiles with warnings:\nsource\\.c:2:.*ext_vector_type");
}

TEST_F(CpuSourceDeathTest, WarningsAreErrorsWhereTheSettingSaysSo) {
  constexpr std::string_view fine =
      "// pintle: compiler gcc\nvoid out(const pintle_group* g, double* out) { *out = g->id[0]; }";
  EXPECT_EXIT(
      {
        setenv("PINTLE_WERROR", "1", 1);
        const auto refused = load(doubtful);
        if (!refused) std::cerr << name(refused.error().code()) << ": " << refused.error().text() << "\n";
        std::exit(load(fine).has_value() ? 0 : 1);
      },
      testing::ExitedWithCode(0), "build_failed: .*\nsource\\.c:2:.*ext_vector_type");
}

}  // namespace
}  // namespace pintle::test
