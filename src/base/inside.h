// The library's one door into the public types: what they hold, and objects made of it. Templates, since nothing of it
// is base's own: each layer names the types that it has.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace pintle {

class ImageView;

class Inside {
 public:
  /// An object by its private constructor.
  template <class Object, class... Parts>
  [[nodiscard]] static Object make(Parts&&... parts) noexcept(noexcept(Object(std::forward<Parts>(parts)...))) {
    return Object(std::forward<Parts>(parts)...);
  }

  /// What stands behind a handle: Device, Queue, Program, CommandList, Recording, Signal, Group ...
  template <class Object>
  [[nodiscard]] static auto& state(Object& object) noexcept {
    return object.state_;
  }

  /// Submits or replays as the functions of the queue do, and answers only the point's value. `options` may be null.
  template <class Queue, class... Parts>
  [[nodiscard]] static auto start(Queue& queue, Parts&&... parts) {
    return queue.start(std::forward<Parts>(parts)...);
  }

  // Point, Kernel, Buffer, BufferView.
  template <class Point>
  [[nodiscard]] static auto& signal(Point& point) noexcept {
    return point.signal_;
  }
  template <class Kernel>
  [[nodiscard]] static auto& program(Kernel& kernel) noexcept {
    return kernel.program_;
  }
  template <class Kernel>
  [[nodiscard]] static std::uint32_t entry_index(const Kernel& kernel) noexcept {
    return kernel.index_;
  }
  template <class Buffer>
  [[nodiscard]] static auto* table(const Buffer& buffer) noexcept {
    return buffer.table_;
  }
  /// The incarnation that a view's buffer belongs to.
  template <class View>
  [[nodiscard]] static std::uint64_t incarnation(const View& view) noexcept
    requires requires { view.buffer_; }
  {
    return view.incarnation_;
  }
  // Core defines these two. An ImageView's header defines all else of it, and clang would call its numbers unused.
  [[nodiscard]] static std::uint64_t incarnation(const ImageView& view) noexcept;
  [[nodiscard]] static std::uint64_t buffer(const ImageView& view) noexcept;
  /// The number of a view's buffer.
  template <class View>
  [[nodiscard]] static std::uint64_t buffer(const View& view) noexcept {
    return view.buffer_;
  }

  /// The alternatives of a KernelArgument or a SlotValue.
  template <class Argument>
  [[nodiscard]] static const auto& value(const Argument& argument) noexcept {
    return argument.value_;
  }

  // Arena.
  template <class Arena>
  [[nodiscard]] static auto& chunks(Arena& arena) noexcept {
    return arena.chunks_;
  }
  template <class Arena>
  [[nodiscard]] static auto placed(const Arena& arena, std::uint32_t id) {
    return arena.placed(id);
  }
  template <class Arena>
  [[nodiscard]] static auto value_text(const Arena& arena, std::uint32_t id) {
    return arena.value_text(id);
  }

  // SymmetricBuffer: its heap, its allocation's number, and where that begins.
  template <class Buffer>
  [[nodiscard]] static std::uint64_t heap(const Buffer& buffer) noexcept {
    return buffer.heap_;
  }
  template <class Buffer>
  [[nodiscard]] static std::uint64_t serial(const Buffer& buffer) noexcept {
    return buffer.serial_;
  }
  template <class Buffer>
  [[nodiscard]] static std::uint64_t base(const Buffer& buffer) noexcept {
    return buffer.base_;
  }
};

}  // namespace pintle
