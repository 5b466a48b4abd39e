#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "opencl_support.h"
#include "scratch_folder.h"

namespace pintle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Ints = std::vector<std::int32_t>;
using Longs = std::vector<std::int64_t>;

/// What a load says of its source, with everything that it points to.
struct Options {
  std::vector<backend::Constant> constants;
  std::vector<backend::Macro> macros;
  std::vector<std::string> folders;
  std::string language;
};

Result<backend::ProgramId> load(OpenClRig& rig, std::string_view code, const std::string& signature,
                                const Options& options, std::string_view format = "opencl_c") {
  const std::vector<Entry> entries{must(Entry::parse(signature))};
  return rig.device->load({"test",
                           format,
                           base::bytes_in(code),
                           entries,
                           options.constants,
                           nullptr,
                           {options.macros, options.folders, options.language}});
}

/// Runs the one kernel of `code`, which fills `count` numbers.
template <class T>
std::vector<T> result_of(OpenClRig& rig, std::string_view code, std::string_view type, std::size_t count,
                         const Options& options) {
  const auto program = must(load(rig, code, "f(out: write " + std::string(type) + "[])", options));
  const auto out = rig.buffer(std::vector<T>(count, T{}));
  rig.run(launch(program, 0, {1, 1, 1}, {buffer_argument(range_of(out, 0, count * sizeof(T)))}));
  rig.device->unload(program);
  return rig.read<T>(out, count);
}

template <class T>
backend::Constant constant(std::string_view name, T value) {
  return {name, dtype_of<T>(), scalar_of(value)};
}

void write(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

class OpenClSourceTest : public OpenClTest {
 protected:
  template <class Matcher>
  void expect_refused(const Options& options, Errc code_of_error, Matcher matcher,
                      std::string_view code = "kernel void f(global int* out) { out[0] = 1; }") {
    on_each([&](OpenClRig& rig) {
      const auto loaded = load(rig, code, "f(out: write i32[])", options);
      ASSERT_FALSE(loaded);
      EXPECT_EQ(loaded.error().code(), code_of_error) << loaded.error().text();
      EXPECT_THAT(std::string(loaded.error().text()), matcher);
    });
  }
};

TEST_F(OpenClSourceTest, MacrosKeepSpacesQuotesAndOrder) {
  constexpr std::string_view code =
      "constant char text[] = TEXT;\n"
      "kernel void f(global DATA_TYPE* out) { out[0] = SUM; out[1] = text[3]; out[2] = EMPTY 7; out[3] = __LINE__; }";
  const Options options{
      {},
      {{"DATA_TYPE", "unsigned int"}, {"EMPTY", ""}, {"SUM", "(1 + 2) // three"}, {"TEXT", "\"a b'\\\"\""}},
      {},
      {}};
  on_each([&](OpenClRig& rig) {
    EXPECT_EQ(result_of<std::uint32_t>(rig, code, "u32", 4, options), (std::vector<std::uint32_t>{3, '\'', 7, 2}));
  });
}

TEST_F(OpenClSourceTest, TextThatWouldReachIntoTheNextLineIsRefused) {
  const auto words = [](std::string_view why) {
    return AllOf(HasSubstr("Macro \"M\""), HasSubstr("[Program \"test\"]"), HasSubstr(std::string(why)));
  };
  expect_refused({{}, {{"M", "1\n#define N 2"}}, {}, {}}, Errc::invalid_argument, words("an end of a line"));
  expect_refused({{}, {{"M", "1 \\"}}, {}, {}}, Errc::invalid_argument, words("a backslash at its end"));
  expect_refused({{}, {{"M", "1 /* one */ /* two"}}, {}, {}}, Errc::invalid_argument, words("does not end"));
}

TEST_F(OpenClSourceTest, IntegersAreIntegers) {
  constexpr std::string_view code = R"(
#if U8 != 255 || I8 != -128 || U16 != 65535 || I16 != -32768 || !YES || NO || U32 != 4294967295 || I32 >= -2147483647
#error "the preprocessor reads another number"
#endif
kernel void f(global long* out) {
  local int room[U32 / 1073741823];
  room[0] = 1;
  out[0] = U8; out[1] = I8; out[2] = U16; out[3] = I16; out[4] = U32; out[5] = I32; out[6] = I64;
  out[7] = (U64 == 18446744073709551615UL) + room[0]; out[8] = sizeof(U64) + sizeof(U32); out[9] = 7 / SEVEN;
}
)";
  const Options options{{constant("U8", std::uint8_t{255}), constant("I8", std::int8_t{-128}),
                         constant("U16", std::uint16_t{65535}), constant("I16", std::int16_t{-32768}),
                         constant("U32", ~std::uint32_t{0}), constant("I32", std::numeric_limits<std::int32_t>::min()),
                         constant("I64", std::numeric_limits<std::int64_t>::min()), constant("U64", ~std::uint64_t{0}),
                         constant("YES", true), constant("NO", false), constant("SEVEN", 7u)},
                        {},
                        {},
                        {}};
  on_each([&](OpenClRig& rig) {
    EXPECT_EQ(result_of<std::int64_t>(rig, code, "i64", 10, options),
              (Longs{255, -128, 65535, -32768, 4294967295, std::numeric_limits<std::int32_t>::min(),
                     std::numeric_limits<std::int64_t>::min(), 2, 12, 1}));
  });
}

TEST_F(OpenClSourceTest, FloatsAreExact) {
  constexpr std::string_view code =
      "kernel void f(global float* out) { out[0] = A; out[1] = B; out[2] = C; out[3] = D; out[4] = E; out[5] = F; "
      "out[6] = G; out[7] = 1 / H; out[8] = (float)(I / 2); }";
  const auto half = [](std::string_view name, std::uint16_t bits) {
    return backend::Constant{name, DType::f16, scalar_of(bits)};
  };
  const Options options{{constant("A", 0.1f), constant("B", -3.0f),
                         constant("C", std::numeric_limits<float>::infinity()), half("D", 0x3e00), half("E", 0x8001),
                         half("F", 0xfbff), half("G", 0x7e00), constant("H", -0.0f), constant("I", 5.0)},
                        {},
                        {},
                        {}};
  on_each([&](OpenClRig& rig) {
    const auto out = result_of<float>(rig, code, "f32", 9, options);
    constexpr float most = std::numeric_limits<float>::infinity();
    EXPECT_EQ((std::vector<float>(out.begin(), out.begin() + 6)),
              (std::vector<float>{0.1f, -3.0f, most, 1.5f, -0x1p-24f, -65504.0f}));
    EXPECT_TRUE(std::isnan(out[6]));
    EXPECT_EQ(out[7], -most);
    EXPECT_EQ(out[8], 2.5f);  // a whole f64 stays a float
  });
}

TEST_F(OpenClSourceTest, AnIncludedFileThatChangesIsReadAgain) {
  const ScratchFolder scratch;
  const auto folder = scratch.path() / "include";
  constexpr std::string_view code =
      "#include \"value.h\"\n"
      "kernel void f(global int* out) { out[0] = VALUE; }  // a comment that makes this long enough for the cache\n";
  const Options options{{}, {}, {folder.string()}, {}};
  on_each([&](OpenClRig& rig) {
    for (const std::int32_t value : {4, 5, 6}) {
      write(folder / "value.h", "#define VALUE " + std::to_string(value) + "\n");
      EXPECT_EQ(result_of<std::int32_t>(rig, code, "i32", 1, options), Ints{value});
    }
  });
}

TEST_F(OpenClSourceTest, FoldersThatDriversWouldSplitAreRefused) {
  expect_refused({{}, {}, {"/some folder"}, {}}, Errc::unsupported,
                 AllOf(HasSubstr("Include folder \"/some folder\""), HasSubstr("[Program \"test\"]")));
  expect_refused({{}, {}, {}, "CL1.2 -DX"}, Errc::unsupported, HasSubstr("Language \"CL1.2 -DX\""));
}

TEST_F(OpenClSourceTest, TheLanguageIsTheDrivers) {
  constexpr std::string_view code = "kernel void f(global int* out) { out[0] = __OPENCL_C_VERSION__; }";
  on_each([&](OpenClRig& rig) {
    EXPECT_EQ(result_of<std::int32_t>(rig, code, "i32", 1, {{}, {}, {}, "CL1.2"}), Ints{120});
  });
  expect_refused({{}, {}, {}, "CL9.9"}, Errc::build_failed, HasSubstr("-cl-std=CL9.9"));
}

// PoCL names the line of the text that it was given.
TEST_F(OpenClSourceTest, LinesKeepTheirNumbers) {
  expect_refused({{constant("N", 16u)}, {{"M", "1"}}, {}, {}}, Errc::build_failed, testing::ContainsRegex("[:(]3[:,)]"),
                 "\n\nnonsense here;\nkernel void f(global int* out) {}");
}

TEST_F(OpenClSourceTest, CompiledCodeHasNoSourceOptions) {
  on_each([](OpenClRig& rig) {
    const auto& formats = rig.device->info().formats;
    if (std::ranges::find(formats, "spirv_opencl") == formats.end()) return;
    const auto said = [&](const Options& options) {
      return load(rig, "no module", "f(out: write i32[])", options, "spirv_opencl").error();
    };
    for (const auto& [options, word] :
         std::vector<std::pair<Options, std::string>>{{{{}, {{"WIDTH", "4"}}, {}, {}}, "macro \"WIDTH\""},
                                                      {{{}, {}, {"/include"}, {}}, "include folder \"/include\""},
                                                      {{{}, {}, {}, "CL2.0"}, "language \"CL2.0\""},
                                                      {{{constant("N", 4u)}, {}, {}, {}}, "constant \"N\""}}) {
      EXPECT_EQ(said(options).code(), Errc::unsupported);
      EXPECT_THAT(std::string(said(options).message()), AllOf(HasSubstr(word), HasSubstr("spirv_opencl")));
    }
    Options side{{constant("TILE", 4u)}, {}, {}, {}};
    side.constants[0].is_side = true;
    EXPECT_NE(said(side).code(), Errc::unsupported) << said(side).text();  // it is no module, which is another error
  });
}

}  // namespace
}  // namespace pintle::test
