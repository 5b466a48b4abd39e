// Executing a submission: one visitor over its commands.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <variant>

#include "backends/cpu/device.h"
#include "base/kernel_environment.h"
#include "host/bytes.h"
#include "host/expected.h"
#include "host/launches.h"
#include "kit/bound.h"
#include "kit/host_clock.h"

namespace pintle::cpu {
namespace {

using backend::Argument;
using backend::Binding;
using backend::Commands;
using backend::no_slot;
using backend::Range;
using host::Launch;
using host::Stint;
using Place = host::Queue::Place;
using Worker = host::Pool::Worker;

/// One list, or one replay of a recording with its bindings.
class Run {
 public:
  Run(const void* owner, const Commands& commands, std::span<const Binding> bindings, Worker* worker) noexcept
      : owner_(owner), commands_(commands), bindings_(bindings), worker_(worker) {}

  /// For a device without a pool.
  void all() {
    for (const backend::Command& command : commands_.commands) {
      if (const auto* const exec = std::get_if<backend::Exec>(&command.operation)) launch(*exec, exec->grid);
      else std::visit(*this, command.operation);
    }
  }

  /// On a worker. Returns what the list should take the next time.
  float all(Place place) {
    for (std::span rest(commands_.commands.subspan(place.command)); !rest.empty();) {
      if (worker_->is_stopping()) return host::unknown_cost;
      skip_ = std::exchange(place.groups, 0);
      inner_ = std::exchange(place.inner, 0);
      const std::size_t count = skip_ != 0 ? 1 : launches_at_once(rest);
      if (count == 0) cost_ += expected(rest.front().operation);
      if (count > 1) launch_together(rest.first(count));
      else std::visit(*this, rest.front().operation);
      rest = rest.subspan(std::max<std::size_t>(count, 1));
    }
    return cost_;
  }

  /// On a thread that waits. False where `stint` ends before the list does; `at` and `groups` say how far it came.
  [[nodiscard]] bool some(std::uint32_t& at, Place& place, Stint& stint) {
    for (; at < commands_.commands.size(); ++at) {
      const backend::Operation& operation = commands_.commands[at].operation;
      if (const auto* const exec = std::get_if<backend::Exec>(&operation)) {
        if (!launch_some(*exec, place.groups, stint)) return false;
        place.groups = 0;
      } else if (const auto* const replay = std::get_if<backend::Replay>(&operation)) {
        Run run(owner_, recording_of(*replay), replay->bindings, nullptr);
        if (!run.some(place.inner, place, stint)) return false;
        place.inner = 0;
      } else {
        if (!stint.may_begin(expected(operation))) return false;
        std::visit(*this, operation);
      }
    }
    return true;
  }

  void operator()(const backend::Copy& copy) const {
    move(bytes_at(place(copy.to)), bytes_at(place(copy.from)), place(copy.to).size);
  }
  void operator()(const backend::CopyImage& copy) const {
    const ImagePart& part = copy.transfer->part;
    const pintle_cpu_image& image = block_of(copy.is_to_image ? copy.to.memory : copy.from.memory).image;
    std::byte* const rows = bytes_at(place(copy.is_to_image ? copy.from : copy.to));
    const std::uint64_t texel = bytes_of(copy.transfer->texel), size = part.extent.width * texel;
    auto* const first =
        static_cast<std::byte*>(image.texels) + part.z * image.slice_bytes + part.y * image.row_bytes + part.x * texel;
    for (std::uint64_t z = 0; z < part.extent.slices(); ++z) {
      for (std::uint64_t y = 0; y < part.extent.height; ++y) {
        std::byte* const in_image = first + z * image.slice_bytes + y * image.row_bytes;
        std::byte* const in_buffer = rows + z * part.slice_bytes + y * part.row_bytes;
        std::memcpy(copy.is_to_image ? in_image : in_buffer, copy.is_to_image ? in_buffer : in_image, size);
      }
    }
  }
  void operator()(const backend::Upload& upload) const {
    const Range to = place(upload.to);
    move(bytes_at(to), kit::bound(upload.from, upload.from.slot, bindings_).data, to.size);
  }
  void operator()(const backend::Download& download) const {
    const Range from = place(download.from);
    move(kit::bound(download.to, download.to.slot, bindings_).data, bytes_at(from), from.size);
  }
  void operator()(const backend::Fill& fill) const {
    const Range to = place(fill.to);
    std::byte* const bytes = bytes_at(to);
    in_pieces(to.size, [&](std::uint64_t first, std::uint64_t size) { host::repeat(bytes + first, size, fill); });
  }
  void operator()(const backend::Exec& exec) { launch(exec, exec.grid); }
  void operator()(const backend::ExecIndirect& indirect) {
    std::array<std::uint32_t, 3> counts;
    std::memcpy(counts.data(), bytes_at(place(indirect.grid_at)), sizeof counts);
    const Grid most = indirect.exec.grid;
    const Grid grid{std::min(counts[0], most.x), std::min(counts[1], most.y), std::min(counts[2], most.z)};
    if (grid.x != 0 && grid.y != 0 && grid.z != 0) launch(indirect.exec, grid);
  }
  void operator()(const backend::HostCall& call) const {
    const base::KernelEnvironment own;  // what the call changes is not the next kernel's
    call.call(call.state);
  }
  void operator()(const backend::Timestamp& timestamp) const {
    const std::uint64_t ticks = kit::host_ticks();
    std::memcpy(bytes_at(place(timestamp.to)), &ticks, sizeof ticks);
  }
  void operator()(const backend::Replay& replay) {
    if (worker_ == nullptr) return Run(owner_, recording_of(replay), replay.bindings, nullptr).all();
    cost_ += Run(owner_, recording_of(replay), replay.bindings, worker_).all({inner_, 0, skip_});
  }

 private:
  [[nodiscard]] static const Commands& recording_of(const backend::Replay& replay) noexcept {
    return *reinterpret_cast<const Commands*>(static_cast<std::uintptr_t>(replay.recording));
  }

  [[nodiscard]] float expected(const backend::Operation& operation) const {
    return host::expected(operation, [&](const Range& range) { return place(range).size; });
  }

  [[nodiscard]] Range place(const Range& range) const noexcept { return kit::bound(range, bindings_); }

  [[nodiscard]] void* address(const Argument& argument) const {
    if (argument.kind == Argument::Kind::buffer)
      return bytes_at(kit::bound(argument.range, argument.range.slot, bindings_));
    if (argument.kind == Argument::Kind::scalar)  // kernels take void*, and read it
      return const_cast<std::byte*>(kit::bound(argument.scalar, argument.slot, bindings_).bytes.data());
    if (argument.kind == Argument::Kind::image) return &block_of(argument.range.memory).image;
    if (argument.kind == Argument::Kind::sampler) return const_cast<std::byte*>(argument.scalar.bytes.data());
    if (argument.kind == Argument::Kind::value) return const_cast<std::byte*>(argument.value);
    if (argument.kind == Argument::Kind::null) return nullptr;
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(argument.range.size));  // local: see host::Launch
  }

  struct Addresses {
    std::array<void*, Entry::max_parameters> of;
    std::array<pintle_cpu_image, Entry::max_parameters> texels;  // those of texel buffers
  };

  /// What a kernel gets for a texel buffer: an image of one row.
  [[nodiscard]] static pintle_cpu_image image_of(const Argument& argument) noexcept {
    const Texel texel = argument.texel();
    const Range& range = argument.range;
    return {bytes_at(range),
            static_cast<std::uint32_t>(range.size / bytes_of(texel)),
            1,
            0,
            static_cast<std::uint32_t>(texel),
            range.size,
            range.size};
  }

  [[nodiscard]] Launch launch_of(const backend::Exec& exec, Grid grid, Addresses& addresses) const {
    std::size_t count = 0;
    for (const Argument& argument : commands_.of(exec)) {
      if (argument.kind == Argument::Kind::use) continue;
      const bool has_texels = argument.kind == Argument::Kind::texel_buffer;
      if (has_texels) addresses.texels[count] = image_of(argument);
      addresses.of[count] = has_texels ? &addresses.texels[count] : address(argument);
      ++count;
    }
    return {&program_of(exec.program).kernels[exec.entry], grid, addresses.of.data()};
  }

  void launch(const backend::Exec& exec, Grid grid) {
    Addresses addresses;
    const Launch launch = launch_of(exec, grid, addresses);
    if (worker_ == nullptr) return launch(0, launch.groups());
    const std::uint64_t skip = std::exchange(skip_, 0);
    const auto body = [&](std::uint64_t first, std::uint64_t last) { launch(first + skip, last + skip); };
    host::Loop loop = launch.loop();
    loop.last -= skip;
    spread(loop, body);
    // A launch of several groups that takes longer is shared, so a worker begins it.
    const float expected = launch.expected();
    cost_ += launch.groups() == 1 || expected <= Stint::worth_sharing ? expected : host::unknown_cost;
  }

  [[nodiscard]] bool launch_some(const backend::Exec& exec, std::uint64_t& groups, Stint& stint) const {
    Addresses addresses;
    const Launch launch = launch_of(exec, exec.grid, addresses);
    return stint.run(groups, launch.groups(), launch.kernel->cost, launch.kernel->stack, launch);
  }

  /// How many commands from the first on are launches that no barrier keeps apart. Without helpers the number does not
  /// matter.
  [[nodiscard]] std::size_t launches_at_once(std::span<const backend::Command> commands) const noexcept {
    const std::size_t most = std::min(commands.size(), host::Launches::most);
    std::size_t count = 0;
    while (count < most && (count == 0 || !commands[count].barrier_before) && is_known(commands[count].operation)) {
      ++count;
    }
    return count;
  }
  /// A launch whose cost is known: where several kernels run together, none can be timed.
  [[nodiscard]] static bool is_known(const backend::Operation& operation) noexcept {
    const auto* const exec = std::get_if<backend::Exec>(&operation);
    return exec != nullptr && program_of(exec->program).kernels[exec->entry].cost.is_known();
  }

  void launch_together(std::span<const backend::Command> commands) {
    std::array<Addresses, host::Launches::most> addresses;
    host::Launches all;
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const auto& exec = std::get<backend::Exec>(commands[i].operation);
      all.add(launch_of(exec, exec.grid, addresses[i]));
    }
    spread(all.loop(), all);
    cost_ += all.expected();
  }

  template <class Body>
  void spread(host::Loop loop, const Body& body) const {
    if (worker_ == nullptr) return body(0, loop.last);
    loop.owner = owner_;
    worker_->spread(loop, body);
  }

  template <class Body>
  void in_pieces(std::uint64_t size, const Body& body) const {
    constexpr std::uint64_t piece = host::bytes_of_piece;
    if (!host::has_pieces(size)) return body(0, size);
    spread(host::pieces_of(size), [&](std::uint64_t first, std::uint64_t last) {
      body(first * piece, std::min(last * piece, size) - first * piece);
    });
  }

  void move(std::byte* to, const std::byte* from, std::uint64_t size) const {
    in_pieces(size, [&](std::uint64_t first, std::uint64_t count) { std::memcpy(to + first, from + first, count); });
  }

  const void* const owner_;
  const Commands& commands_;
  const std::span<const Binding> bindings_;
  Worker* const worker_;
  float cost_ = 0;
  // These belong to the command at which the run begins:
  std::uint64_t skip_ = 0;
  std::uint32_t inner_ = 0;
};

}  // namespace

float Device::execute(const host::Queue& queue, const Commands& commands, Place place, Worker* worker) noexcept {
  Run run(&queue, commands, {}, worker);
  if (worker != nullptr) return run.all(place);
  run.all();
  return 0;
}

bool Device::execute(const Commands& commands, Place& place, Stint& stint) noexcept {
  return Run(nullptr, commands, {}, nullptr).some(place.command, place, stint);
}

}  // namespace pintle::cpu
