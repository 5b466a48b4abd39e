#include <fmt/format.h>

#include <string>
#include <thread>

#include "cli/findings.h"
#include "pintle/device.h"
#include "pintle/native/cpu.h"

namespace pintle::cli {
namespace {

Result<cpu::CpuDevice> look() {
  PINTLE_ASSIGN(device, open("cpu"));
  return device.native<cpu::CpuDevice>();
}

std::string count(std::uint32_t threads) { return threads == 1 ? "1 thread" : fmt::format("{} threads", threads); }

}  // namespace

Findings check_threads() {
  const auto device = look();
  if (!device) return {{"threads", Verdict::fail, device.error().text(), "Correct what the message names."}};
  const auto text = fmt::format("the cpu device executes with {} of the {} processors that this process sees; {}",
                                count(device->threads), std::thread::hardware_concurrency(),
                                device->quota > 0 ? fmt::format("its cgroup pays for {:.4g} processors", device->quota)
                                                  : "its cgroup has no limit");
  return {{"threads", Verdict::ok, text, ""}};
}

}  // namespace pintle::cli
