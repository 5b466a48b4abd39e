// Devices: listing and opening them, and the objects that they make.
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
#include "pintle/image.h"
#include "pintle/info.h"

namespace pintle {

/// Every device that can be opened, by backend and ordinal, and the reasons why others cannot.
struct DeviceList {
  std::vector<DeviceInfo> devices;
  std::vector<Absence> absences;
};

/// Lists the devices. It opens nothing: it creates no context and starts no thread. Thread-safe.
[[nodiscard]] Result<DeviceList> devices();

/// Opens a device by its id: `cpu`, `cpu?inline`, `vulkan` (its best: hardware before software), `vulkan:llvmpipe` (a
/// word of its name), `vulkan:1`, `faulty(cpu)`.
/// `best` is the device that PINTLE_DEVICE names, else the best hardware, else `cpu`. Errors: `invalid_argument` with
/// the column for an id that does not parse; `unavailable` with the valid ids for an id that names no device here.
/// Opening the same id again gives the same device while it lives. Thread-safe.
[[nodiscard]] Result<class Device> open(std::string_view id = "best");
/// Opens a device for a pack: `open("best", pack)`. `best` is then the best hardware, else `cpu`, that takes a variant
/// of the pack; any other device, one that PINTLE_DEVICE names too, has to take one. Errors: as above; `unavailable`
/// lists every device with the reason why it is not taken. Nothing is loaded, so a compiler may still refuse the code.
/// Thread-safe.
[[nodiscard]] Result<class Device> open(std::string_view id, const ProgramPack& pack);
/// Whether the device takes a variant of the pack: its format and target, and limits that an entry fits in.
/// `unsupported` says why it takes none. Opens and loads nothing. Thread-safe.
[[nodiscard]] Result<void> takes(const DeviceInfo& device, const ProgramPack& pack);

/// Makes a device over a native device that exists already: `wrap_native(vulkan::VulkanDevice{...})`. The objects that
/// the struct names stay the caller's, and must outlive the device. The device is in no list, and its `recover()`
/// answers `unavailable`: wrap a new one. The struct's header says what the objects must have; an object that lacks it
/// is `invalid_argument`. Thread-safe.
template <class Native>
[[nodiscard]] Result<class Device> wrap_native(const Native& device);

/// A physical device. It survives resets, since it points at the current incarnation. Copies are cheap; thread-safe.
/// Buffers, queues, programs and recordings belong to the incarnation that made them, and are `stale` after
/// `recover()`.
class Device {
 public:
  Device() noexcept = default;

  /// The canonical id. Empty for a moved-from device.
  [[nodiscard]] std::string_view id() const noexcept;
  /// Its name in messages: `[vulkan:0]`.
  [[nodiscard]] std::string text() const noexcept;
  /// Describes the current generation. The reference and what it refers to stay valid and unchanged as long as a Device
  /// of this opening lives. All fields are empty for a moved-from device.
  [[nodiscard]] const DeviceInfo& info() const noexcept;
  /// The number of the current generation. It rises by one with each recovery.
  [[nodiscard]] std::uint64_t generation() const noexcept;
  /// The total, available and used bytes of each heap now.
  [[nodiscard]] Result<std::vector<Heap>> budget() const;

  /// Creates a queue for compute, or one of the kind that `options` names. `unsupported` for a kind that the device
  /// does not have.
  [[nodiscard]] Result<Queue> create_queue() const;
  [[nodiscard]] Result<Queue> create_queue(const QueueOptions& options) const;
  [[deprecated("It is called create_queue.")]] [[nodiscard]] Result<Queue> queue() const;
  [[deprecated("It is called create_queue.")]] [[nodiscard]] Result<Queue> queue(const QueueOptions& options) const;
  /// Allocates a buffer with undefined contents. Errors: `invalid_argument` for a size of 0 bytes or beyond the largest
  /// allocation, and for options that do not exist; `out_of_memory`, which poisons nothing.
  [[nodiscard]] Result<Buffer> allocate(DType dtype, const Shape& shape, BufferOptions options = {}) const;
  /// Allocates a buffer with the dtype and size of a host range; nothing is copied.
  template <ElementRange R>
  [[nodiscard]] Result<Buffer> allocate_for(const R& range, BufferOptions options = {}) const {
    return allocate(dtype_of<HostValue<R>>(), Shape{std::span(range).size()}, std::move(options));
  }
  /// Makes an image with undefined contents: `device.create_image({640, 480}, Texel::rgba8)`. Errors: `unsupported`
  /// where the device has no images, or not of this texel for this access, with those that it has; `invalid_argument`
  /// for a side of 0 or beyond the limit; `out_of_memory`, which poisons nothing.
  [[nodiscard]] Result<Image> create_image(const ImageExtent& extent, Texel texel, ImageOptions options = {}) const;
  [[deprecated("It is called create_image.")]] [[nodiscard]] Result<Image> image(const ImageExtent& extent, Texel texel,
                                                                                 ImageOptions options = {}) const;
  /// Makes a buffer over the caller's memory, without a copy. `keeper` is let go after the last use of the memory.
  /// Const elements make a sealed buffer. Errors: `invalid_argument` for an address that its elements cannot have;
  /// `unsupported` where the device cannot use host memory in place (`Feature::host_import`), or not at this address.
  template <ElementRange R>
    requires std::is_lvalue_reference_v<R&&>
  [[nodiscard]] Result<Buffer> import_host(R&& range, std::shared_ptr<const void> keeper = {},
                                           std::string label = {}) const {
    using T = HostElement<R>;
    const std::span<T> values(range);
    return import_host(std::as_bytes(values), std::is_const_v<T> ? Access::read : Access::read_write, dtype_of<T>(),
                       Shape{values.size()}, std::move(keeper), std::move(label));
  }
  /// Makes a buffer over bytes of any dtype. `Access::read` makes a sealed buffer, so nothing writes the bytes.
  /// Otherwise as above.
  [[nodiscard]] Result<Buffer> import_host(std::span<const std::byte> bytes, Access access, DType dtype,
                                           const Shape& shape, std::shared_ptr<const void> keeper = {},
                                           std::string label = {}) const;
  /// Makes a sealed buffer over a part of a file, from byte `offset` on. The file is mapped into memory, and read when
  /// the buffer is used. Errors: `io` for the file; `invalid_argument` for a part beyond its end; else those of
  /// `import_host`. A file that is cut short meanwhile kills the process.
  [[nodiscard]] Result<Buffer> map_file(const std::filesystem::path& file, std::uint64_t offset, DType dtype,
                                        const Shape& shape, std::string label = {}) const;
  /// Loads the best variant for this device. Blocks while it compiles. `build_failed` lists the variants of the pack
  /// and why each was refused, or has the log of the compiler.
  [[nodiscard]] Result<Program> load(const ProgramPack& pack) const;
  [[nodiscard]] Result<Program> load(const ProgramPack& pack, const LoadOptions& options) const;
  /// Loads the pack for one of its entries, and answers that kernel. `not_found` lists the entries of the program.
  [[nodiscard]] Result<Kernel> load(const ProgramPack& pack, std::string_view entry) const;
  /// Freezes a list: checks it, computes its barriers, keeps what it owns.
  [[nodiscard]] Result<Recording> record(CommandList list) const;

  /// Makes progress without blocking: runs the pending work of a driven device, observes completions, and runs ready
  /// callbacks on the calling thread.
  Result<void> poll() const;
  /// Blocks until everything submitted to any queue of this device has ended, or until `timeout`. Then answers the
  /// first failure among the queues that the caller still has. `invalid_argument` inside a callback or host call.
  Result<void> wait_idle(Timeout timeout = {}) const;
  /// Success, or the first cause of the loss. A device that can be probed runs a tiny piece of work; any other answers
  /// from what has been seen so far.
  Result<void> health() const;
  /// Opens the next generation after a loss: `generation()` rises, and objects of the old one are `stale`. Does nothing
  /// on a healthy device. Errors: `process_poisoned`, where only a new process can use the device; those of opening the
  /// device.
  Result<void> recover() const;

  /// Makes a buffer over native memory: `device.wrap_native(vulkan::VulkanMemory{...}, DType::f32, {1024})`. The memory
  /// stays the caller's; the caller keeps it alive until the last submission that uses the buffer is reached.
  /// `unsupported` on another backend; `invalid_argument` for memory that is too small. `keeper` may own the memory: it
  /// is let go after the last use.
  template <class Native>
  [[nodiscard]] Result<Buffer> wrap_native(const Native& memory, DType dtype, const Shape& shape,
                                           std::string label = {}, std::shared_ptr<const void> keeper = {}) const {
    return wrap_memory(Native::native_type, &memory, dtype, shape, std::move(label), std::move(keeper));
  }
  /// Makes a queue over a native queue: `device.wrap_native(opencl::OpenClQueue{...})`. The native queue stays the
  /// caller's, as the memory above does.
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
                             std::string label, std::shared_ptr<const void> keeper) const;
  template <class Made>
  Result<Made> wrap_queue(std::string_view type, const void* native, const QueueOptions& options) const;
  Result<void> fill_native(std::string_view type, void* out) const;

  std::shared_ptr<core::DeviceState> state_;
};

namespace core {
Result<Device> open_native(std::string_view type, const void* native);
}  // namespace core

template <class Native>
Result<Device> wrap_native(const Native& device) {
  return core::open_native(Native::native_type, &device);
}

}  // namespace pintle
