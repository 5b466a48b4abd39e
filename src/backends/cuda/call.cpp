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

KernelCall::KernelCall(const backend::Exec& exec, const backend::Commands& list, Bindings bindings)
    : kernel_(Programs::at(exec.program).kernels[exec.entry]) {
  for (const Argument& argument : list.of(exec)) {
    if (argument.kind != Argument::Kind::use) add(argument, bindings);
  }
  node_.function = kernel_.function;
  node_.grid = sides_of(exec.grid);
  node_.block = sides_of(kernel_.group);
  node_.shared_bytes = static_cast<unsigned>(shared_ + kernel_.shared);
  node_.arguments = pointers_.data();
}

void KernelCall::add(const Argument& argument, Bindings bindings) {
  switch (argument.kind) {
    case Argument::Kind::buffer: return put(address_of(kit::bound(argument.range, bindings)));
    case Argument::Kind::local:
      put(shared_);
      shared_ += shared_bytes(argument.range.size);
      return;
    case Argument::Kind::value: return put_value(argument.value, argument.range.size);
    case Argument::Kind::null: return put(0);
    default:
      return put_value(kit::bound(argument.scalar, argument.slot, bindings).bytes.data(), bytes_of(argument.dtype));
  }
}

void KernelCall::put(std::uint64_t word) {
  Place& place = places_[count_];
  std::memcpy(place.data(), &word, sizeof word);
  pointers_[count_++] = place.data();
}

/// The driver only reads it.
void KernelCall::put_value(const std::byte* bytes, std::uint64_t size) {
  if (kernel_.sizes[count_] <= size) {
    pointers_[count_++] = const_cast<std::byte*>(bytes);
    return;
  }
  Place& place = places_[count_];
  place.fill(std::byte{0});
  std::copy_n(bytes, size, place.begin());
  pointers_[count_++] = place.data();
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
