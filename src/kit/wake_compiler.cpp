#include "kit/wake_compiler.h"

#include <array>
#include <chrono>
#include <mutex>
#include <set>
#include <string>

#include "base/contain.h"
#include "base/log.h"

namespace pintle::kit {
namespace {

/// Once for each backend: another backend may have another compiler.
bool is_first(const std::string& backend) {
  static auto& mutex = *new std::mutex;
  static auto& awake = *new std::set<std::string>;
  const std::lock_guard lock(mutex);
  return awake.insert(backend).second;
}

Result<void> launch(backend::Device& device, backend::ProgramId program, backend::QueueId queue) {
  const std::array list{backend::Command{backend::Exec{.program = program, .grid = {1, 1, 1}}}};
  PINTLE_ASSIGN(serial, device.submit(queue, {}, {list, {}}));
  return device.wait(queue, serial, Clock::now() + std::chrono::seconds(5));
}

Result<void> launch(backend::Device& device, const backend::ProgramImage& image) {
  PINTLE_ASSIGN(program, device.load(image));
  const auto queue = device.create_queue({});
  auto launched = queue ? launch(device, program, *queue) : Result<void>(queue.error());
  if (queue) device.destroy_queue(*queue);
  device.unload(program);
  return launched;
}

}  // namespace

void wake_compiler(backend::Device& device, std::string_view format, std::span<const std::byte> code) {
  const auto launched = base::contain("waking the compiler", [&]() -> Result<void> {
    if (!is_first(device.info().backend)) return {};
    const std::array entries{Entry{.name = "trial", .parameters = {}, .group_size = {1, 1, 1}}};
    return launch(device, {"trial", format, code, entries, {}});
  });
  if (launched) return;
  base::log(LogLevel::warn, "kit", "[{}] launches no trial kernel: {}", device.info().id, launched.error().text());
}

}  // namespace pintle::kit
