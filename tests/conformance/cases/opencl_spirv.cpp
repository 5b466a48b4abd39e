// The suite's OpenCL kernels as SPIR-V: the build compiles them where it finds clang 22 or later.
#include <algorithm>
#include <array>
#include <string>

#include "conformance/opencl_spirv.h"
#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

constexpr std::string_view format = "spirv_opencl";

void require_spirv(const Context& test) {
  const auto& formats = test.info().formats;
  if (std::ranges::find(formats, format) == formats.end())
    test.not_applicable("the device does not take the format spirv_opencl");
  test.require_bytes();
  if (opencl_spirv().empty()) test.missing("the build found no clang 22 to make SPIR-V of OpenCL C");
}

Result<ProgramPack> pack_with(std::span<const std::string_view> signatures, std::string_view code) {
  return ProgramPack::source(format, code, signatures, "opencl_spirv");
}

Program loaded(const Context& test) {
  const auto& signatures = kernel_signatures();
  const std::vector<std::string_view> views(signatures.begin(), signatures.end());
  const Program program = need(test.device().load(need(pack_with(views, opencl_spirv()))));
  CHECK_EQ(program.format(), format);
  return program;
}

/// Launches the entry from the source and from SPIR-V, three ways each: the bytes are the same.
void expect_agreement(Context& test, const Program& program, const std::string& entry, const Extent& extent,
                      std::span<const Operand> operands) {
  const Kernel kernel = need(program.kernel("conform_" + entry));
  CHECK(three_ways(test, kernel, extent, operands) == three_ways(test, test.kernel(entry), extent, operands));
}

DEVICE_TEST(OpenClSpirv, ComputesWhatItsSourceDoes) {
  require_spirv(test);
  const Program program = loaded(test);
  const auto x = ramp<float>(500, 0.1f, 0.3f), y = ramp<float>(500, 7.f, -0.7f);
  expect_agreement(test, program, "saxpy", Grid::cover(500),
                   std::array{Operand::scalar(1.5f), Operand::buffer(x), Operand::buffer(y), Operand::scalar(500u)});
  const std::vector<std::uint32_t> places(7 * 5 * 3, 9);
  expect_agreement(test, program, "fill_index", Cover{7, 5, 3},
                   std::array{Operand::buffer(places), Operand::scalar(7u), Operand::scalar(5u), Operand::scalar(3u)});
  const std::vector<std::uint32_t> groups(9 * 8, 0);
  expect_agreement(test, program, "record_groups", Grid{2, 2, 2}, std::array{Operand::buffer(groups)});
}

// Barriers and memory of the group.
DEVICE_TEST(OpenClSpirv, ItemsOfAGroupMeet) {
  require_spirv(test);
  const auto in = ramp<std::uint32_t>(1000, 3, 7);
  const std::vector<std::uint32_t> out(16, 0);
  expect_agreement(test, loaded(test), "reduce", Grid::cover(1000),
                   std::array{Operand::buffer(in), Operand::buffer(out), Operand::scalar(1000u)});
}

DEVICE_TEST(OpenClSpirv, TakesScalarsOfEverySize) {
  require_spirv(test);
  const Program program = loaded(test);
  const std::vector<std::uint64_t> wide(65, 0);
  const std::vector<std::uint8_t> narrow(65, 0);
  expect_agreement(test, program, "put_u64", Grid::cover(65),
                   std::array{Operand::scalar(std::uint64_t{1} << 40), Operand::buffer(wide), Operand::scalar(65u)});
  expect_agreement(test, program, "put_u8", Grid::cover(65),
                   std::array{Operand::scalar(std::uint8_t{200}), Operand::buffer(narrow), Operand::scalar(65u)});
}

DEVICE_TEST(OpenClSpirv, AnotherDeclarationIsRefused) {
  require_spirv(test);
  const auto refused = [&](std::string_view signature, std::string_view words) {
    const auto program = test.device().load(need(pack_with(std::array{signature}, opencl_spirv())));
    check_error(program, Errc::build_failed, {words});
  };
  refused("conform_none(x: read u32[])", "conform_none");
  refused("conform_saxpy(a: f32, x: read f32[], y: read_write f32[]) group 256", "(4)");
  // A scalar of the size of a pointer passes: of SPIR-V the driver tells sizes alone.
  refused("conform_saxpy(a: read f32[], x: read f32[], y: read_write f32[], n: u32) group 256", "\"a\"");
  refused("conform_saxpy(a: f64, x: read f32[], y: read_write f32[], n: u32) group 256", "\"a\"");
}

DEVICE_TEST(OpenClSpirv, CodeThatIsNoneIsRefused) {
  require_spirv(test);
  constexpr std::string_view signature = "conform_nothing()";
  const auto load = [&](std::string_view code) {
    return test.device().load(need(pack_with(std::array{signature}, code)));
  };
  check_error(load("this is no SPIR-V, whoever reads it"), Errc::build_failed, {"spirv_opencl"});
  check_error(load(opencl_spirv().substr(0, 24)), Errc::build_failed, {"spirv_opencl"});
}

}  // namespace
}  // namespace pintle::conformance
