// Launches, copies and fills as the driver's structs, with the slots of a recording filled in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "backends/cuda/memory.h"
#include "backends/cuda/program.h"
#include "kit/bound.h"
#include "pintle/backend/command.h"

namespace pintle::cuda {

using Bindings = std::span<const backend::Binding>;

/// One launch. The driver wants the address of each argument. What a kernel takes in more bytes than were given lies in
/// a place of its own. It holds addresses of its own members, so it is neither copied nor moved.
class KernelCall {
 public:
  KernelCall(const backend::Exec& exec, const backend::Commands& list, Bindings bindings);
  KernelCall(const KernelCall&) = delete;
  KernelCall& operator=(const KernelCall&) = delete;
  ~KernelCall() = default;

  [[nodiscard]] const Kernel& kernel() const noexcept { return kernel_; }
  [[nodiscard]] unsigned shared_bytes() const noexcept { return static_cast<unsigned>(shared_); }
  [[nodiscard]] void** arguments() noexcept { return pointers_.data(); }
  /// The same as a node of a graph.
  [[nodiscard]] vendor::cuda::KernelNode node() noexcept;

 private:
  using Place = std::array<std::byte, 64>;  // a vector of 16 f32, or of three with the place of four

  inline void add(const backend::Argument& argument, Bindings bindings);
  inline void put(std::uint64_t word);
  void put_value(const std::byte* bytes, std::uint64_t size);
  void point_at(const std::byte* bytes) noexcept {
    pointers_[count_++] = const_cast<std::byte*>(bytes);  // the driver only reads it
  }

  const Kernel& kernel_;
  const Grid& grid_;
  std::size_t count_ = 0;
  std::uint64_t shared_ = 0;  // with that of the signature
  std::array<void*, Entry::max_parameters> pointers_;
  std::array<Place, Entry::max_parameters> places_;
};

/// A side of a copy.
[[nodiscard]] inline vendor::cuda::CopySide device_side(const backend::Range& range) noexcept {
  return {.device = address_of(range)};
}
[[nodiscard]] inline vendor::cuda::CopySide host_side(std::byte* bytes) noexcept {
  return {.type = vendor::cuda::MemoryType::host, .host = bytes};
}

/// Whether a pattern of eight bytes is one of four, twice: the driver fills with no more than four.
[[nodiscard]] bool is_short(const backend::Fill& fill) noexcept;
/// Bytes of a longer pattern's repetitions that are staged.
inline constexpr std::uint64_t most_pattern = 4096;
/// A fill of `to` whose pattern `is_short`.
[[nodiscard]] vendor::cuda::FillNode fill_node(const backend::Fill& fill, const backend::Range& to) noexcept;

}  // namespace pintle::cuda
