// Whether a kernel of OpenCL C may ask a texel buffer how large it is and what it has. PoCL was seen to end the process
// at that, so its kernels that ask are refused until a trial here has seen answers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "base/kept_number.h"
#include "base/temporary_folder.h"
#include "cli/child.h"
#include "cli/findings.h"
#include "cli/trials.h"
#include "pintle/pintle.h"

namespace pintle::cli {
namespace {

constexpr auto patience = std::chrono::minutes(1);
constexpr std::uint32_t count = 17;
constexpr std::string_view code = R"(
kernel void ask(read_only image1d_buffer_t in, write_only image1d_buffer_t out, global uint* told) {
  told[0] = get_image_width(in);
  told[1] = get_image_width(out);
  told[2] = get_image_channel_order(in) == CLK_RGBA && get_image_channel_order(out) == CLK_RGBA;
  told[3] = get_image_channel_data_type(in) == CLK_UNSIGNED_INT32 && get_image_channel_data_type(out) == CLK_UNSIGNED_INT32;
})";

bool has_questions(const DeviceInfo& info) {
  return info.backend == "opencl" && info.limits.max_texel_buffer != 0 &&
         std::ranges::count(info.formats, "opencl_c") != 0;
}

std::string subject_of(const DeviceInfo& info) {
  return base::texel_questions_with(info.backend, info.name, info.driver);
}

/// A process whose cache says that this driver answers: nothing is refused there.
Result<base::ProcessOutput> ask_in_child(const DeviceInfo& info) {
  PINTLE_ASSIGN(folder, base::TemporaryFolder::create());
  PINTLE_TRY(base::keep_number(folder.path(), subject_of(info), 1));
  return run_child({"PINTLE_CACHE_DIR=" + folder.path()}, {"doctor", "--ask", info.id}, patience);
}

Finding look_at(const DeviceInfo& info) {
  const std::string subject = info.id + " texel questions";
  const auto child = ask_in_child(info);
  const bool answers = child && child->status == 0;
  const bool is_known =
      answers || (child && (has_crashed(*child) || child->status == static_cast<int>(ExitCode::internal)));
  if (!is_known) {
    return {subject, Verdict::warn,
            fmt::format("A trial says nothing: {}", child ? "it " + end_of(*child) : child.error().text()),
            "Try again."};
  }
  if (const auto kept = keep(subject_of(info), answers ? 1 : 0); !kept)
    return {subject, Verdict::fail, kept.error().text(), "See the row of the cache."};
  if (answers) return {subject, Verdict::ok, "a kernel asks an image1d_buffer_t for its width, order and type", ""};
  return {subject, Verdict::warn,
          fmt::format("No kernel can ask an image1d_buffer_t for its width, order or type: a trial {}", end_of(*child)),
          "Give kernels the size as a parameter. On PoCL one that asks is refused; update the driver, then try again."};
}

}  // namespace

Findings check_questions() { return look_at_each(has_questions, look_at); }

Result<void> ask_texels(const std::string& id) {
  PINTLE_ASSIGN(device, open(id));
  PINTLE_ASSIGN(pack, ProgramPack::source("opencl_c", code,
                                          {"ask(in: read texel_buffer rgba32ui, out: write texel_buffer rgba32ui, "
                                           "told: write u32[])"}));
  PINTLE_ASSIGN(program, device.load(pack));
  PINTLE_ASSIGN(kernel, program.kernel("ask"));
  PINTLE_ASSIGN(queue, device.create_queue());
  PINTLE_ASSIGN(in, device.allocate(DType::u32, {4 * count}));
  PINTLE_ASSIGN(out, device.allocate(DType::u32, {4 * count}));
  PINTLE_ASSIGN(told, device.allocate(DType::u32, {4}));
  constexpr Texel texel = Texel::rgba32ui;
  PINTLE_TRY(queue.submit_and_wait(
      CommandList{}.exec(kernel, Grid{1}, TexelBuffer{in, texel}, TexelBuffer{out, texel}, told), patience));
  PINTLE_ASSIGN(answers, read<std::uint32_t>(queue, told));
  if (answers == std::vector<std::uint32_t>{count, count, 1, 1}) return {};
  return Error(Errc::internal, fmt::format("The driver answers ({}) where ({}, {}, 1, 1) is right.",
                                           fmt::join(answers, ", "), count, count));
}

}  // namespace pintle::cli
