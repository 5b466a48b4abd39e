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
using Worker = host::Pool::Worker;

/// Launches that are run as one loop over all their groups.
constexpr std::size_t most_together = 16;

/// One launch, ready to be called group by group.
struct Launch {
  const Kernel* kernel;
  Grid grid;
  void* const* arguments;

  [[nodiscard]] std::uint64_t groups() const noexcept { return std::uint64_t{grid.x} * grid.y * grid.z; }

  void run(std::uint64_t first, std::uint64_t last, void* local) const {
    const std::uint64_t plane = std::uint64_t{grid.x} * grid.y;
    pintle_group group{};
    group.id[0] = static_cast<std::uint32_t>(first % grid.x);
    group.id[1] = static_cast<std::uint32_t>(first / grid.x % grid.y);
    group.id[2] = static_cast<std::uint32_t>(first / plane);
    std::ranges::copy(std::array{grid.x, grid.y, grid.z}, group.count);
    std::ranges::copy(std::array{kernel->size.x, kernel->size.y, kernel->size.z}, group.size);
    group.local_bytes = kernel->local_bytes;
    group.local = local;
    for (std::uint64_t index = first; index < last; ++index) {
      kernel->code(&group, arguments);
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
    kernel->local_bytes == 0 ? run(first, last, nullptr) : run_with_local(first, last);
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
    for (std::span rest(commands_.commands); !rest.empty();) {
      if (worker_ != nullptr && worker_->is_stopping()) return;
      const std::size_t count = launches_at_once(rest);
      if (count > 1) launch_together(rest.first(count));
      else std::visit(*this, rest.front().operation);
      rest = rest.subspan(std::max<std::size_t>(count, 1));
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

  using Addresses = std::array<void*, max_parameters>;

  [[nodiscard]] Launch launch_of(const backend::Exec& exec, Grid grid, Addresses& addresses) const {
    std::size_t count = 0;
    for (const Argument& argument : commands_.of(exec)) {
      if (argument.kind != Argument::Kind::use) addresses[count++] = address(argument);
    }
    return {&program_of(exec.program).kernels[exec.entry], grid, addresses.data()};
  }

  void launch(const backend::Exec& exec, Grid grid) const {
    Addresses addresses;
    const Launch launch = launch_of(exec, grid, addresses);
    spread(launch.groups(), launch, &launch.kernel->cost);
  }

  /// How many commands from the first on are launches that no barrier keeps apart. Without helpers it does not matter.
  [[nodiscard]] std::size_t launches_at_once(std::span<const backend::Command> commands) const noexcept {
    const std::size_t most = worker_ == nullptr ? 0 : std::min(commands.size(), most_together);
    std::size_t count = 0;
    while (count < most && std::holds_alternative<backend::Exec>(commands[count].operation) &&
           (count == 0 || !commands[count].barrier_before)) {
      ++count;
    }
    return count;
  }

  void launch_together(std::span<const backend::Command> commands) const {
    std::array<Addresses, most_together> addresses;
    std::array<Launch, most_together> launches;
    std::array<std::uint64_t, most_together> ends;  // of their groups among all
    std::uint64_t all = 0;
    host::LoopCost* cost = nullptr;  // of the kernel that they all launch
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const auto& exec = std::get<backend::Exec>(commands[i].operation);
      launches[i] = launch_of(exec, exec.grid, addresses[i]);
      host::LoopCost* const own = &launches[i].kernel->cost;
      cost = i == 0 || cost == own ? own : nullptr;
      ends[i] = all += launches[i].groups();
    }
    const auto body = [&](std::uint64_t first, std::uint64_t last) {
      const auto known = std::span(ends).first(commands.size());
      auto i = static_cast<std::size_t>(std::ranges::upper_bound(known, first) - known.begin());
      for (; first < last; ++i) {
        const std::uint64_t begin = i == 0 ? 0 : ends[i - 1], end = std::min(last, ends[i]);
        launches[i](first - begin, end - begin);
        first = end;
      }
    };
    spread(all, body, cost);
  }

  template <class Body>
  void spread(std::uint64_t count, const Body& body, host::LoopCost* cost) const {
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

void Device::execute(const host::Queue& queue, const Commands& commands, Worker* worker) noexcept {
  Run(&queue, commands, {}, worker).all();
}

}  // namespace pintle::cpu
