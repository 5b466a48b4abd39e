// Executing a submission: one visitor over its commands.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <variant>

#include "backends/cpu/device.h"

namespace pintle::cpu {
namespace {

using backend::Argument;
using backend::Binding;
using backend::Commands;
using backend::no_slot;
using backend::Range;
using Worker = kit::HostPool::Worker;

/// One launch, ready to be called group by group.
struct Launch {
  const Kernel& kernel;
  Grid grid;
  void* const* arguments;

  void run(std::uint64_t first, std::uint64_t last, void* local) const {
    const std::uint64_t plane = std::uint64_t{grid.x} * grid.y;
    pintle_group group{};
    group.id[0] = static_cast<std::uint32_t>(first % grid.x);
    group.id[1] = static_cast<std::uint32_t>(first / grid.x % grid.y);
    group.id[2] = static_cast<std::uint32_t>(first / plane);
    std::ranges::copy(std::array{grid.x, grid.y, grid.z}, group.count);
    std::ranges::copy(std::array{kernel.size.x, kernel.size.y, kernel.size.z}, group.size);
    group.local_bytes = kernel.local_bytes;
    group.local = local;
    for (std::uint64_t index = first; index < last; ++index) {
      kernel.code(&group, arguments);
      if (++group.id[0] < grid.x) continue;
      group.id[0] = 0;
      if (++group.id[1] < grid.y) continue;
      group.id[1] = 0;
      ++group.id[2];
    }
  }

  /// Scratch memory is on the stack of whoever runs the groups: a worker's, or a thread's that waits.
  [[gnu::noinline]] void run_with_local(std::uint64_t first, std::uint64_t last) const {
    alignas(64) std::array<std::byte, max_local_bytes> local;
    run(first, last, local.data());
  }

  void operator()(std::uint64_t first, std::uint64_t last) const {
    kernel.local_bytes == 0 ? run(first, last, nullptr) : run_with_local(first, last);
  }
};

void repeat(std::byte* to, std::uint64_t size, const backend::Fill& fill) {
  std::array<std::byte, 512> block;
  for (std::size_t offset = 0; offset < block.size(); offset += fill.pattern_size) {
    std::memcpy(block.data() + offset, fill.pattern.bytes.data(), fill.pattern_size);
  }
  for (std::uint64_t done = 0; done < size; done += block.size()) {
    std::memcpy(to + done, block.data(), std::min<std::uint64_t>(block.size(), size - done));
  }
}

/// One list, or one replay of a recording with its bindings.
class Run {
 public:
  Run(const void* owner, const Commands& commands, std::span<const Binding> bindings, Worker* worker) noexcept
      : owner_(owner), commands_(commands), bindings_(bindings), worker_(worker) {}

  void all() {
    for (const backend::Command& command : commands_.commands) {
      if (worker_ != nullptr && worker_->is_stopping()) return;
      std::visit(*this, command.operation);
    }
  }

  void operator()(const backend::Copy& copy) const {
    move(bytes_at(place(copy.to)), bytes_at(place(copy.from)), place(copy.to).size);
  }
  void operator()(const backend::Upload& upload) const {
    const Range to = place(upload.to);
    move(bytes_at(to), bound(upload.from, upload.from.slot).data, to.size);
  }
  void operator()(const backend::Download& download) const {
    const Range from = place(download.from);
    move(bound(download.to, download.to.slot).data, bytes_at(from), from.size);
  }
  void operator()(const backend::Fill& fill) const {
    const Range to = place(fill.to);
    std::byte* const bytes = bytes_at(to);
    in_pieces(to.size, [&](std::uint64_t first, std::uint64_t size) { repeat(bytes + first, size, fill); });
  }
  void operator()(const backend::Exec& exec) const { launch(exec, exec.grid); }
  void operator()(const backend::ExecIndirect& indirect) const {
    std::array<std::uint32_t, 3> counts;
    std::memcpy(counts.data(), bytes_at(place(indirect.grid_at)), sizeof counts);
    const Grid most = indirect.exec.grid;
    const Grid grid{std::min(counts[0], most.x), std::min(counts[1], most.y), std::min(counts[2], most.z)};
    if (grid.x != 0 && grid.y != 0 && grid.z != 0) launch(indirect.exec, grid);
  }
  void operator()(const backend::HostCall& call) const { call.call(call.state); }
  void operator()(const backend::Timestamp& timestamp) const {
    const std::int64_t ticks = std::chrono::duration_cast<Duration>(Clock::now().time_since_epoch()).count();
    std::memcpy(bytes_at(place(timestamp.to)), &ticks, sizeof ticks);
  }
  void operator()(const backend::Replay& replay) const {
    const auto& recorded = *reinterpret_cast<const Commands*>(static_cast<std::uintptr_t>(replay.recording));
    Run(owner_, recorded, replay.bindings, worker_).all();
  }

 private:
  template <class T>
  [[nodiscard]] const T& bound(const T& given, std::uint32_t slot) const {
    return slot == no_slot ? given : *std::get_if<T>(&bindings_[slot]);
  }
  [[nodiscard]] Range place(const Range& range) const {
    if (range.slot == no_slot) return range;
    Range held = bound(range, range.slot);
    if (range.size != 0) held.size = range.size;
    return held;
  }

  [[nodiscard]] void* address(const Argument& argument) const {
    if (argument.kind == Argument::Kind::buffer) return bytes_at(bound(argument.range, argument.range.slot));
    return const_cast<std::byte*>(
        bound(argument.scalar, argument.slot).bytes.data());  // kernels take void*, and read it
  }

  void launch(const backend::Exec& exec, Grid grid) const {
    std::array<void*, max_parameters> addresses;
    std::size_t count = 0;
    for (const Argument& argument : commands_.of(exec)) {
      if (argument.kind != Argument::Kind::use) addresses[count++] = address(argument);
    }
    const Launch launch{program_of(exec.program).kernels[exec.entry], grid, addresses.data()};
    spread(std::uint64_t{grid.x} * grid.y * grid.z, launch, &launch.kernel.cost);
  }

  template <class Body>
  void spread(std::uint64_t count, const Body& body, kit::LoopCost* cost) const {
    if (worker_ == nullptr || count == 1) return body(0, count);
    worker_->spread(owner_, count, body, cost);
  }

  template <class Body>
  void in_pieces(std::uint64_t size, const Body& body) const {
    constexpr std::uint64_t piece = 1 << 20;
    if (size < 2 * piece) return body(0, size);
    spread((size + piece - 1) / piece,
           [&](std::uint64_t first, std::uint64_t last) {
             body(first * piece, std::min(last * piece, size) - first * piece);
           },
           nullptr);
  }

  void move(std::byte* to, const std::byte* from, std::uint64_t size) const {
    in_pieces(size, [&](std::uint64_t first, std::uint64_t count) { std::memcpy(to + first, from + first, count); });
  }

  const void* const owner_;
  const Commands& commands_;
  const std::span<const Binding> bindings_;
  Worker* const worker_;
};

}  // namespace

void Device::execute(const kit::HostQueue& queue, const Commands& commands, Worker* worker) noexcept {
  Run(&queue, commands, {}, worker).all();
}

}  // namespace pintle::cpu
