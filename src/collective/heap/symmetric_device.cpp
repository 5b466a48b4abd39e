// The bytes of a symmetric heap as a device has them.
#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "base/contain.h"
#include "collective/heap/heap_state.h"
#include "pintle/commands.h"
#include "pintle/queue.h"
#include "pintle/symmetric.h"

namespace pintle {
namespace {

using collective::HeapState;

[[nodiscard]] Result<BufferView> view_of(const HeapState& heap, const SymmetricBuffer& buffer) {
  PINTLE_ASSIGN(place, heap.own_place_of(buffer));
  if (heap.device().residence == Residence::host) {
    return Error(Errc::invalid_argument, fmt::format("{} was made without a device.", heap.text()));
  }
  PINTLE_ASSIGN(bytes, heap.device().buffer.slice(place.offset, place.size));
  return bytes.as(buffer.dtype(), buffer.shape());
}

/// The buffer's bytes in the own piece, as host memory of a command.
[[nodiscard]] std::span<std::byte> piece_of(const HeapState& heap, const SymmetricBuffer& buffer) {
  return {heap.window().own() + buffer.offset_bytes(), buffer.size_bytes()};
}

/// In place there is nothing to copy, but the device has to see what the host has written, and the host what the device
/// has written.
[[nodiscard]] CommandList nothing_but_order() { return CommandList{}.barrier(); }

}  // namespace

Residence SymmetricHeap::residence() const noexcept { return state_ ? state_->device().residence : Residence::host; }

std::string_view SymmetricHeap::residence_detail() const noexcept {
  return state_ ? std::string_view(state_->device().detail) : std::string_view();
}

Result<BufferView> SymmetricHeap::on_device(const SymmetricBuffer& buffer) const {
  PINTLE_ASSIGN(state, living());
  return base::contain("looking at a symmetric buffer", [&] { return view_of(*state, buffer); });
}

Result<Point> SymmetricHeap::to_device(const SymmetricBuffer& buffer, Queue& queue, SubmitOptions options) {
  PINTLE_ASSIGN(state, living());
  return base::contain("copying to a device", [&]() -> Result<Point> {
    PINTLE_ASSIGN(view, view_of(*state, buffer));
    if (state->device().residence == Residence::in_place) return queue.submit(nothing_but_order(), std::move(options));
    return queue.submit(CommandList{}.upload_retained(view, state->holding(), piece_of(*state, buffer)),
                        std::move(options));
  });
}

Result<Point> SymmetricHeap::from_device(const SymmetricBuffer& buffer, Queue& queue, SubmitOptions options) {
  PINTLE_ASSIGN(state, living());
  return base::contain("copying from a device", [&]() -> Result<Point> {
    PINTLE_ASSIGN(view, view_of(*state, buffer));
    if (state->device().residence == Residence::in_place) return queue.submit(nothing_but_order(), std::move(options));
    return queue.submit(CommandList{}.download_retained(state->holding(), piece_of(*state, buffer), view),
                        std::move(options));
  });
}

}  // namespace pintle
