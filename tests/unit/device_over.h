// A public Device over a backend device that a test made, and one that notes what core submits.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/inside.h"
#include "core/device/device_state.h"
#include "kit/forwarding.h"
#include "pintle/pintle.h"
#include "unit/seam_support.h"

namespace pintle::test {

/// Opens `device` once; it has no second generation.
inline Device device_over(std::string id, std::unique_ptr<backend::Device> device) {
  auto first = std::make_shared<std::unique_ptr<backend::Device>>(std::move(device));
  Device opened;
  Inside::state(opened) =
      must(core::DeviceState::open({std::move(id), [first]() -> Result<std::unique_ptr<backend::Device>> {
                                      if (*first == nullptr) return Error(Errc::unavailable, "No more.");
                                      return std::move(*first);
                                    }}));
  return opened;
}

/// A null device that writes down every list, a line a command.
class Noting final : public kit::Forwarding {
 public:
  /// It says that it can do everything, so that every command gets here.
  explicit Noting(std::string& notes) : Forwarding("noting", open_null()), notes_(notes) {
    for (Capability& row : info_.capabilities) row.support = Support::native;
  }
  [[nodiscard]] DeviceInfo& editable_info() { return info_; }

  Result<std::uint64_t> submit(backend::QueueId queue, std::span<const backend::QueuePoint> waits,
                               const backend::Commands& commands) override {
    for (const backend::Command& command : commands.commands) notes_ += line_of(command, commands) + "\n";
    return Forwarding::submit(queue, waits, commands);
  }

  void unload(backend::ProgramId program) noexcept override {
    notes_ += "unload\n";
    Forwarding::unload(program);
  }

 private:
  static std::string text_of(const backend::Range& range) {
    return fmt::format("{}[{},{})", static_cast<std::uint32_t>(range.buffer), range.offset, range.offset + range.size);
  }

  static std::string text_of(const backend::Argument& argument) {
    using enum backend::Argument::Kind;
    if (argument.kind == null) return fmt::format("null for {} {}", name(argument.access), name(argument.dtype));
    if (argument.kind == scalar) {
      std::string text(name(argument.dtype));
      for (const std::byte byte : argument.scalar.bytes) text += fmt::format(" {:02x}", static_cast<unsigned>(byte));
      return text;
    }
    const std::string_view use_of = argument.kind == use ? "use of " : "";
    return fmt::format("{}{} {} {}", use_of, name(argument.access), name(argument.dtype), text_of(argument.range));
  }

  static std::string text_of(const backend::Exec& exec, const backend::Commands& commands) {
    std::string text = fmt::format("{} ({},{},{})", exec.entry, exec.grid.x, exec.grid.y, exec.grid.z);
    for (const backend::Argument& argument : commands.of(exec)) text += "; " + text_of(argument);
    return text;
  }

  static std::string line_of(const backend::Command& command, const backend::Commands& commands) {
    std::string line = fmt::format("{}{}", command.barrier_before ? "| " : "", name(command.operation));
    if (command.label != nullptr) line += fmt::format(" \"{}\"", command.label);
    const auto look = [&](const auto& operation) {
      using T = std::remove_cvref_t<decltype(operation)>;
      if constexpr (std::is_same_v<T, backend::Exec>) line += " " + text_of(operation, commands);
      if constexpr (std::is_same_v<T, backend::ExecIndirect>) {
        line += fmt::format(" {} at {}", text_of(operation.exec, commands), text_of(operation.grid_at));
      }
      if constexpr (requires { operation.pattern; }) line += fmt::format(" of {} bytes", operation.pattern_size);
      if constexpr (requires { operation.to.memory; }) line += " to " + text_of(operation.to);
      if constexpr (requires { operation.from.memory; }) line += " from " + text_of(operation.from);
      if constexpr (requires { operation.from.data; }) {
        const auto* text = reinterpret_cast<const char*>(operation.from.data);
        line += fmt::format(" from \"{}\"", std::string_view(text, operation.from.size));
      }
      if constexpr (requires { operation.to.data; }) line += fmt::format(" to {} bytes", operation.to.size);
    };
    std::visit(look, command.operation);
    return line;
  }

  std::string& notes_;
};

}  // namespace pintle::test
