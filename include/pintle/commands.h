// Command lists: commands recorded as values, without touching a device.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "pintle/buffer.h"
#include "pintle/dtype.h"
#include "pintle/elements.h"
#include "pintle/entry.h"
#include "pintle/error.h"
#include "pintle/fwd.h"
#include "pintle/image.h"
#include "pintle/texel.h"

namespace pintle {

/// A place in a list that each replay fills with a buffer, a scalar or host memory. Its use in the list says with
/// which.
struct Slot {
  static constexpr std::uint32_t limit = 1024;
  std::uint32_t index = 0;  ///< Below `limit`.
};

/// The bytes of a vector or a struct that a kernel takes by value, lent until the call returns.
struct ByValue {
  std::span<const std::byte> bytes;
};
/// `by_value(camera)`: the object's bytes as they are, with its padding.
template <class T>
  requires(std::is_trivially_copyable_v<T>)
[[nodiscard]] ByValue by_value(const T& object) noexcept {
  return {std::as_bytes(std::span(&object, 1))};
}

/// Elements of scratch memory that each group of one launch gets, for a parameter `tile: local f32[]`.
struct Local {
  std::uint64_t count = 0;
};

/// An argument for a parameter `in: read texel_buffer rgba32f`: the bytes of a view as texels, one behind another.
struct TexelBuffer {
  BufferView buffer;
  Texel texel = Texel::rgba8;
};

/// A view of a buffer, or a slot for one.
using BufferArgument = std::variant<BufferView, Slot>;

/// One argument of a kernel. A buffer, a view, texels, an image, a sampler, a slot, a value of every element type,
/// `by_value(object)`, an array as a vector by value, and `Local` convert to it. It lends the bytes of what it is made
/// of. `nullptr` is no buffer, for a parameter that the signature calls `optional`.
class KernelArgument {
 public:
  KernelArgument(const BufferView& view) noexcept : value_(view) {}         // NOLINT(google-explicit-constructor)
  KernelArgument(const Buffer& buffer) noexcept : value_(buffer.view()) {}  // NOLINT(google-explicit-constructor)
  KernelArgument(Slot slot) noexcept : value_(slot) {}                      // NOLINT(google-explicit-constructor)
  KernelArgument(const ScalarValue& scalar) noexcept : value_(scalar) {}    // NOLINT(google-explicit-constructor)
  template <Element T>
  KernelArgument(T value) noexcept : value_(ScalarValue::of(value)) {}  // NOLINT(google-explicit-constructor)
  KernelArgument(ByValue value) noexcept : value_(value) {}             // NOLINT(google-explicit-constructor)
  template <Element T, std::size_t N>
  KernelArgument(const std::array<T, N>& vector) noexcept
      : value_(by_value(vector)) {}                                       // NOLINT(google-explicit-constructor)
  KernelArgument(Local local) noexcept : value_(local) {}                 // NOLINT(google-explicit-constructor)
  KernelArgument(const ImageView& view) noexcept : value_(view) {}        // NOLINT(google-explicit-constructor)
  KernelArgument(const Image& image) noexcept : value_(image.view()) {}   // NOLINT(google-explicit-constructor)
  KernelArgument(Sampler sampler) noexcept : value_(sampler) {}           // NOLINT(google-explicit-constructor)
  KernelArgument(const SampledImage& image) noexcept : value_(image) {}   // NOLINT(google-explicit-constructor)
  KernelArgument(const TexelBuffer& texels) noexcept : value_(texels) {}  // NOLINT(google-explicit-constructor)
  KernelArgument(std::nullptr_t) noexcept : value_(nullptr) {}            // NOLINT(google-explicit-constructor)

 private:
  friend class Inside;
  std::variant<BufferView, Slot, ScalarValue, ByValue, Local, ImageView, Sampler, SampledImage, TexelBuffer,
               std::nullptr_t>
      value_;
};

/// The extent of a launch: work-groups (Grid) or work-items to cover (`Grid::cover(n)`).
using Extent = std::variant<Grid, Cover>;

/// The value of a slot in one replay: a buffer, a scalar (by dtype), or host memory lent until the replay's point is
/// reached.
class SlotValue {
 public:
  SlotValue(const BufferView& view) noexcept : value_(view) {}           // NOLINT(google-explicit-constructor)
  SlotValue(const Buffer& buffer) noexcept : value_(buffer.view()) {}    // NOLINT(google-explicit-constructor)
  SlotValue(const ScalarValue& scalar) noexcept : value_(scalar) {}      // NOLINT(google-explicit-constructor)
  SlotValue(std::span<const std::byte> from) noexcept : value_(from) {}  // NOLINT(google-explicit-constructor)
  SlotValue(std::span<std::byte> to) noexcept : value_(to) {}            // NOLINT(google-explicit-constructor)
  template <Element T>
  SlotValue(T value) noexcept : value_(ScalarValue::of(value)) {}  // NOLINT(google-explicit-constructor)

 private:
  friend class Inside;
  std::variant<BufferView, ScalarValue, std::span<const std::byte>, std::span<std::byte>> value_;
};

/// Commands as values. They behave as if run one after another, in the order in which they were added. The destination
/// comes first in each call, the source second. Every method returns the list, so calls chain and end in `submit`. The
/// list keeps its first mistake and adds nothing after it; `submit` and `record` answer that mistake. A list is
/// submitted or recorded once. Move-only; one thread at a time.
class CommandList {
 public:
  CommandList() noexcept = default;
  CommandList(CommandList&& other) noexcept
      : state_(std::exchange(other.state_, nullptr)), without_(std::exchange(other.without_, Without::moved_from)) {}
  CommandList& operator=(CommandList&& other) noexcept {
    if (this == &other) return *this;  // `list = list.copy(a, b)`
    if (state_ != nullptr) drop();
    state_ = std::exchange(other.state_, nullptr);
    without_ = std::exchange(other.without_, Without::moved_from);
    return *this;
  }
  ~CommandList() {
    if (state_ != nullptr) drop();
  }

  /// Copies bytes between two views of one size that do not overlap. One of the two may belong to another device:
  /// points order that device's work, as between queues. The bytes then go through memory that both devices see, else
  /// through the other side's mapped memory, else through the host.
  CommandList&& copy(const BufferArgument& to, const BufferArgument& from);
  /// Copies texels of a buffer to an image, or to a part of it. The rows begin at the view's first byte, and the view
  /// has at least their bytes. Its offset is a multiple of the texel's size.
  CommandList&& copy(const ImageView& to, const BufferArgument& from, const ImagePart& part = {});
  /// Copies texels of an image, or of a part of it, to a buffer: as above.
  CommandList&& copy(const BufferArgument& to, const ImageView& from, const ImagePart& part = {});
  /// Repeats `value` over the view, whose dtype must be the value's.
  template <Element T>
    requires(sizeof(T) <= 8)
  CommandList&& fill(const BufferArgument& to, T value) {
    return fill(to, ScalarValue::of(value));
  }
  /// The same for elements that C++ has no type for: `fill(to, ScalarValue(DType::bf16, bits))`.
  CommandList&& fill(const BufferArgument& to, const ScalarValue& value);

  /// Copies `from` into the list now, and to the device when the command runs: the caller may reuse its memory at once.
  /// The element type and count must be the view's (std::byte fits every dtype).
  template <HostRange R>
  CommandList&& upload(const BufferView& to, const R& from) {
    return upload_copy(to, host_type<R>(), std::as_bytes(std::span(from)));
  }
  /// Uploads from a vector that the list takes over: nothing is copied on the host.
  template <Element T>
    requires(!std::same_as<T, bool>)
  CommandList&& upload(const BufferView& to, std::vector<T>&& from) {
    const auto take = [](void* vector) -> std::shared_ptr<const void> {
      return std::make_shared<std::vector<T>>(std::move(*static_cast<std::vector<T>*>(vector)));
    };
    return upload_taken(to, dtype_of<T>(), std::as_bytes(std::span(from)), take, &from);
  }
  /// Uploads `from` without a copy on the host. `owner` keeps the memory alive; the list holds `owner` until the bytes
  /// have been read.
  CommandList&& upload_retained(const BufferView& to, std::shared_ptr<const void> owner,
                                std::span<const std::byte> from) {
    return upload_retained(to, std::nullopt, std::move(owner), from);
  }
  /// Uploads from host memory that each replay binds.
  CommandList&& upload(const BufferView& to, Slot from);

  /// Copies to host memory that is lent until the submission's point is reached or fails; a timeout does not end the
  /// loan.
  template <HostRange R>
  CommandList&& download(R&& to, const BufferView& from) {
    return download_lent(host_type<R>(), std::as_writable_bytes(std::span(to)), nullptr, from);
  }
  /// Downloads to memory that `owner` keeps alive. The submission holds `owner` until its point is reached or fails.
  CommandList&& download_retained(std::shared_ptr<void> owner, std::span<std::byte> to, const BufferView& from) {
    return download_lent(std::nullopt, to, std::move(owner), from);
  }
  /// Downloads to host memory that each replay binds.
  CommandList&& download(Slot to, const BufferView& from);

  /// Launches a kernel. Arguments are checked by count, kind and dtype against the entry's parameters.
  template <class... Arguments>
  CommandList&& exec(const Kernel& kernel, const Extent& extent, const Arguments&... arguments) {
    const std::array<KernelArgument, sizeof...(Arguments)> all{KernelArgument(arguments)...};
    return exec_with(kernel, extent, all);
  }
  CommandList&& exec_with(const Kernel& kernel, const Extent& extent, std::span<const KernelArgument> arguments);
  /// Launches a grid that the device reads from `grid_at` (three u32, work-groups) when the command runs. Counts beyond
  /// `most` are clamped to it. A count of zero runs nothing.
  template <class... Arguments>
  CommandList&& exec_indirect(const Kernel& kernel, const BufferArgument& grid_at, Grid most,
                              const Arguments&... arguments) {
    const std::array<KernelArgument, sizeof...(Arguments)> all{KernelArgument(arguments)...};
    return exec_indirect_with(kernel, grid_at, most, all);
  }
  CommandList&& exec_indirect_with(const Kernel& kernel, const BufferArgument& grid_at, Grid most,
                                   std::span<const KernelArgument> arguments);
  /// Declares that the launch before also uses `buffer`, which the kernel reaches by address.
  CommandList&& uses(const BufferArgument& buffer, Access access);

  /// Keeps the buffer's memory until the submission's point is reached, whatever becomes of the buffer. It is no
  /// command: nothing runs, and nothing is ordered.
  CommandList&& holds(const BufferView& buffer);
  /// Runs `function` on a thread of the device's backend. `function` must not block on Pintle: a wait inside it is
  /// `invalid_argument`. An exception in it fails the point (`cancelled`).
  CommandList&& call(std::function<void()> function);
  /// Writes the device clock, in ticks, to eight bytes (u64) when everything before it is done.
  CommandList&& timestamp(const BufferArgument& to);
  /// Orders every command before it before every command after it, for what the ranges cannot say.
  CommandList&& barrier();
  /// Names the next command in traces, timeouts and errors.
  CommandList&& label(std::string_view text);

  /// The number of commands.
  [[nodiscard]] std::size_t size() const noexcept;
  /// The first mistake in building the list; empty where there is none. A moved-from list has one.
  [[nodiscard]] const std::optional<Error>& error() const noexcept;

 private:
  friend class Inside;

  template <class R>
  [[nodiscard]] static constexpr std::optional<DType> host_type() noexcept {
    using T = HostValue<R>;
    if constexpr (std::same_as<T, std::byte>) return std::nullopt;
    else return dtype_of<T>();
  }

  CommandList&& upload_copy(const BufferView& to, std::optional<DType> dtype, std::span<const std::byte> from);
  CommandList&& upload_retained(const BufferView& to, std::optional<DType> dtype, std::shared_ptr<const void> owner,
                                std::span<const std::byte> from);
  /// `take(vector)` returns an owner that leaves the bytes where they are. It may run out of memory.
  CommandList&& upload_taken(const BufferView& to, DType dtype, std::span<const std::byte> from,
                             std::shared_ptr<const void> (*take)(void* vector), void* vector);
  CommandList&& download_lent(std::optional<DType> dtype, std::span<std::byte> to, std::shared_ptr<void> owner,
                              const BufferView& from);

  /// Runs one building step. Its error, or the exception that it throws, becomes the error of the list.
  template <class Body>
  CommandList&& step(const char* name, Body body);
  void drop() noexcept;

  /// Why there is no state.
  enum class Without : std::uint8_t { steps = 0, memory = 1, moved_from = 2 };

  core::ListState* state_ = nullptr;  // from the first step to the end of what the list was submitted as
  Without without_ = Without::steps;
};

}  // namespace pintle
