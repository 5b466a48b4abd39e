#include "backends/cuda/enqueue.h"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "backends/cuda/call.h"
#include "backends/cuda/recording.h"

namespace pintle::cuda {

Result<void> Enqueue::all(const backend::Commands& list) {
  for (const backend::Command& command : list.commands) PINTLE_TRY(one(command, list));
  return {};
}

Result<void> Enqueue::operator()(const backend::Copy& copy) {
  return staging_.start<&Calls::cuMemcpyDtoDAsync>(address_of(copy.to), address_of(copy.from), copy.to.size, stream_);
}

Result<void> Enqueue::operator()(const backend::Fill& fill) {
  if (!is_short(fill)) return fill_words(address_of(fill.to), fill.to.size, fill.pattern);
  const vendor::cuda::FillNode node = fill_node(fill, fill.to);
  switch (node.element_bytes) {
    case 1:
      return staging_.start<&Calls::cuMemsetD8Async>(node.to, static_cast<std::uint8_t>(node.value), node.width,
                                                     stream_);
    case 2:
      return staging_.start<&Calls::cuMemsetD16Async>(node.to, static_cast<std::uint16_t>(node.value), node.width,
                                                      stream_);
    default: return staging_.start<&Calls::cuMemsetD32Async>(node.to, node.value, node.width, stream_);
  }
}

/// The driver fills with words of 32 bits at most. One of 64 is written once or a few times, and what is there is then
/// copied behind itself, twice as much each time.
Result<void> Enqueue::fill_words(DevicePointer to, std::uint64_t size, const backend::Scalar& pattern) {
  std::array<std::byte, most_pattern> words;
  constexpr std::size_t word = sizeof(std::uint64_t);
  for (std::size_t at = 0; at < words.size(); at += word) std::copy_n(pattern.bytes.begin(), word, words.begin() + at);
  std::uint64_t done = std::min<std::uint64_t>(size, words.size());
  PINTLE_TRY(write(to, std::span(words).first(done)));
  for (; done < size; done += std::min(done, size - done))
    PINTLE_TRY(staging_.start<&Calls::cuMemcpyDtoDAsync>(to + done, to, std::min(done, size - done), stream_));
  return {};
}

Result<void> Enqueue::write(DevicePointer to, std::span<const std::byte> bytes) {
  PINTLE_ASSIGN(place, staging_.copy_of(bytes));
  return staging_.start<&Calls::cuMemcpyHtoDAsync>(to, place, bytes.size(), stream_);
}

Result<void> Enqueue::operator()(const backend::Upload& upload) {
  return upload.to.size == 0 ? Result<void>() : write(address_of(upload.to), {upload.from.data, upload.to.size});
}

Result<void> Enqueue::operator()(const backend::Download& download) {
  if (download.from.size == 0) return {};
  PINTLE_ASSIGN(place, staging_.place_for(download.to.data, download.from.size));
  return staging_.start<&Calls::cuMemcpyDtoHAsync>(place, address_of(download.from), download.from.size, stream_);
}

Result<void> Enqueue::operator()(const backend::Replay& replay) {
  return Recordings::at(replay.recording).replay(staging_, stream_, replay.bindings);
}

/// Its time is known, and written, when the piece is finished.
Result<void> Enqueue::operator()(const backend::Timestamp& time) {
  PINTLE_ASSIGN(event, clock_.take_event());
  PINTLE_TRY(staging_.context().call_plainly<&Calls::cuEventRecord>(event.get()->handle, stream_));
  stamps_.push_back({std::move(event), address_of(time.to)});
  return {};
}

Result<void> Enqueue::launch(const backend::Exec& exec, const backend::Commands& list) {
  KernelCall call(exec, list, {});
  const Grid& grid = exec.grid;
  const Grid& group = call.kernel().group;
  return staging_.start<&Calls::cuLaunchKernel>(call.kernel().function, grid.x, grid.y, grid.z, group.x, group.y,
                                                group.z, call.shared_bytes(), stream_, call.arguments(), nullptr);
}

}  // namespace pintle::cuda
