#include <fmt/format.h>

#include <vector>

#include "base/settings.h"
#include "cli/findings.h"
#include "opencl_c/toolchain.h"
#include "pintle/commands.h"
#include "pintle/device.h"
#include "pintle/program.h"
#include "pintle/queue.h"

namespace pintle::cli {
namespace {

constexpr std::string_view code = R"(
void answer(const pintle_group* group, void* const* arguments) {
  ((uint32_t*)arguments[0])[group->id[0]] = 40 + *(const uint32_t*)arguments[1];
})";

Result<std::vector<std::uint32_t>> compile_and_run() {
  PINTLE_ASSIGN(device, open("cpu"));
  PINTLE_ASSIGN(pack, ProgramPack::source("c", code, {"answer(to: write u32[], n: u32)"}, "doctor"));
  PINTLE_ASSIGN(kernel, device.load(pack, "answer"));
  PINTLE_ASSIGN(buffer, device.allocate(DType::u32, {1}));
  PINTLE_ASSIGN(queue, device.create_queue());
  PINTLE_TRY(queue.submit_and_wait(CommandList{}.exec(kernel, Grid{}, buffer, std::uint32_t{2})));
  return read<std::uint32_t>(queue, buffer);
}

std::string compiler() {
  const auto settings = base::settings();
  const bool chosen = settings && !(*settings)->cc.empty();
  return chosen ? fmt::format("PINTLE_CC ({})", (*settings)->cc) : "the first of cc, gcc and clang";
}

Finding check_c() {
  const auto answer = compile_and_run();
  const auto next_step = "Install a C compiler (Debian: apt install gcc) or set PINTLE_CC to one.";
  if (!answer) return {"compiler", Verdict::fail, answer.error().text(), next_step};
  if ((*answer)[0] != 42) {
    return {"compiler", Verdict::fail,
            fmt::format("A compiled program gives the wrong answer ({} instead of 42).", (*answer)[0]),
            "Set PINTLE_CC to another C compiler."};
  }
  return {"compiler", Verdict::ok, fmt::format("programs in the format c build with {}, and run", compiler()), ""};
}

/// Without it the cpu loads what is packed as `so`, and C.
Finding check_opencl_c() {
  const auto toolchain = opencl_c::find_toolchain();
  const auto next_step = "Install clang 19 (Debian: apt install clang-19 lld-19); until then the cpu loads so and c.";
  if (!toolchain) return {"opencl_c", Verdict::warn, std::string(toolchain.error().message()), next_step};
  return {"opencl_c", Verdict::ok,
          fmt::format("the cpu builds programs in the format opencl_c with {}", toolchain->clang), ""};
}

}  // namespace

Findings check_compiler() { return {check_c(), check_opencl_c()}; }

}  // namespace pintle::cli
