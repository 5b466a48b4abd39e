// What a driver says of itself, its device and its contexts.
#include "facts/session.h"

namespace facts {
namespace {

/// "1024 1024 64".
std::string attributes(Session& session, std::initializer_list<DeviceAttribute> wanted) {
  std::string line;
  for (const DeviceAttribute each : wanted) {
    int value = 0;
    expect(session.cuda.cuDeviceGetAttribute(&value, each, 0), "cuDeviceGetAttribute");
    line += (line.empty() ? "" : " ") + std::to_string(value);
  }
  return line;
}

std::string version(Session& session) {
  int version = 0;
  expect(session.cuda.cuDriverGetVersion(&version), "cuDriverGetVersion");
  return std::to_string(version);
}

std::size_t free_bytes(Session& session) {
  std::size_t available = 0, all = 0;
  expect(session.cuda.cuMemGetInfo(&available, &all), "cuMemGetInfo");
  return available;
}

/// Rounded to a MiB.
std::string memory_of_a_context(Session& session) {
  const std::size_t before = free_bytes(session);
  Context made = nullptr;
  expect(session.cuda.cuCtxCreate(&made, context_schedule_auto, 0), "cuCtxCreate");
  const std::size_t after = free_bytes(session);
  expect(session.cuda.cuCtxDestroy(made), "cuCtxDestroy");
  return std::to_string((before - after + (std::size_t{1} << 19)) >> 20) + " MiB";
}

std::string primary_is_one(Session& session) {
  Context first = nullptr, second = nullptr;
  expect(session.cuda.cuDevicePrimaryCtxRetain(&first, 0), "cuDevicePrimaryCtxRetain");
  expect(session.cuda.cuDevicePrimaryCtxRetain(&second, 0), "cuDevicePrimaryCtxRetain");
  for (int use = 0; use < 2; ++use) expect(session.cuda.cuDevicePrimaryCtxRelease(0), "cuDevicePrimaryCtxRelease");
  return first == second ? "yes" : "no";
}

constexpr Rule rules[] = {
    {"driver.version", "line 17", &version, Of::cuda},
    {"device.capability", "line 24",
     [](Session& s) {
       return attributes(s, {DeviceAttribute::compute_capability_major, DeviceAttribute::compute_capability_minor});
     },
     Of::cuda},
    {"device.items_of_a_group", "line 22",
     [](Session& s) { return attributes(s, {DeviceAttribute::max_threads_per_block}); }, Of::cuda},
    {"device.sides_of_a_group", "line 22",
     [](Session& s) {
       return attributes(s, {DeviceAttribute::max_block_x, DeviceAttribute::max_block_y, DeviceAttribute::max_block_z});
     },
     Of::cuda},
    {"device.sides_of_a_grid", "line 22",
     [](Session& s) {
       return attributes(s, {DeviceAttribute::max_grid_x, DeviceAttribute::max_grid_y, DeviceAttribute::max_grid_z});
     },
     Of::cuda},
    {"device.shared_memory_of_a_group", "line 200",
     [](Session& s) {
       return attributes(s, {DeviceAttribute::max_shared_per_block, DeviceAttribute::max_shared_per_block_opt_in});
     },
     Of::cuda},
    {"device.items_of_a_subgroup", "line 22", [](Session& s) { return attributes(s, {DeviceAttribute::warp_size}); },
     Of::cuda},
    {"device.integrated", "line 22", [](Session& s) { return attributes(s, {DeviceAttribute::integrated}); }, Of::cuda},
    {"device.memory_of_a_context", "line 32", &memory_of_a_context, Of::cuda},
    {"device.primary_context_is_one", "line 47", &primary_is_one, Of::cuda},
};

}  // namespace

std::span<const Rule> device_rules() { return rules; }

}  // namespace facts
