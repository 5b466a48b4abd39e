#include "backends/cuda/call.h"

#include <algorithm>
#include <cstring>

#include "kit/fill_period.h"

namespace pintle::cuda {

using backend::Argument;

namespace {

constexpr std::uint32_t most_filled = 4;  // bytes of a pattern

constexpr std::array<unsigned, 3> sides_of(const Grid& grid) noexcept { return {grid.x, grid.y, grid.z}; }

}  // namespace

/// `compare` has found the size of each scalar to be the kernel's when the program was loaded.
inline void KernelCall::add(const Argument& argument, Bindings bindings) {
  switch (argument.kind) {
    case Argument::Kind::buffer: return put(address_of(kit::bound(argument.range, argument.range.slot, bindings)));
    case Argument::Kind::local:
      put(shared_);
      shared_ += cuda::shared_bytes(argument.range.size);
      return;
    case Argument::Kind::value: return put_value(argument.value, argument.range.size);
    case Argument::Kind::null: return put(0);
    case Argument::Kind::use: return;
    default: return point_at(kit::bound(argument.scalar, argument.slot, bindings).bytes.data());
  }
}

inline void KernelCall::put(std::uint64_t word) {
  Place& place = places_[count_];
  std::memcpy(place.data(), &word, sizeof word);
  pointers_[count_++] = place.data();
}

/// A vector of three may have the place of four.
void KernelCall::put_value(const std::byte* bytes, std::uint64_t size) {
  if (kernel_.sizes[count_] <= size) return point_at(bytes);
  Place& place = places_[count_];
  place.fill(std::byte{0});
  std::copy_n(bytes, size, place.begin());
  pointers_[count_++] = place.data();
}

KernelCall::KernelCall(const backend::Exec& exec, const backend::Commands& list, Bindings bindings)
    : kernel_(Programs::at(exec.program).kernels[exec.entry]), grid_(exec.grid) {
  for (const Argument& argument : list.of(exec)) add(argument, bindings);
  shared_ += kernel_.shared;
}

vendor::cuda::KernelNode KernelCall::node() noexcept {
  vendor::cuda::KernelNode node;
  node.function = kernel_.function;
  node.grid = sides_of(grid_);
  node.block = sides_of(kernel_.group);
  node.shared_bytes = shared_bytes();
  node.arguments = arguments();
  return node;
}

bool is_short(const backend::Fill& fill) noexcept { return kit::period_of(fill) <= most_filled; }

vendor::cuda::FillNode fill_node(const backend::Fill& fill, const backend::Range& to) noexcept {
  vendor::cuda::FillNode node;
  node.to = address_of(to);
  node.element_bytes = kit::period_of(fill);
  std::memcpy(&node.value, fill.pattern.bytes.data(), node.element_bytes);
  node.width = to.size / node.element_bytes;
  return node;
}

}  // namespace pintle::cuda
