#include "backends/pjrt/found_device.h"

#include <fmt/format.h>

#include "kit/host_cpus.h"
#include "kit/one_line.h"
#include "pintle/entry.h"

namespace pintle::pjrt {
namespace {

constexpr std::uint32_t any = 1U << 31;

/// A launch is one group of whatever is launched; the sizes of groups and their scratch memory are the plug-in's
/// affair.
Limits limits_of(const Session& session) {
  const Client client(session, 0, {});
  const auto told = client.memory();
  Limits limits;
  limits.max_allocation = told ? told->total : kit::host_memory("/").total;
  limits.max_binding = limits.max_allocation;
  limits.max_group = {any, any, any};
  limits.max_group_items = any;
  limits.max_local_bytes = any;
  limits.max_buffers = Entry::max_parameters;
  limits.max_scalar_bytes = Entry::max_parameters * sizeof(std::uint64_t);
  limits.max_in_flight = max_in_flight;
  return limits;
}

std::vector<Capability> capabilities() {
  using enum Feature;
  return {
      {execution, Support::native,
       "whole arrays: a part of one, or bytes that were computed as another type or shape, go through the host"},
      {copy_queue, Support::emulated, "PJRT has no queues: copies share or move arrays on a thread of the backend"},
      {host_call, Support::emulated,
       "PJRT runs no host code: a thread of the backend cuts the submission there, waits and calls"},
      {timestamp, Support::emulated, "PJRT has no clock: the host's is read when everything before is done"},
      {indirect, Support::emulated, "the host reads the grid when everything before is done"},
      {mapped_memory, Support::absent, "an array of PJRT has no address that stays"},
      {recording, Support::absent, "an executable is compiled code already: the list is run again"},
      {notification, Support::native, "by the plug-in's callbacks"},
      {host_import, Support::absent, "results of PJRT are new arrays, never the host's bytes"},
      {memory_export, Support::absent, "PJRT has no handles of memory"},
      {calibration, Support::native, "timestamps read the host's clock"},
      {constants, Support::absent, "StableHLO has no constants that are set at load"},
      {local_arguments, Support::absent, "a whole-array program has no groups that share scratch memory"},
      {float_atomics, Support::absent, "a whole-array program has no atomics"},
      {bounds, Support::absent, "a whole-array program has no accesses outside of its arguments"},
      {images, Support::absent, "PJRT has no images"},
      {texel_buffers, Support::absent, "PJRT has no texel buffers"},
      {immediates, Support::emulated,
       "a scalar is an array of rank 0: it is uploaded at the launch when it has changed"},
      {subgroups, Support::absent, "a whole-array program has no groups"},
      {subgroup_matrices, Support::absent,
       "a whole-array program has no groups; the plug-in compiles its dot products"},
      {optional_buffers, Support::absent, "each argument of a program is an array, and none stands for no buffer"},
  };
}

FoundDevice describe(const Session& session, std::size_t ordinal) {
  FoundDevice found{&session, {}};
  DeviceInfo& info = found.info;
  info.id = fmt::format("pjrt:{}", ordinal);
  info.backend = "pjrt";
  info.name = session.platform;
  info.driver =
      kit::one_line(fmt::format("{}, PJRT {}.{}, {} devices, {}", session.plugin->stem, session.plugin->api.major,
                                session.plugin->api.minor, session.devices.size(), session.version));
  info.kind = session.platform == "cpu" ? DeviceKind::software : DeviceKind::accelerator;
  info.formats = {"stablehlo", "pjrt_executable"};
  info.limits = limits_of(session);
  info.capabilities = capabilities();
  return found;
}

}  // namespace

FoundDevices find_devices() {
  FoundDevices found;
  Plugins all = plugins();
  found.absences = std::move(all.absences);
  for (const Plugin* const plugin : all.all) {
    const Result<const Session*> session = session_of(*plugin);
    if (session) {
      found.devices.push_back(describe(**session, found.devices.size()));
    } else {
      found.absences.push_back(
          absence_of(session.error(), fmt::format("Plug-in {}: ", plugin->path),
                     "Read what the plug-in needs: drivers, rights, or a device that nobody else has."));
    }
  }
  return found;
}

}  // namespace pintle::pjrt
