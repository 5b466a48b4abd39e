// Macros, folders of includes, versions of the language, constants; printf; atomics of floats.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <mutex>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "pintle/log.h"
#include "rig.h"

namespace pintle::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view signature = "f(out: write i64[]) group 1";

Result<Kernel> load(Device& device, std::string_view source, const LoadOptions& options,
                    std::string_view entry = signature) {
  const std::string_view signatures[] = {entry};
  PINTLE_ASSIGN(program, device.load(must(ProgramPack::source("opencl_c", source, signatures)), options));
  return program.kernel("f");
}

std::int64_t result_of(std::string_view source, const LoadOptions& options) {
  Device device = device_of("cpu");
  Queue queue = must(device.create_queue());
  Buffer out = must(device.allocate_for(std::vector<std::int64_t>(1)));
  must(queue.submit(CommandList{}.exec(must(load(device, source, options)), Grid{1, 1, 1}, out)));
  return must(read<std::int64_t>(queue, out))[0];
}

TEST(OpenClCOptions, MacrosAreText) {
  LoadOptions options;
  options.macros = {{"TYPE", "long"}, {"VALUE", "(TYPE)40 + 2"}};
  EXPECT_EQ(result_of("kernel void f(global TYPE* out) { out[0] = VALUE; }", options), 42);
}

TEST(OpenClCOptions, ConstantsAreExact) {
  LoadOptions options;
  options.constants = {{"LEAST", std::numeric_limits<std::int64_t>::min()},
                       {"MOST", std::numeric_limits<std::uint64_t>::max()},
                       {"SMALL", std::int8_t{-3}},
                       {"TENTH", 0.1}};
  EXPECT_EQ(result_of("kernel void f(global long* out) { out[0] = LEAST == (-0x7fffffffffffffffL - 1) && MOST == "
                      "0xffffffffffffffffUL "
                      "&& SMALL == -3 && TENTH == 0.1 && max(MOST, (ulong)get_global_id(0)) == MOST; }",
                      options),
            1);
}

TEST(OpenClCOptions, LanguagesHaveTheirVersions) {
  for (const auto& [language, number] : std::vector<std::pair<std::string, int>>{
           {"CL1.0", 100}, {"CL1.1", 110}, {"CL1.2", 120}, {"CL2.0", 200}, {"CL3.0", 300}, {"", 200}}) {
    LoadOptions options;
    options.language = language;
    EXPECT_EQ(
        result_of("kernel void f(global long* out) { out[0] = __OPENCL_C_VERSION__ + (long)floor(0.5f); }", options),
        number);
  }
}

TEST(OpenClCOptions, AnotherLanguageIsRefusedByName) {
  Device device = device_of("cpu");
  LoadOptions options;
  options.language = "c17";
  const auto refused = load(device, "kernel void f(global long* out) {}", options);
  ASSERT_FALSE(refused);
  EXPECT_THAT(std::string(refused.error().text()), HasSubstr("\"c17\" is none of OpenCL C's (CL1.0"));
}

TEST(OpenClCOptions, AnIncludedFileThatChangesIsReadAgain) {
  const auto folder = must(base::TemporaryFolder::create());
  const std::string source = "#include \"value.h\"\nkernel void f(global long* out) { out[0] = VALUE; }";
  LoadOptions options;
  options.include_folders = {folder / ""};
  for (const std::string value : {"7", "8"}) {
    must(base::write_file(folder / "value.h", base::bytes_in("#define VALUE " + value)));
    EXPECT_EQ(result_of(source, options), std::stol(value));
  }
}

TEST(OpenClCOptions, AFileThatIsNotThereIsTheCompilersError) {
  Device device = device_of("cpu");
  const auto refused = load(device, "#include \"nowhere.h\"\nkernel void f(global long* out) {}", {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(std::string(refused.error().text()), HasSubstr("nowhere.h"));
}

/// The lines of the log while it lives.
class Lines {
 public:
  Lines() {
    set_log_callback(
        [this](LogLevel, std::string_view category, std::string_view text) {
          if (category == "cpu") all_.emplace_back(text);
        },
        LogLevel::info);
  }
  ~Lines() { set_log_callback({}); }
  [[nodiscard]] const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;
};

std::vector<std::string> lines_of(std::string_view body, std::string_view entry = signature) {
  Device device = device_of("cpu?inline");
  const std::string source = "kernel void f(global long* out) {" + std::string(body) + "}";
  const Kernel kernel = must(load(device, source, {}, entry));
  Queue queue = must(device.create_queue());
  Buffer out = must(device.allocate_for(std::vector<std::int64_t>(1)));
  const Lines lines;
  const auto point = must(queue.submit(CommandList{}.exec(kernel, Grid{1, 1, 1}, out)));
  must(point.wait());
  return lines.all();
}

TEST(OpenClCPrintf, NumbersAndTextsAsTheConversionsSay) {
  EXPECT_THAT(lines_of("printf(\"%d|%5u|%-4x|%ld|%hhd|%c|%s|%%|%.2f|%e|\\n\", -7, 42u, 255, 1L << 40, 300, 'k', "
                       "\"text\", 0.25f + 2, 0.5);"),
              ElementsAre("-7|   42|ff  |1099511627776|44|k|text|%|2.25|5.000000e-01|"));
}

TEST(OpenClCPrintf, VectorsLaneByLane) {
  EXPECT_THAT(lines_of("printf(\"%v4hlf %v2d %v3hlx %v4hhd %v2ld %v8hd\\n\", (float4)(1, 2, 3, 4.5f), (int2)(-1, 2), "
                       "(int3)(10, 11, 12), "
                       "(char4)(1, -2, 3, -4), (long2)(5, -6), (short8)(1, 2, 3, 4, 5, 6, 7, -8));"),
              ElementsAre("1.000000,2.000000,3.000000,4.500000 -1,2 a,b,c 1,-2,3,-4 5,-6 1,2,3,4,5,6,7,-8"));
}

TEST(OpenClCPrintf, LinesAreWhole) {
  EXPECT_THAT(lines_of("printf(\"a%d \", (int)get_local_id(0)); if (get_local_id(0) == 1) printf(\"end\\nnext\");",
                       "f(out: write i64[]) group 2"),
              ElementsAre("a0 a1 end", "next"));
}

TEST(OpenClCPrintf, AConversionThatDoesNotFitPrintsWhatIsThere) {
  EXPECT_THAT(lines_of("printf(\"%s %d\\n\", 5, 1.5);"), ElementsAre("5 1.5"));
}

template <class T>
T atomics(std::string_view type, std::string_view dtype, const LoadOptions& options) {
  Device device = device_of("cpu");
  const std::string name(type);
  const std::string entry = "f(out: read_write " + std::string(dtype) + "[]) group 64";
  const Kernel kernel =
      must(load(device,
                "kernel void f(global " + name + "* out) { volatile global atomic_" + name +
                    "* a = (volatile global atomic_" + name +
                    "*)out;\n"
                    "local atomic_" +
                    name +
                    " l; if (get_local_id(0) == 0) atomic_init(&l, 0); barrier(CLK_LOCAL_MEM_FENCE);\n"
                    "atomic_fetch_add_explicit(&l, 0.5f, memory_order_relaxed, memory_scope_work_group); "
                    "barrier(CLK_LOCAL_MEM_FENCE);\n"
                    "if (get_local_id(0) == 0) atomic_fetch_add_explicit(a, atomic_load(&l), memory_order_relaxed, "
                    "memory_scope_device);\n"
                    "atomic_fetch_max_explicit(a + 1, (" +
                    name + ")get_global_id(0), memory_order_relaxed); atomic_fetch_min(a + 2, -(" + name +
                    ")get_global_id(0)); }",
                options, entry));
  Queue queue = must(device.create_queue());
  const std::vector<T> zero(3);
  Buffer out = must(device.allocate_for(zero));
  must(queue.submit(CommandList{}.upload(out, zero).exec(kernel, Grid{64, 1, 1}, out)));
  const auto values = must(read<T>(queue, out));
  EXPECT_EQ(values[1], 4095);
  EXPECT_EQ(values[2], -4095);
  return values[0];
}

TEST(OpenClCAtomics, FloatsAddTheirSums) {
  for (const std::string language : {"CL2.0", "CL3.0"}) {
    LoadOptions options;
    options.language = language;
    EXPECT_EQ(atomics<float>("float", "f32", options), 2048) << language;
    EXPECT_EQ(atomics<double>("double", "f64", options), 2048) << language;
  }
}

TEST(OpenClCAtomics, TheCpuSaysSo) {
  EXPECT_EQ(device_of("cpu").info().capability(Feature::float_atomics).support, Support::native);
}

TEST(OpenClCAtomics, LongsOfBothKinds) {
  LoadOptions options;
  EXPECT_EQ(result_of("#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
                      "kernel void f(global long* out) { out[0] = 5; atom_add(out, 1L << 40); atom_min(out, 7L); "
                      "atom_cmpxchg(out, 7L, -9L); atom_max(out, -3L); atomic_fetch_xor_explicit((volatile global "
                      "atomic_long*)out, 6L, memory_order_seq_cst); }",
                      options),
            -3L ^ 6L);
}

}  // namespace
}  // namespace pintle::test
