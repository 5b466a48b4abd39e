// Memory that processes share. It has no name in any folder. It is gone when the last process ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "pintle/error.h"

namespace pintle::base {

/// A mapping, of zeros at first. Pages are allocated when they are touched. Its size is sealed: no process can cut it
/// short under the others. Another process may have written anything into it.
class SharedMemory {
 public:
  /// `bytes` is not 0. `name` is what /proc shows. `out_of_memory` where the system has no such range.
  [[nodiscard]] static Result<SharedMemory> create(std::uint64_t bytes, const std::string& name);
  /// Creates memory for the threads of this process alone.
  [[nodiscard]] static Result<SharedMemory> create_private(std::uint64_t bytes);
  /// Opens memory that another process of this user has created, by its descriptor there. `not_found` where there is no
  /// such process or descriptor; `unavailable` where the descriptor is anything but sealed memory of just this size.
  /// Never blocks, whatever the descriptor is.
  [[nodiscard]] static Result<SharedMemory> open(std::uint64_t process, std::uint64_t descriptor, std::uint64_t bytes);
  /// Takes over memory that a parent has created, by the number of the descriptor that this process was started with.
  /// The descriptor stays open here; no program that this process starts from now on has it.
  [[nodiscard]] static Result<SharedMemory> inherit(int descriptor);

  SharedMemory(SharedMemory&& other) noexcept
      : bytes_(std::exchange(other.bytes_, {})), descriptor_(std::exchange(other.descriptor_, -1)) {}
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }
  /// The descriptor by which other processes open or inherit it; -1 where this process has none.
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  /// From now on no process can open it. A process that has it keeps it.
  void close_descriptor() noexcept;

 private:
  SharedMemory(std::span<std::byte> bytes, int descriptor) noexcept : bytes_(bytes), descriptor_(descriptor) {}

  std::span<std::byte> bytes_;
  int descriptor_;
};

}  // namespace pintle::base
