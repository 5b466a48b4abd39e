// Memory that processes share. It has no name in any folder: when the last of them ends, by whatever cause, it is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "pintle/error.h"

namespace pintle::base {

/// A mapping of zeros at first; pages come when they are touched. Its size is sealed: no process can cut it short under
/// the others. What is in it may be anything that a neighbour wrote.
class SharedMemory {
 public:
  /// `bytes` is not 0. `name` is what /proc shows. `out_of_memory` where the system has no such range.
  [[nodiscard]] static Result<SharedMemory> create(std::uint64_t bytes, const std::string& name);
  /// The same for the threads of this process alone.
  [[nodiscard]] static Result<SharedMemory> create_private(std::uint64_t bytes);
  /// What another process of this user has created, by its descriptor there. `not_found` where there is no such process
  /// or descriptor, `unavailable` where it is anything but sealed memory of just this size. Never blocks, whatever it
  /// is.
  [[nodiscard]] static Result<SharedMemory> open(std::uint64_t process, std::uint64_t descriptor, std::uint64_t bytes);
  /// What a parent has created, by the number of the descriptor that this process was started with. That stays open
  /// here, but no program that this process starts from now on has it.
  [[nodiscard]] static Result<SharedMemory> inherit(int descriptor);

  SharedMemory(SharedMemory&& other) noexcept
      : bytes_(std::exchange(other.bytes_, {})), descriptor_(std::exchange(other.descriptor_, -1)) {}
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }
  /// By which others open or inherit it; -1 where this process did not create it, or after `close_descriptor`.
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  /// Nobody can open it from now on; a process that has it keeps it.
  void close_descriptor() noexcept;

 private:
  SharedMemory(std::span<std::byte> bytes, int descriptor) noexcept : bytes_(bytes), descriptor_(descriptor) {}

  std::span<std::byte> bytes_;
  int descriptor_;
};

}  // namespace pintle::base
