#include "kit/list_rules.h"

#include <algorithm>
#include <bit>
#include <span>

#include "base/bytes.h"
#include "kit/accesses.h"
#include "kit/resolve.h"

namespace pintle::kit {
namespace {

using backend::Argument;
using backend::Command;
using backend::Commands;
using backend::MemoryId;
using backend::no_slot;
using backend::Range;

/// Checks one command alone. `visit` has one overload for each kind of operation.
class CommandCheck {
 public:
  CommandCheck(const Known& known, const Commands& list, ListKind kind) : known_(known), list_(list), kind_(kind) {}

  Result<void> check(const Command& command) const {
    PINTLE_TRY(std::visit([&](const auto& operation) { return (*this)(operation); }, command.operation));
    Result<void> outcome;
    for_each_range(command, list_.arguments, [&](const Range& range, Access) {
      if (outcome) outcome = check_range(range);
    });
    for_each_host(command, [&](const auto& host, Access) {
      if (outcome && host.slot != no_slot) outcome = check_slot();
      else if (outcome)
        outcome =
            require(host.data != nullptr || host.size == 0, "Host memory of ({}) bytes has no address.", host.size);
    });
    return outcome;
  }

  Result<void> operator()(const backend::Copy& copy) const {
    PINTLE_TRY(same_size(copy.to, copy.from));
    const bool apart = copy.to.slot != no_slot || copy.from.slot != no_slot || copy.to.memory != copy.from.memory ||
                       copy.to.offset + copy.to.size <= copy.from.offset ||
                       copy.from.offset + copy.from.size <= copy.to.offset;
    return require(apart, "Source and target of a copy overlap in memory ({}).", number(copy.to.memory));
  }
  Result<void> operator()(const backend::CopyImage& copy) const {
    PINTLE_TRY(require(copy.transfer != nullptr, "A copy of texels does not say which."));
    const Range& buffer = copy.is_to_image ? copy.from : copy.to;
    const std::uint64_t needed = bytes_of(*copy.transfer);
    return require(buffer.size >= needed, "The rows of a copy of texels have ({}) bytes, and the buffer's range ({}).",
                   needed, buffer.size);
  }
  Result<void> operator()(const backend::Fill& fill) const {
    const std::uint64_t size = fill.pattern_size;
    PINTLE_TRY(require(std::has_single_bit(size) && size <= 8, "Pattern size ({}) is not 1, 2, 4 or 8.", size));
    return require(fill.to.offset % size == 0 && fill.to.size % size == 0,
                   "Fill at offset ({}) with size ({}) is not a multiple of the pattern size ({}).", fill.to.offset,
                   fill.to.size, size);
  }
  Result<void> operator()(const backend::Upload& upload) const { return same_size(upload.to, upload.from); }
  Result<void> operator()(const backend::Download& download) const { return same_size(download.from, download.to); }
  Result<void> operator()(const backend::ExecIndirect& indirect) const {
    PINTLE_TRY(
        require(indirect.grid_at.slot != no_slot || (indirect.grid_at.size >= 12 && indirect.grid_at.offset % 4 == 0),
                "An indirect grid at offset ({}) with size ({}) is not three aligned u32.", indirect.grid_at.offset,
                indirect.grid_at.size));
    return (*this)(indirect.exec);
  }
  Result<void> operator()(const backend::HostCall& call) const {
    return require(call.call != nullptr, "A host call has no function.");
  }
  Result<void> operator()(const backend::Timestamp& timestamp) const {
    return require(timestamp.to.slot != no_slot || timestamp.to.size >= 8, "A timestamp has ({}) bytes; it needs 8.",
                   timestamp.to.size);
  }
  Result<void> operator()(const backend::Replay& replay) const {
    PINTLE_TRY(require(kind_ == ListKind::submission, "A recording replays another."));
    return require(known_.recordings.contains(replay.recording), "Recording ({}) is not alive.",
                   number(replay.recording));
  }
  Result<void> operator()(const backend::Exec& exec) const {
    const auto program = known_.programs.find(exec.program);
    PINTLE_TRY(require(program != known_.programs.end(), "Program ({}) is not alive.", number(exec.program)));
    const auto& entries = program->second;
    PINTLE_TRY(require(exec.entry < entries.size(), "Entry ({}) passes the ({}) entries of the program.", exec.entry,
                       entries.size()));
    const auto& [x, y, z] = exec.grid;
    const Grid& most = known_.limits.max_grid;
    PINTLE_TRY(require(x >= 1 && y >= 1 && z >= 1 && x <= most.x && y <= most.y && z <= most.z,
                       "Grid ({},{},{}) is not within (1,1,1) and the limit ({},{},{}).", x, y, z, most.x, most.y,
                       most.z));
    PINTLE_TRY(require(base::range_fits(exec.first_argument, exec.argument_count, list_.arguments.size()),
                       "Arguments ({}) from ({}) pass the ({}) of the list.", exec.argument_count, exec.first_argument,
                       list_.arguments.size()));
    return check_arguments(entries[exec.entry], list_.of(exec));
  }

 private:
  Result<void> check_slot() const {
    return require(kind_ == ListKind::recording, "A slot stands outside of a recording.");
  }

  template <class A, class B>
  static Result<void> same_size(const A& a, const B& b) {
    const bool open = (a.slot != no_slot && a.size == 0) || (b.slot != no_slot && b.size == 0);
    return require(open || a.size == b.size, "Sizes ({}) and ({}) of a copy differ.", a.size, b.size);
  }

  Result<void> check_range(const Range& range) const {
    if (range.slot != no_slot) return check_slot();
    const auto id = number(range.memory);
    const auto memory = known_.memories.find(range.memory);
    PINTLE_TRY(require(memory != known_.memories.end(), "Memory ({}) is not alive.", id));
    return require(base::range_fits(range.offset, range.size, memory->second),
                   "Range at offset ({}) with size ({}) passes the end ({}) of memory ({}).", range.offset, range.size,
                   memory->second, id);
  }

  Result<void> check_arguments(const Entry& entry, std::span<const Argument> arguments) const {
    const auto first_use = std::ranges::find(arguments, Argument::Kind::use, &Argument::kind);
    const auto count = static_cast<std::size_t>(first_use - arguments.begin());
    PINTLE_TRY(require(count == entry.parameters.size(), "({}) arguments are given to the ({}) parameters of {}.",
                       count, entry.parameters.size(), entry.name));
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const bool is_use = i >= count;
      PINTLE_TRY(require(is_use ? arguments[i].kind == Argument::Kind::use : matches(entry.parameters[i], arguments[i]),
                         "Argument ({}) does not match its parameter of {}.", i, entry.name));
      if (!is_use) PINTLE_TRY(check_argument(arguments[i]));
    }
    return {};
  }

  static bool matches(const Parameter& parameter, const Argument& argument) {
    if (parameter.dtype != argument.dtype) return false;
    switch (parameter.kind) {
      case Parameter::Kind::buffer:
        return (argument.kind == Argument::Kind::buffer ||
                (argument.kind == Argument::Kind::null && parameter.is_optional)) &&
               parameter.access == argument.access;
      case Parameter::Kind::scalar: return argument.kind == Argument::Kind::scalar;
      case Parameter::Kind::local: return argument.kind == Argument::Kind::local && argument.range.size != 0;
      case Parameter::Kind::image:
        return argument.kind == (parameter.is_sampled ? Argument::Kind::sampled : Argument::Kind::image) &&
               parameter.access == argument.access;
      case Parameter::Kind::texel_buffer:
        return argument.kind == Argument::Kind::texel_buffer && parameter.access == argument.access &&
               is_texel(argument.texel()) && argument.range.size % bytes_of(argument.texel()) == 0;
      case Parameter::Kind::sampler: return argument.kind == Argument::Kind::sampler;
      case Parameter::Kind::value: break;
    }
    return argument.kind == Argument::Kind::value && argument.value != nullptr &&
           argument.range.size == parameter.bytes;
  }

  Result<void> check_argument(const Argument& argument) const {
    if (argument.kind == Argument::Kind::scalar) return argument.slot == no_slot ? Result<void>() : check_slot();
    if (!argument.has_range()) return {};
    const Range& range = argument.range;
    PINTLE_TRY(require(range.slot != no_slot || range.offset % known_.limits.offset_alignment == 0,
                       "Argument offset ({}) is not a multiple of the alignment ({}).", range.offset,
                       known_.limits.offset_alignment));
    return require(range.size <= known_.limits.max_binding, "Argument size ({}) passes the limit ({}).", range.size,
                   known_.limits.max_binding);
  }

  const Known& known_;
  const Commands& list_;
  ListKind kind_;
};

/// Bytes that a command touches. Host memory is the memory `none`, and its offsets are addresses.
struct Touch {
  MemoryId memory;
  std::uint64_t begin, end;
  bool is_write;

  [[nodiscard]] bool conflicts(const Touch& other) const noexcept {
    return memory == other.memory && begin < other.end && other.begin < end && (is_write || other.is_write);
  }
};

/// What the order of commands needs to know of one.
struct Step {
  std::vector<Touch> touches;
  bool has_barrier = false;
  bool touches_anything = false;  // a host call

  [[nodiscard]] bool conflicts(const Step& other) const noexcept {
    if (touches_anything || other.touches_anything) return true;
    return std::ranges::any_of(touches, [&](const Touch& touch) {
      return std::ranges::any_of(other.touches, [&](const Touch& earlier) { return touch.conflicts(earlier); });
    });
  }
};

/// Checks one list, with its replays expanded.
class ListCheck {
 public:
  explicit ListCheck(const Known& known) : known_(known) {}

  Result<void> add(const Commands& list, ListKind kind) {
    for (std::size_t i = 0; i < list.commands.size(); ++i) {
      const Command& command = list.commands[i];
      const auto added = add(list, command, kind);
      if (!added) return added.error().during(fmt::format("checking command ({}), {}", i, name(command.operation)));
    }
    return {};
  }

  Result<void> check_order() const {
    std::size_t since_barrier = 0;
    for (std::size_t later = 0; later < steps_.size(); ++later) {
      if (steps_[later].has_barrier) since_barrier = later;
      for (std::size_t earlier = since_barrier; earlier < later; ++earlier) {
        PINTLE_TRY(require(!steps_[later].conflicts(steps_[earlier]),
                           "Command ({}) conflicts with command ({}), and no barrier stands between them.", later,
                           earlier));
      }
    }
    return {};
  }

  [[nodiscard]] Used&& take_used() noexcept { return std::move(used_); }

 private:
  Result<void> add(const Commands& list, const Command& command, ListKind kind) {
    PINTLE_TRY(CommandCheck(known_, list, kind).check(command));
    if (const auto* replay = std::get_if<backend::Replay>(&command.operation))
      return spread(*replay, command.barrier_before);
    if (const auto* exec = exec_of(command)) used_.programs.insert(exec->program);
    Step step{{}, command.barrier_before, std::holds_alternative<backend::HostCall>(command.operation)};
    for_each_range(command, list.arguments, [&](const Range& range, Access access) {
      if (range.slot != no_slot) return;
      used_.memories.insert(range.memory);
      step.touches.push_back({range.memory, range.offset, range.offset + range.size, writes(access)});
    });
    for_each_host(command, [&](const auto& host, Access access) {
      const auto begin = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(host.data));
      if (host.slot == no_slot) step.touches.push_back({MemoryId::none, begin, begin + host.size, writes(access)});
    });
    steps_.push_back(std::move(step));
    return {};
  }

  Result<void> spread(const backend::Replay& replay, bool has_barrier) {
    used_.recordings.insert(replay.recording);
    const auto resolved = resolve(known_.recordings.at(replay.recording), replay.bindings);
    if (!resolved) return Error(Errc::internal, std::string(resolved.error().message()));
    const std::size_t first = steps_.size();
    PINTLE_TRY(add(resolved->view(), ListKind::submission));
    if (first < steps_.size()) steps_[first].has_barrier |= has_barrier;
    return {};
  }

  const Known& known_;
  Used used_;
  std::vector<Step> steps_;
};

}  // namespace

Result<Used> check_list(const Known& known, const Commands& list, ListKind kind) {
  ListCheck check(known);
  PINTLE_TRY(check.add(list, kind));
  PINTLE_TRY(check.check_order());
  return check.take_used();
}

}  // namespace pintle::kit
