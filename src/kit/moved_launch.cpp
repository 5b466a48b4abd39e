#include "kit/moved_launch.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/guarded_region.h"
#include "kit/accesses.h"
#include "kit/borrowed.h"

namespace pintle::kit {
namespace {

using backend::Argument;
using backend::Command;
using backend::MemoryId;
using backend::Range;

constexpr std::uint64_t margin = 4096;  // a multiple of every alignment
constexpr std::byte pattern{0xA5};

/// The launch with arguments of its own.
class Relocated {
 public:
  explicit Relocated(const MovedLaunch& launch) : command_(launch.command) {
    command_.barrier_before = true;
    backend::Exec& own = exec();
    const auto bound = launch.arguments.subspan(own.first_argument, own.argument_count);
    arguments_.assign(bound.begin(), bound.end());
    own.first_argument = 0;
  }

  /// The group's bindings are at `offset` bytes of `memory` from now on.
  void move(const BindingGroup& group, MemoryId memory, std::uint64_t offset) {
    for (const std::uint32_t number : group.arguments) {
      Range& range = arguments_[number].range;
      range.memory = memory;
      range.offset = offset + (range.offset - group.all.offset);
    }
  }
  [[nodiscard]] const Command& command() const noexcept { return command_; }
  [[nodiscard]] std::span<const Argument> arguments() const noexcept { return arguments_; }

 private:
  [[nodiscard]] backend::Exec& exec() noexcept {
    auto* const indirect = std::get_if<backend::ExecIndirect>(&command_.operation);
    return indirect != nullptr ? indirect->exec : std::get<backend::Exec>(command_.operation);
  }

  Command command_;
  std::vector<Argument> arguments_;
};

/// A launch and what its commands point to.
struct Original {
  explicit Original(const MovedLaunch& launch)
      : exec(*exec_of(launch.command)),
        arguments(launch.arguments.subspan(exec.first_argument, exec.argument_count)),
        groups(group_bindings(arguments, launch.program.entries[exec.entry])) {}

  const backend::Exec& exec;
  std::span<const Argument> arguments;
  std::vector<BindingGroup> groups;
};

/// A group of bindings between guard pages.
struct Guarded {
  BindingGroup group;
  std::span<std::byte> original;
  base::GuardedRegion region;
  Borrowed memory;
};

Result<Guarded> guard(backend::Device& device, BindingGroup group) {
  PINTLE_ASSIGN(mapped, device.map(group.all.memory));
  device.unmap(group.all.memory);  // on such a device the bytes stay where they are
  const std::span<std::byte> original = mapped.subspan(group.all.offset, group.all.size);
  const auto address = reinterpret_cast<std::uintptr_t>(original.data());
  const std::uint64_t alignment = std::min(group.alignment, margin);
  PINTLE_ASSIGN(region, base::GuardedRegion::create(group.all.size, alignment, address % alignment));
  if (!original.empty()) std::memcpy(region.bytes().data(), original.data(), original.size());
  PINTLE_ASSIGN(memory, device.import_memory(region.pages()));
  return Guarded{std::move(group), original, std::move(region), Borrowed(device, memory)};
}

/// Copies what the kernel may have written back, and only that: other work may write beside it.
void give_back(const Guarded& guarded, std::span<const Argument> arguments) {
  for (const std::uint32_t number : guarded.group.arguments) {
    const auto& [kind, dtype, access, log2, slot, range, scalar, value] = arguments[number];
    if (!writes(access) || range.size == 0) continue;
    const std::uint64_t offset = range.offset - guarded.group.all.offset;
    std::memcpy(guarded.original.data() + offset, guarded.region.bytes().data() + offset, range.size);
  }
}

/// A group of bindings between patterns.
struct Fenced {
  BindingGroup group;
  Borrowed memory;
  std::vector<std::byte> before = std::vector<std::byte>(margin);
  std::vector<std::byte> behind = std::vector<std::byte>(margin);

  [[nodiscard]] Range range(std::uint64_t offset, std::uint64_t size) const {
    Range part = group.all;
    part.memory = memory.id();
    part.offset = offset;
    part.size = size;
    return part;
  }
  [[nodiscard]] Range front() const { return range(0, margin); }
  [[nodiscard]] Range back() const { return range(margin + group.all.size, margin); }

  /// Bytes from the beginning of the group to the changed bytes that are nearest.
  [[nodiscard]] std::optional<std::int64_t> changed() const {
    const auto is_changed = [](std::byte byte) { return byte != pattern; };
    if (const auto found = std::ranges::find_if(behind, is_changed); found != behind.end())
      return static_cast<std::int64_t>(group.all.size) + (found - behind.begin());
    const auto last = std::find_if(before.rbegin(), before.rend(), is_changed);
    if (last == before.rend()) return std::nullopt;
    const auto first = std::find_if_not(last, before.rend(), is_changed);  // where the number begins that is nearest
    return before.rbegin() - first;
  }
};

backend::Fill fill(const Range& range) {
  backend::Fill fill;
  fill.to = range;
  fill.pattern.bytes.front() = pattern;
  return fill;
}

backend::HostTarget target(std::vector<std::byte>& bytes) { return {bytes.data(), bytes.size(), backend::no_slot}; }

/// The commands around a launch: each comes after the one before.
class Around {
 public:
  void add(backend::Operation operation) { commands_.push_back({std::move(operation), nullptr, true}); }
  void add(const Command& command) { commands_.push_back(command); }
  [[nodiscard]] backend::Commands with(std::span<const Argument> arguments) const { return {commands_, arguments}; }

 private:
  std::vector<Command> commands_;
};

Result<std::vector<Fenced>> fence(const MovedLaunch& launch, std::vector<BindingGroup> groups) {
  const Limits& limits = launch.device.info().limits;
  std::vector<Fenced> fenced;
  for (BindingGroup& group : groups) {
    const std::uint64_t size = group.all.size + 2 * margin;
    if (size > limits.max_allocation) continue;
    PINTLE_ASSIGN(memory,
                  launch.device.allocate({size, std::min(group.alignment, margin), Placement::device, "bounds"}));
    fenced.push_back({std::move(group), Borrowed(launch.device, memory)});
  }
  return fenced;
}

void add_after(Around& around, Fenced& fenced, std::span<const Argument> arguments) {
  const Range& all = fenced.group.all;
  for (const std::uint32_t number : fenced.group.arguments) {
    const Range& range = arguments[number].range;
    if (!writes(arguments[number].access) || range.size == 0) continue;
    around.add(backend::Copy{range, fenced.range(margin + (range.offset - all.offset), range.size)});
  }
  around.add(backend::Download{target(fenced.before), fenced.front()});
  around.add(backend::Download{target(fenced.behind), fenced.back()});
}

}  // namespace

Result<void> launch_between_guards(const MovedLaunch& launch, const RunCommands& run) {
  Original original(launch);
  Relocated copy(launch);
  auto guarded = std::make_unique<std::vector<Guarded>>();
  for (BindingGroup& group : original.groups) {
    PINTLE_ASSIGN(one, guard(launch.device, std::move(group)));
    guarded->push_back(std::move(one));
    const Guarded& last = guarded->back();
    const auto offset = static_cast<std::uint64_t>(last.region.bytes().data() - last.region.pages().data());
    copy.move(last.group, last.memory.id(), offset);
  }
  if (const auto ran = run({std::span(&copy.command(), 1), copy.arguments()}); !ran) {
    static_cast<void>(guarded.release());  // the kernel may still run
    return ran;
  }
  Result<void> outcome;
  for (const Guarded& one : *guarded) {
    give_back(one, original.arguments);
    const auto touched = one.region.touched();
    if (!touched || !outcome) continue;
    outcome = error_of(trespass_of(launch.program, original.exec, original.arguments, one.group, touched->offset,
                                   touched->is_write ? "writes" : "reads"));
  }
  return outcome;
}

Result<void> launch_between_patterns(const MovedLaunch& launch, const RunCommands& run) {
  Original original(launch);
  Relocated copy(launch);
  PINTLE_ASSIGN(made, fence(launch, std::move(original.groups)));
  auto fenced = std::make_unique<std::vector<Fenced>>(std::move(made));
  Around around;
  for (const Fenced& one : *fenced) {
    around.add(fill(one.front()));
    around.add(fill(one.back()));
    const Range& all = one.group.all;
    if (all.size != 0) around.add(backend::Copy{one.range(margin, all.size), all});
    copy.move(one.group, one.memory.id(), margin);
  }
  around.add(copy.command());
  for (Fenced& one : *fenced) add_after(around, one, original.arguments);
  if (const auto ran = run(around.with(copy.arguments())); !ran) {
    static_cast<void>(fenced.release());  // the device may still work there
    return ran;
  }
  for (const Fenced& one : *fenced) {
    const auto changed = one.changed();
    if (changed)
      return error_of(trespass_of(launch.program, original.exec, original.arguments, one.group, *changed, "writes"));
  }
  return {};
}

}  // namespace pintle::kit
