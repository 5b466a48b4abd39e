// The seam, second half: what a backend implements, and nothing else. Core has checked every argument: sizes, ranges,
// alignments, ids, limits, launches. A backend translates and reports; it never re-checks and never aborts.
//
// Threads: `submit`, `record`, `forget`, `create_queue`, `wrap_queue` and `destroy_queue` of one device are called one
// at a time (core holds that device's lock); everything else may be called from any thread at any time. No call may
// throw. Loss: any call may answer device_lost (or process_poisoned). From the first such answer on the device touches
// no host memory any more, core calls nothing but the destructor, and calls that are already blocked return the same
// error.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "pintle/backend/command.h"
#include "pintle/deadline.h"
#include "pintle/error.h"
#include "pintle/info.h"
#include "pintle/placement.h"

namespace pintle::backend {

/// Raised by one whenever this header changes incompatibly; a module built for another is refused by name.
inline constexpr std::uint32_t seam_version = 3;

/// A submission of a queue of the same device. Core passes only serials that `submit` has already returned.
struct QueuePoint {
  QueueId queue = QueueId::none;
  std::uint64_t serial = 0;
};

struct MemoryRequest {
  std::uint64_t size = 0;       ///< Bytes, at least 1.
  std::uint64_t alignment = 1;  ///< A power of two, at most 4096.
  Placement placement = Placement::device;
  std::string_view label;
};

struct QueueRequest {
  QueueKind kind = QueueKind::compute;
  std::uint64_t first_serial = 0;  ///< `reached` answers this until the first submission, whose serial is one more.
  std::string_view label;
};

/// A value fixed at load time, by name.
struct Constant {
  std::string_view name;
  DType dtype = DType::u32;
  Scalar value;
};

/// One variant of a program, in a format that `DeviceInfo::formats` lists.
struct ProgramImage {
  std::string_view name;
  std::string_view format;
  std::span<const std::byte> code;
  std::span<const Entry> entries;
  std::span<const Constant> constants;
};

/// Told once, from any thread, when the serial is reached or the device is lost. It is short and does not call the
/// device.
struct Notification {
  void (*call)(void* state) = nullptr;
  void* state = nullptr;
};

/// Two clocks read as one moment.
struct ClockPair {
  std::uint64_t device_ticks = 0;
  Deadline host;
  Duration error{};  ///< Half the width of the interval in which both were read.
};

/// An operating system handle that another device can import.
struct Exported {
  int fd = -1;               ///< The caller that asked for it closes it.
  std::uint64_t offset = 0;  ///< Where the bytes begin in what the handle names,
  std::uint64_t size = 0;
  std::uint64_t whole = 0;  ///< which has this many.
  std::uint32_t kind = 0;   ///< The vendor's number for this kind of memory (Vulkan: the memory type).
};

/// An object of the vendor's API that exists already: a struct that the backend's public header declares under the name
/// `type`. It stays the caller's; the caller keeps it alive for as long as the backend uses it.
struct NativeObject {
  std::string_view type;
  const void* value = nullptr;  ///< The struct, during the call.
};

/// Native memory, of which `size` bytes are wanted.
struct NativeMemory {
  NativeObject object;
  std::uint64_t size = 0;
};

/// Memory that exists already, and stays its owner's: from another device, of the host, of the vendor's API.
using MemorySource = std::variant<Exported, std::span<std::byte>, NativeMemory>;

/// One incarnation of a physical device. The destructor waits for nothing: core has drained or given up.
class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  [[nodiscard]] virtual const DeviceInfo& info() const noexcept = 0;
  /// What each heap holds now.
  virtual Result<std::vector<Heap>> budget() = 0;

  /// `out_of_memory` says requested and available bytes. New memory has no defined contents.
  virtual Result<MemoryId> allocate(const MemoryRequest& request) = 0;
  /// Core calls it after the last use has been reached.
  virtual void release(MemoryId memory) noexcept = 0;

  /// `build_failed` carries the compiler's words. May block for as long as compiling takes. `image` is valid during the
  /// call.
  virtual Result<ProgramId> load(const ProgramImage& image) = 0;
  virtual void unload(ProgramId program) noexcept = 0;

  virtual Result<QueueId> create_queue(const QueueRequest& request) = 0;
  /// Core calls it when everything submitted has been reached.
  virtual void destroy_queue(QueueId queue) noexcept = 0;

  /// Starts the commands after `waits`, behind everything submitted to the queue before, and returns their serial: one
  /// more than the last. An error means that nothing was started. Does not block: at most `max_in_flight` submissions
  /// are unfinished. Nor does it run the work, since core holds the device's lock: a host call, and a vendor's call
  /// that runs the work itself, are made by a thread of the backend; on a driven device by the one that asks or waits.
  virtual Result<std::uint64_t> submit(QueueId queue, std::span<const QueuePoint> waits, const Commands& commands) = 0;
  /// The highest serial whose work, and all work before it, is finished and visible to the host. Polls where the API
  /// goes on only then; a device that is not driven does so by a thread of its own as well, while work is in flight.
  virtual Result<std::uint64_t> reached(QueueId queue) = 0;
  /// Blocks until `serial`, already submitted, is reached; `timeout` when the deadline passes first. It may poll, and
  /// keeps no other call waiting. On a driven device this is what runs the work: everything that is runnable, at least
  /// up to `serial`.
  virtual Result<void> wait(QueueId queue, std::uint64_t serial, Deadline deadline) = 0;

  // Optional. The default answers `unsupported`, and core does what the comment says.

  /// Otherwise a core thread waits.
  virtual Result<void> notify(QueueId queue, std::uint64_t serial, Notification notification);
  /// The bytes, at the same address each time, coherent with the device's work as points order it. Maps are counted:
  /// each is ended by one `unmap`. Otherwise core copies through host memory of its own.
  virtual Result<std::span<std::byte>> map(MemoryId memory);
  virtual void unmap(MemoryId memory) noexcept;
  /// Otherwise core submits the list again. `commands` stay valid until `forget`.
  virtual Result<RecordingId> record(const Commands& commands);
  virtual void forget(RecordingId recording) noexcept;
  /// Otherwise core copies between devices through the host.
  virtual Result<Exported> export_memory(MemoryId memory);
  /// `unsupported` also for one kind of source: then core copies, or refuses native memory. The bytes stay valid until
  /// `release`.
  virtual Result<MemoryId> import_memory(const MemorySource& source);
  /// As `create_queue`, over a native queue. Otherwise there is no such access.
  virtual Result<QueueId> wrap_queue(const NativeObject& queue, const QueueRequest& request);
  /// Otherwise the device clock stands alone.
  virtual Result<ClockPair> calibrate();
  /// Fills `*out`, a struct that the backend's public header declares under the name `type`, for the device (`object`
  /// 0) or for one of its ids. Otherwise there is no native access.
  virtual Result<void> native(std::string_view type, std::uint64_t object, void* out);
  /// Runs a tiny piece of work to learn whether the device is healthy. Otherwise core assumes that it is.
  virtual Result<void> probe();
};

/// One `key=value` of a device id ("cpu?inline": key "inline", empty value).
struct Option {
  std::string_view key;
  std::string_view value;
};

/// What a backend found. Explained absences are not errors.
struct Enumeration {
  std::vector<DeviceInfo> devices;  ///< In use order: the position is the ordinal.
  std::vector<Absence> absences;
};

/// One backend. Made at first use, lives for ever.
class Driver {
 public:
  virtual ~Driver() = default;
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  /// Looks without touching: creates no context and starts no thread.
  virtual Enumeration enumerate() = 0;
  /// Opens the device at `ordinal` of `enumerate`. An unknown option is `invalid_argument` naming the known ones.
  virtual Result<std::unique_ptr<Device>> open(std::uint32_t ordinal, std::span<const Option> options) = 0;
  /// Optional: a device over a native one, which messages call `id`. The default answers `unsupported`.
  virtual Result<std::unique_ptr<Device>> wrap(const NativeObject& device, std::string_view id);
};

/// A decorator over any device, so that `faulty(cpu)` is a device id.
class Layer {
 public:
  virtual ~Layer() = default;
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  virtual Result<std::unique_ptr<Device>> wrap(std::unique_ptr<Device> inner, std::span<const Option> options) = 0;
};

}  // namespace pintle::backend
