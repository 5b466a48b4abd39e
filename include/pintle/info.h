// The facts known of a device, opened or not: identity, limits, honest capabilities, or the reason why it is not there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/grid.h"
#include "pintle/texel.h"

namespace pintle {

/// The kind of machine behind a device. `best` picks hardware only: it never picks software or simulated devices.
enum class DeviceKind : std::uint8_t {
  cpu = 1,  ///< The host's processor.
  discrete_gpu = 2,
  integrated_gpu = 3,
  accelerator = 4,
  software = 5,   ///< A GPU API that runs on the host's processor (lavapipe, PoCL).
  simulated = 6,  ///< Executes nothing (the null device).
};
/// The kind's name, for example "discrete_gpu".
[[nodiscard]] std::string_view name(DeviceKind kind) noexcept;

/// Optional abilities; each is listed in `DeviceInfo::capabilities` as native, emulated or absent.
enum class Feature : std::uint8_t {
  execution = 1,           ///< Commands really move and compute bytes.
  copy_queue = 2,          ///< Queues that only copy, beside compute.
  host_call = 3,           ///< A host function as a command.
  timestamp = 4,           ///< Device clock readings as a command.
  indirect = 5,            ///< A grid read from device memory.
  mapped_memory = 6,       ///< Buffers that the host can address.
  recording = 7,           ///< Replay without submitting the list again.
  notification = 8,        ///< Completion told by the device, not watched by a thread.
  host_import = 9,         ///< Host memory used in place.
  memory_export = 10,      ///< Memory shared with other devices by an OS handle.
  calibration = 11,        ///< Device clock related to the host's.
  constants = 12,          ///< Specialisation constants given at load.
  local_arguments = 13,    ///< Scratch memory of a group as a kernel's argument, sized at the launch.
  float_atomics = 14,      ///< Atomic additions of f32 in buffers.
  bounds = 15,             ///< Accesses of a kernel outside of its arguments are found: the layer `bounds`.
  images = 16,             ///< Images and samplers; `DeviceInfo::texels` says of which texels.
  texel_buffers = 17,      ///< Buffers whose elements kernels read and write as texels.
  immediates = 18,         ///< Scalars reach a kernel with its launch, not through memory (push constants).
  subgroups = 19,          ///< Work-items of a subgroup exchange values; `Limits::min_subgroup` and `max_subgroup`.
  subgroup_matrices = 20,  ///< Small matrices that a subgroup multiplies together (cooperative matrices).
  optional_buffers = 21,   ///< A launch may give no buffer where the signature says `optional`.
};
/// The feature's name, for example "host_call".
[[nodiscard]] std::string_view name(Feature feature) noexcept;

/// How a device supports a feature.
enum class Support : std::uint8_t { native = 1, emulated = 2, absent = 3 };
/// "native", "emulated" or "absent".
[[nodiscard]] std::string_view name(Support support) noexcept;

/// One feature of a device, and how the device supports it; the conformance suite checks it.
struct Capability {
  Feature feature = Feature::execution;
  Support support = Support::absent;
  std::string detail;  ///< Emulated: how and at what cost. Absent: why.
  friend bool operator==(const Capability&, const Capability&) = default;
};

/// Limits that core enforces before anything is submitted.
struct Limits {
  std::uint64_t max_allocation = 0;    ///< Bytes of one buffer.
  std::uint64_t max_binding = 0;       ///< Bytes of one kernel argument's range.
  std::uint32_t offset_alignment = 1;  ///< Bytes: the offset of a kernel argument is a multiple of it.
  Grid max_grid{1, 1, 1};              ///< Work-groups of a launch, by dimension.
  Grid max_group{1, 1, 1};             ///< Work-items of a group, by dimension.
  std::uint32_t max_group_items = 1;   ///< Work-items of a group in all.
  std::uint32_t max_local_bytes = 0;   ///< Bytes of scratch memory of a work-group.
  std::uint32_t max_buffers = 0;       ///< Buffers that an entry point takes.
  std::uint32_t max_scalar_bytes = 0;  ///< Bytes of the scalars that an entry point takes, laid out as in a C struct.
  std::uint32_t max_in_flight = 0;     ///< Unfinished submissions of one queue; `submit` waits for room.
  std::uint32_t min_subgroup = 1;      ///< Work-items of a subgroup; a kernel may ask for a power of two from here
  std::uint32_t max_subgroup = 1;      ///< to here.
  std::uint32_t max_image_2d = 0;      ///< Texels of a side of an image of two dimensions; 0: there are no images.
  std::uint32_t max_image_3d = 0;      ///< Texels of a side of an image of three dimensions; 0: there are none.
  std::uint32_t max_texel_buffer = 0;  ///< Texels of a texel buffer; 0: there are none.
  std::uint32_t texel_alignment = 1;   ///< Bytes: the offset of a texel buffer is a multiple of it.
  friend bool operator==(const Limits&, const Limits&) = default;
};

/// The kind of work that a queue runs. A device without copy queues answers `unsupported` for `copy`: ask
/// `Feature::copy_queue`.
enum class QueueKind : std::uint8_t { compute = 1, copy = 2 };

/// Memory that a device allocates from.
struct Heap {
  std::string name;
  std::uint64_t total = 0;                 ///< Bytes.
  std::optional<std::uint64_t> available;  ///< Bytes; empty where they are unknown.
  std::uint64_t used = 0;                  ///< Bytes that this device object holds.
  std::string source;                      ///< Where the figures come from: "/proc/meminfo", "VK_EXT_memory_budget".
};

/// How work makes progress.
enum class Progress : std::uint8_t {
  own = 1,     ///< The device itself, or threads of the backend.
  driven = 2,  ///< The thread that submits, waits or polls (`cpu?inline`, event loops).
};

/// A program format that a device would take, and what is missing here.
struct AbsentFormat {
  std::string format;
  std::string reason;  ///< With the next step: "... Install the package clang-19 ...".
  friend bool operator==(const AbsentFormat&, const AbsentFormat&) = default;
};

/// A device as it is listed. Listing opens nothing.
struct DeviceInfo {
  std::string id;       ///< Stable and canonical: "cpu", "vulkan:0", "trace(cpu)".
  std::string backend;  ///< "cpu".
  std::string uuid;     ///< Empty where the driver gives none.
  std::string name;     ///< "AMD EPYC 7763".
  std::string driver;   ///< The driver's name and version.
  DeviceKind kind = DeviceKind::simulated;
  Progress progress = Progress::own;
  std::vector<std::string> formats;  ///< Program formats, best first.
  std::vector<AbsentFormat> absent_formats{};
  std::string target;                         ///< What native code must be built for: "x86_64-linux".
  std::vector<std::string> better_targets{};  ///< Targets that it takes too, best first: "x86_64-v4-linux".
  Limits limits;
  std::vector<Capability> capabilities;
  std::vector<TexelSupport> texels{};         ///< Those of images; a texel that is missing cannot be had.
  std::vector<TexelSupport> buffer_texels{};  ///< Those of texel buffers, in the same way.
  double nanoseconds_per_tick = 1;            ///< A tick of the device clock, which timestamps read.

  /// The capability of a feature; absent, with the reason "not listed", where the backend forgot it.
  [[nodiscard]] const Capability& capability(Feature feature) const noexcept;
  friend bool operator==(const DeviceInfo&, const DeviceInfo&) = default;
};

/// Why a backend has no device here.
struct Absence {
  std::string backend;
  std::string reason;     ///< The path tried and the loader's words.
  std::string next_step;  ///< What to do about it.
};

}  // namespace pintle
