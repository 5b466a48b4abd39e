// The seam, second half: what a backend implements, and nothing else. Core has checked every argument: sizes, ranges,
// alignments, ids, limits, launches. A backend translates and reports; it never checks again and never aborts.
//
// Threads: core calls `submit`, `record`, `forget`, `create_queue`, `wrap_queue` and `destroy_queue` of one device one
// at a time, in that device's turn. Any thread may call everything else at any time. No call may throw. Loss: any
// call may answer device_lost (or process_poisoned). After the first such answer the device touches no host memory
// any more, core calls nothing but the destructor, and calls that are already blocked return the same error.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pintle/backend/command.h"
#include "pintle/deadline.h"
#include "pintle/error.h"
#include "pintle/info.h"
#include "pintle/placement.h"
#include "pintle/texel.h"

namespace pintle::backend {

/// The version of the seam, raised by one whenever this header changes incompatibly. A module built for another version
/// is refused by name.
inline constexpr std::uint32_t seam_version = 7;

/// A submission of a queue of the same device. Core passes only serials that `submit` has already returned.
struct QueuePoint {
  QueueId queue = QueueId::none;
  std::uint64_t serial = 0;
};

/// An image that core asks memory for. Kernels use it as `access` says, copies as they like.
struct ImageRequest {
  ImageExtent extent;
  Texel texel = Texel::rgba8;
  Access access = Access::read_write;
};

/// What core asks of `allocate`.
struct MemoryRequest {
  std::uint64_t size = 0;       ///< Bytes, at least 1.
  std::uint64_t alignment = 1;  ///< A power of two, at most 4096.
  Placement placement = Placement::device;
  std::string_view label;
  const ImageRequest* image = nullptr;  ///< Null for a buffer; valid during the call. `size` is that of its texels.
  Deadline deadline = Timeout().deadline();  ///< The call gives up then, where the driver may block.
};

/// What core asks of `create_queue`.
struct QueueRequest {
  QueueKind kind = QueueKind::compute;
  std::uint64_t first_serial = 0;  ///< `reached` answers it until the first submission, whose serial is one more.
  std::string_view label;
};

/// A value fixed at load time, by name.
struct Constant {
  std::string_view name;
  DType dtype = DType::u32;
  Scalar value;
  /// It decides a side of a group of some entry, which has that side already: code that does not name it is right too.
  bool is_side = false;
};

/// A text macro of a source.
struct Macro {
  std::string_view name;
  std::string_view text;
};

/// How a source is compiled. A format that has no source takes only the empty one.
struct SourceOptions {
  std::span<const Macro> macros;
  std::span<const std::string> include_folders;
  std::string_view language;  ///< "CL2.0", "c17", "460"; empty: the backend's choice.

  [[nodiscard]] bool empty() const noexcept { return macros.empty() && include_folders.empty() && language.empty(); }
};

/// The offsets of a buffer parameter have to be multiples of `bytes`, since the compiled code of an entry needs it.
struct Alignment {
  std::uint32_t entry = 0;
  std::uint32_t parameter = 0;
  std::uint32_t bytes = 1;
};

/// An entry that a backend cannot run, and why: the end of a sentence that begins with the kernel's name.
struct LeftOut {
  std::string entry;
  std::string reason;
};

/// One variant of a program, in a format that `DeviceInfo::formats` lists.
struct ProgramImage {
  std::string_view name;
  std::string_view format;
  std::span<const std::byte> code;
  std::span<const Entry> entries;
  std::span<const Constant> constants;
  /// Where a backend may name entries that it leaves out; the others load, and core launches none of these.
  std::vector<LeftOut>* left_out = nullptr;
  SourceOptions source{};
  /// Where a backend may say what the code needs beyond the signatures; core checks it at each launch.
  std::vector<Alignment>* alignments = nullptr;
  Deadline deadline = Timeout().deadline();  ///< The call gives up then, where the driver may block.
};

/// A function that the backend calls once, on any thread, when the serial is reached or the device is lost. It is short
/// and does not call the device.
struct Notification {
  void (*call)(void* state) = nullptr;
  void* state = nullptr;
};

/// Two clocks, read as one moment.
struct ClockPair {
  std::uint64_t device_ticks = 0;
  Deadline host;
  Duration error{};  ///< Half the width of the interval in which both were read.
};

/// An operating system handle that another device can import.
struct Exported {
  int fd = -1;               ///< The caller of `export_memory` closes it.
  std::uint64_t offset = 0;  ///< Bytes from the start of the handle's memory to the exported bytes.
  std::uint64_t size = 0;    ///< Bytes that are exported.
  std::uint64_t whole = 0;   ///< Bytes of the handle's memory in all.
  std::uint32_t kind = 0;    ///< The vendor's number for this kind of memory (Vulkan: the memory type).
};

/// An object of the vendor's API that exists already: a struct that the backend's public header declares under the name
/// `type`. The object stays the caller's; the caller keeps it alive for as long as the backend uses it.
struct NativeObject {
  std::string_view type;
  const void* value = nullptr;  ///< The struct; valid during the call.
};

/// Native memory, of which `size` bytes are wanted.
struct NativeMemory {
  NativeObject object;
  std::uint64_t size = 0;
};

/// Memory that exists already and stays its owner's: another device's, the host's, or the vendor's.
using MemorySource = std::variant<Exported, std::span<std::byte>, NativeMemory>;

/// One incarnation of a physical device. The destructor waits for nothing: before it, core has drained the queues or
/// given up.
class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  [[nodiscard]] virtual const DeviceInfo& info() const noexcept = 0;
  /// The total, available and used bytes of each heap now.
  virtual Result<std::vector<Heap>> budget() = 0;

  /// Allocates memory, whose contents are undefined. `out_of_memory` has the requested and the available bytes.
  virtual Result<MemoryId> allocate(const MemoryRequest& request) = 0;
  /// Frees memory. Core calls it after the last use has been reached.
  virtual void release(MemoryId memory) noexcept = 0;

  /// Loads one variant. `build_failed` has the compiler's words. May block for as long as compiling takes. `image` is
  /// valid during the call.
  virtual Result<ProgramId> load(const ProgramImage& image) = 0;
  virtual void unload(ProgramId program) noexcept = 0;

  virtual Result<QueueId> create_queue(const QueueRequest& request) = 0;
  /// Destroys a queue. Core calls it when everything submitted has been reached.
  virtual void destroy_queue(QueueId queue) noexcept = 0;

  /// Starts the commands after `waits`, behind everything submitted to the queue before, and returns their serial: one
  /// more than the last. An error means that nothing was started. Does not block: at most `max_in_flight` submissions
  /// are unfinished. Does not run the work either, since other calls wait for the device's turn: a thread of the
  /// backend makes host calls, and those calls of the vendor that run the work themselves. On a driven device the
  /// thread that calls `reached` or `wait` makes them.
  virtual Result<std::uint64_t> submit(QueueId queue, std::span<const QueuePoint> waits, const Commands& commands) = 0;
  /// The highest serial whose work, and all work before it, is finished and visible to the host. Polls where the
  /// vendor's API goes on only when it is polled. A device that is not driven then polls on a thread of its own as
  /// well, while work is in flight.
  virtual Result<std::uint64_t> reached(QueueId queue) = 0;
  /// Blocks until `serial`, already submitted, is reached; `timeout` when the deadline passes first. The call may poll,
  /// and keeps no other call waiting. On a driven device it runs the work: everything that is runnable, at least up to
  /// `serial`.
  virtual Result<void> wait(QueueId queue, std::uint64_t serial, Deadline deadline) = 0;

  // Optional. The default answers `unsupported`; "without it" says what core does then.

  /// Calls `notification` when the serial is reached. Without it a thread of core waits.
  virtual Result<void> notify(QueueId queue, std::uint64_t serial, Notification notification);
  /// The bytes of memory, at the same address each time, coherent with the device's work as points order it. Maps are
  /// counted: one `unmap` ends one. Without it core copies through host memory of its own.
  virtual Result<std::span<std::byte>> map(MemoryId memory);
  virtual void unmap(MemoryId memory) noexcept;
  /// Records a list; `commands` stay valid until `forget`. Without it core submits the list again.
  virtual Result<RecordingId> record(const Commands& commands);
  virtual void forget(RecordingId recording) noexcept;
  /// Exports memory by a handle. Without it core copies between devices through the host.
  virtual Result<Exported> export_memory(MemoryId memory);
  /// Imports memory, whose bytes stay valid until `release`. It may answer `unsupported` for one kind of source.
  /// Without it core copies, or refuses native memory.
  virtual Result<MemoryId> import_memory(const MemorySource& source);
  /// Creates a queue over a native one. Without it there is no such access.
  virtual Result<QueueId> wrap_queue(const NativeObject& queue, const QueueRequest& request);
  /// Reads both clocks. Without it the device clock stands alone.
  virtual Result<ClockPair> calibrate();
  /// Fills `*out`, a struct that the backend's public header declares under the name `type`, for the device (`object`
  /// 0) or for one of its ids. Without it there is no native access.
  virtual Result<void> native(std::string_view type, std::uint64_t object, void* out);
  /// Runs a tiny piece of work to learn whether the device is healthy. Without it core assumes that it is.
  virtual Result<void> probe();
};

/// One `key=value` of a device id ("cpu?inline": key "inline", empty value).
struct Option {
  std::string_view key;
  std::string_view value;
};

/// The devices that a backend has found. Explained absences are not errors.
struct Enumeration {
  std::vector<DeviceInfo> devices;  ///< The position of a device is its ordinal.
  std::vector<Absence> absences;
};

/// One backend. It is made at first use and lives for ever.
class Driver {
 public:
  virtual ~Driver() = default;
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  /// Looks for devices; creates no context and starts no thread.
  virtual Enumeration enumerate() = 0;
  /// Opens the device at `ordinal` of `enumerate`. An unknown option is `invalid_argument`, with the known ones.
  virtual Result<std::unique_ptr<Device>> open(std::uint32_t ordinal, std::span<const Option> options) = 0;
  /// Optional: makes a device over a native one; messages call it `id`. The default answers `unsupported`.
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
