#include "backends/opencl/enqueue.h"

#include <array>
#include <variant>

#include "kit/pieces.h"

namespace pintle::opencl {

using backend::Argument;
using backend::Range;

namespace {

cl_mem object_of(const Range& range) noexcept { return Memories::at(range.memory).object(); }

}  // namespace

Result<void> Enqueue::all(cl_event* last) {
  const std::size_t count = list_.commands.size();
  for (index_ = 0; index_ < count; ++index_) {
    event_ = index_ + 1 == count ? last : nullptr;
    PINTLE_TRY(std::visit(*this, list_.commands[index_].operation));
  }
  return {};
}

Result<void> Enqueue::started(cl_int status, std::string_view call) {
  PINTLE_TRY(check(status, call));
  has_started_ = true;
  return {};
}

template <class Transfer>
Result<void> Enqueue::in_pieces(std::uint64_t size, std::string_view call, Transfer transfer) {
  return kit::in_pieces(size, [&](std::uint64_t at, std::uint64_t some, bool is_last) {
    return started(transfer(at, some, is_last ? event_ : nullptr), call);
  });
}

Result<void> Enqueue::operator()(const backend::Copy& copy) {
  const Range to = place(copy.to), from = place(copy.from);
  return in_pieces(to.size, "clEnqueueCopyBuffer", [&](std::uint64_t at, std::uint64_t size, cl_event* event) {
    return api().clEnqueueCopyBuffer(queue_, object_of(from), object_of(to), from.offset + at, to.offset + at, size, 0,
                                     nullptr, event);
  });
}

Result<void> Enqueue::operator()(const backend::CopyImage& copy) {
  return for_each_block(*copy.transfer, [&](const ImageBlock& block) { return copy_block(copy, block); });
}

Result<void> Enqueue::copy_block(const backend::CopyImage& copy, const ImageBlock& block) {
  cl_event* const event = block.is_last ? event_ : nullptr;
  const Range to = place(copy.to), from = place(copy.from);
  if (copy.is_to_image)
    return started(api().clEnqueueCopyBufferToImage(queue_, object_of(from), object_of(to), from.offset + block.offset,
                                                    block.origin.data(), block.region.data(), 0, nullptr, event),
                   "clEnqueueCopyBufferToImage");
  return started(api().clEnqueueCopyImageToBuffer(queue_, object_of(from), object_of(to), block.origin.data(),
                                                  block.region.data(), to.offset + block.offset, 0, nullptr, event),
                 "clEnqueueCopyImageToBuffer");
}

Result<void> Enqueue::operator()(const backend::Fill& fill) {
  const Range to = place(fill.to);
  return in_pieces(to.size, "clEnqueueFillBuffer", [&](std::uint64_t at, std::uint64_t size, cl_event* event) {
    return api().clEnqueueFillBuffer(queue_, object_of(to), fill.pattern.bytes.data(), fill.pattern_size,
                                     to.offset + at, size, 0, nullptr, event);
  });
}

Result<void> Enqueue::operator()(const backend::Upload& upload) {
  const Range to = place(upload.to);
  const std::byte* const source = kit::bound(upload.from, upload.from.slot, bindings_).data;
  return in_pieces(to.size, "clEnqueueWriteBuffer", [&](std::uint64_t at, std::uint64_t size, cl_event* event) {
    return api().clEnqueueWriteBuffer(queue_, object_of(to), CL_FALSE, to.offset + at, size, source + at, 0, nullptr,
                                      event);
  });
}

Result<void> Enqueue::operator()(const backend::Download& download) {
  const Range from = place(download.from);
  std::byte* const target = kit::bound(download.to, download.to.slot, bindings_).data;
  return in_pieces(from.size, "clEnqueueReadBuffer", [&](std::uint64_t at, std::uint64_t size, cl_event* event) {
    return api().clEnqueueReadBuffer(queue_, object_of(from), CL_FALSE, from.offset + at, size, target + at, 0, nullptr,
                                     event);
  });
}

/// One replay at a time uses the kernel objects of a recording.
Result<void> Enqueue::operator()(const backend::Replay& replay) {
  Recording& recording = Recordings::at(replay.recording);
  const std::lock_guard lock(recording.mutex);
  return Enqueue(queue_, recording.commands, replay.bindings, has_started_, &recording).all(event_);
}

Result<void> Enqueue::operator()(const backend::Exec& exec) {
  Kernel& kernel = *Programs::at(exec.program).kernels[exec.entry];
  if (recording_ != nullptr) return launch(*recording_->by_command[index_], kernel, exec);
  PINTLE_ASSIGN(use, kernel.use());
  return launch(*use, kernel, exec);
}

Result<void> Enqueue::launch(BoundKernel& bound, const Kernel& kernel, const backend::Exec& exec) {
  PINTLE_TRY(set_arguments(bound, kernel, list_.of(exec)));
  const Grid& grid = exec.grid;
  const Grid& group = kernel.group();
  const std::array<std::size_t, 3> global{std::size_t{grid.x} * group.x, std::size_t{grid.y} * group.y,
                                          std::size_t{grid.z} * group.z};
  const std::array<std::size_t, 3> local{group.x, group.y, group.z};
  return started(
      api().clEnqueueNDRangeKernel(queue_, bound.get(), 3, nullptr, global.data(), local.data(), 0, nullptr, event_),
      "clEnqueueNDRangeKernel");
}

Result<void> Enqueue::set_argument(BoundKernel& bound, const Kernel& kernel, std::uint32_t index,
                                   const Argument& argument) const {
  if (argument.kind == Argument::Kind::buffer || argument.kind == Argument::Kind::image)
    return bound.set(index, place(argument.range));
  if (argument.kind == Argument::Kind::texel_buffer)
    return bound.set(index, argument.range, {argument.texel(), argument.access}, kernel.images());
  if (argument.kind == Argument::Kind::local) return bound.set_local(index, argument.range.size);
  if (argument.kind == Argument::Kind::value) return bound.set(index, {argument.value, argument.range.size});
  if (argument.kind == Argument::Kind::null) return bound.set_null(index);
  if (argument.kind == Argument::Kind::sampler) {
    PINTLE_ASSIGN(sampler, kernel.images().sampler(argument.sampler()));
    return bound.set(index, std::as_bytes(std::span(&sampler, 1)));
  }
  const backend::Scalar& scalar = kit::bound(argument.scalar, argument.slot, bindings_);
  return bound.set(index, std::span(scalar.bytes).first(bytes_of(argument.dtype)));
}

Result<void> Enqueue::set_arguments(BoundKernel& bound, const Kernel& kernel,
                                    std::span<const Argument> arguments) const {
  std::uint32_t index = 0;
  std::size_t reached = 0;
  for (const Argument& argument : arguments) {
    if (argument.kind == Argument::Kind::use) {
      void* const address = Memories::at(place(argument.range).memory).shared();
      if (address != nullptr) bound.reach(reached++, address);
      continue;
    }
    PINTLE_TRY(set_argument(bound, kernel, index++, argument));
  }
  PINTLE_TRY(bound.set_reached(reached));
  if (kernel.local_argument_bytes() == 0) return {};
  return bound.set_local(index, kernel.local_argument_bytes());
}

}  // namespace pintle::opencl
