#include "bench/match.h"

#include <fmt/format.h>

#include <utility>

namespace pintle::bench {
namespace {

Target unplaced(const DeviceInfo& device) {
  return {device.backend, device.name, device.backend == "vulkan" ? device.uuid : device.driver};
}

bool is_alike(const Target& one, const Target& other) {
  return one.backend == other.backend && one.name == other.name && one.mark == other.mark;
}

}  // namespace

Result<Target> target_of(const DeviceInfo& device) {
  PINTLE_ASSIGN(listed, devices());
  Target target = unplaced(device);
  for (const DeviceInfo& one : listed.devices) {
    if (one.id == device.id) return target;
    if (is_alike(unplaced(one), target)) ++target.before;
  }
  return Error(Errc::not_found, fmt::format("[{}] is not listed: the reference cannot find it.", device.id));
}

Result<Match> Match::open(std::string_view id) {
  Match match;
  PINTLE_ASSIGN(rig, Rig::open(id));
  match.rig = std::move(rig);
  match.unfit = match.rig.unfit;
  if (!match.unfit.empty()) return match;
  PINTLE_ASSIGN(target, target_of(match.rig.device.info()));
  auto direct = open_direct(target);
  if (direct) {
    match.direct = *std::move(direct);
  } else if (direct.error().code() == Errc::unsupported) {
    match.unfit = direct.error().text();
  } else {
    return direct.error();
  }
  return match;
}

}  // namespace pintle::bench
