// Devices: listing, opening, and what they make.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "pintle/buffer.h"
#include "pintle/deadline.h"
#include "pintle/dtype.h"
#include "pintle/elements.h"
#include "pintle/error.h"
#include "pintle/fwd.h"
#include "pintle/info.h"

namespace pintle {

/// Every device that can be opened, in use order, and why others cannot.
struct DeviceList {
  std::vector<DeviceInfo> devices;
  std::vector<Absence> absences;
};

/// Lists without opening anything: no context, no thread. Thread-safe.
[[nodiscard]] Result<DeviceList> devices();

/// Opens a device by id: `cpu`, `cpu?inline`, `vulkan:llvmpipe` (a word of its name), `vulkan:1`, `faulty(cpu)`. `best`
/// is what PINTLE_DEVICE says, else the best hardware, else `cpu`. An id that does not parse or exist is an error that
/// lists the valid ones. Opening the same id again gives the same device while it lives. Thread-safe.
[[nodiscard]] Result<class Device> open(std::string_view id = "best");

/// A device over a native one that exists already: `wrap_native(vulkan::VulkanDevice{...})`. What the struct names
/// stays the caller's and outlives the device. It is in no list, and `recover()` answers `unavailable`: wrap a new one.
/// The struct's header says what it must have; what it has not is `invalid_argument`. Thread-safe.
template <class Native>
[[nodiscard]] Result<class Device> wrap_native(const Native& device);

/// A physical device, which survives resets: it points at the current incarnation. Copies are cheap; thread-safe.
/// Buffers, queues, programs and recordings belong to the incarnation that made them and answer `stale` after
/// `recover()`.
class Device {
 public:
  Device() noexcept = default;

  /// The canonical id. Empty for a moved-from device.
  [[nodiscard]] std::string_view id() const noexcept;
  /// As it appears in messages: `[vulkan:0]`.
  [[nodiscard]] std::string text() const noexcept;
  /// Describes the current generation. The reference stays valid, and what it refers to unchanged, as long as a Device
  /// of this opening lives. All empty for a moved-from device.
  [[nodiscard]] const DeviceInfo& info() const noexcept;
  /// Rises by one with each recovery.
  [[nodiscard]] std::uint64_t generation() const noexcept;
  /// What each heap holds now.
  [[nodiscard]] Result<std::vector<Heap>> budget() const;

  [[nodiscard]] Result<Queue> queue() const;
  [[nodiscard]] Result<Queue> queue(const QueueOptions& options) const;
  /// Memory with undefined contents. `out_of_memory` poisons nothing.
  [[nodiscard]] Result<Buffer> allocate(DType dtype, const Shape& shape, BufferOptions options = {}) const;
  /// A buffer with the dtype and size of a host range; nothing is copied.
  template <ElementRange R>
  [[nodiscard]] Result<Buffer> allocate_for(const R& range, BufferOptions options = {}) const {
    return allocate(dtype_of<HostValue<R>>(), Shape{std::span(range).size()}, std::move(options));
  }
  /// A buffer over the caller's memory, with no copy; `keeper` is let go after the last use of it. Elements of const
  /// make a sealed buffer. `unsupported` where the device cannot use it in place (`Feature::host_import`), or not at
  /// this address: the message has the alignment.
  template <ElementRange R>
    requires std::is_lvalue_reference_v<R&&>
  [[nodiscard]] Result<Buffer> import_host(R&& range, std::shared_ptr<const void> keeper = {},
                                           std::string label = {}) const {
    using T = HostElement<R>;
    const std::span<T> values(range);
    return import_host(std::as_bytes(values), std::is_const_v<T> ? Access::read : Access::read_write, dtype_of<T>(),
                       Shape{values.size()}, std::move(keeper), std::move(label));
  }
  /// The same for bytes of any dtype; with `Access::read` nothing writes them.
  [[nodiscard]] Result<Buffer> import_host(std::span<const std::byte> bytes, Access access, DType dtype,
                                           const Shape& shape, std::shared_ptr<const void> keeper = {},
                                           std::string label = {}) const;
  /// A sealed buffer over a part of a file, which is mapped into memory and read when it is used. `io` for the file,
  /// `invalid_argument` beyond its end, otherwise as `import_host`. Cutting the file short meanwhile kills the
  /// process.
  [[nodiscard]] Result<Buffer> map_file(const std::filesystem::path& file, std::uint64_t offset, DType dtype,
                                        const Shape& shape, std::string label = {}) const;
  /// Picks the best variant for this device. `build_failed` lists what the pack has and why each was refused, or the
  /// compiler's log. Blocks while compiling.
  [[nodiscard]] Result<Program> load(const ProgramPack& pack) const;
  [[nodiscard]] Result<Program> load(const ProgramPack& pack, const LoadOptions& options) const;
  /// The entry of a program that is loaded for it alone.
  [[nodiscard]] Result<Kernel> load(const ProgramPack& pack, std::string_view entry) const;
  /// Freezes a list: checks it, computes its barriers, keeps what it owns.
  [[nodiscard]] Result<Recording> record(CommandList list) const;

  /// Makes progress without blocking: runs a driven device's pending work, observes completions, runs ready callbacks
  /// here.
  Result<void> poll() const;
  /// Waits until everything submitted to any queue of this device has ended; then answers the first failure, if any,
  /// of a queue that is still held.
  Result<void> wait_idle(Timeout timeout = {}) const;
  /// Success, or the first cause of the loss. A device that can be probed runs a tiny piece of work; any other answers
  /// from what has been seen so far.
  Result<void> health() const;
  /// After a loss, opens the next generation; `generation()` rises. On a healthy device nothing happens. Old objects
  /// are stale.
  Result<void> recover() const;

  /// A buffer over native memory: `device.wrap_native(vulkan::VulkanMemory{...}, DType::f32, {1024})`. It stays the
  /// caller's; the caller keeps it alive until the last submission that uses the buffer is reached. `unsupported` on
  /// another backend, `invalid_argument` where it is too small.
  template <class Native>
  [[nodiscard]] Result<Buffer> wrap_native(const Native& memory, DType dtype, const Shape& shape,
                                           std::string label = {}) const {
    return wrap_memory(Native::native_type, &memory, dtype, shape, std::move(label));
  }
  /// A queue over a native one: `device.wrap_native(opencl::OpenClQueue{...})`. It stays the caller's, as above.
  template <class Native, class Made = Queue>  // a parameter, since Queue is not complete here
  [[nodiscard]] Result<Made> wrap_native(const Native& queue, const QueueOptions& options) const {
    return wrap_queue<Made>(Native::native_type, &queue, options);
  }
  /// Backend-specific access: `device.native<cpu::CpuDevice>()`. `unsupported` on another backend.
  template <class T>
  [[nodiscard]] Result<T> native() const {
    T out;
    PINTLE_TRY(fill_native(T::native_type, &out));
    return out;
  }

 private:
  friend class Inside;
  explicit Device(std::shared_ptr<core::DeviceState> state) noexcept : state_(std::move(state)) {}
  Result<Buffer> wrap_memory(std::string_view type, const void* native, DType dtype, const Shape& shape,
                             std::string label) const;
  template <class Made>
  Result<Made> wrap_queue(std::string_view type, const void* native, const QueueOptions& options) const;
  Result<void> fill_native(std::string_view type, void* out) const;

  std::shared_ptr<core::DeviceState> state_;
};

namespace core {
Result<Device> wrap_device(std::string_view type, const void* native);
}  // namespace core

template <class Native>
Result<Device> wrap_native(const Native& device) {
  return core::wrap_device(Native::native_type, &device);
}

}  // namespace pintle
