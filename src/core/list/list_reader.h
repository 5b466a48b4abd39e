// The inside of a command list, for code that submits and records it.
#pragma once

#include <list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "pintle/backend/command.h"
#include "pintle/commands.h"

namespace pintle::core {

class ListReader {
 public:
  [[nodiscard]] static std::vector<backend::Command>& commands(CommandList& list) noexcept { return list.commands_; }
  [[nodiscard]] static std::vector<backend::Argument>& arguments(CommandList& list) noexcept { return list.arguments_; }
  [[nodiscard]] static backend::Commands view(const CommandList& list) noexcept {
    return {list.commands_, list.arguments_};
  }
  [[nodiscard]] static std::list<std::shared_ptr<const void>>& retained(CommandList& list) noexcept {
    return list.retained_;
  }
  [[nodiscard]] static std::span<HostRun* const> host_runs(const CommandList& list) noexcept { return list.host_runs_; }
  /// Buffers that the list keeps and no command names.
  [[nodiscard]] static std::span<const std::uint64_t> held(const CommandList& list) noexcept { return list.held_; }
  [[nodiscard]] static bool has_crossings(const CommandList& list) noexcept { return list.crossings_ != nullptr; }
  [[nodiscard]] static bool borrows(const CommandList& list) noexcept { return list.borrows_; }
  /// The slot that was named first; `backend::no_slot` where there is none.
  [[nodiscard]] static std::uint32_t first_slot(const CommandList& list) noexcept { return list.first_slot_; }
  /// The incarnation whose buffers and kernels the list names; 0: none.
  [[nodiscard]] static std::uint64_t incarnation(const CommandList& list) noexcept { return list.incarnation_; }
  [[nodiscard]] static std::uint64_t first_buffer(const CommandList& list) noexcept { return list.first_buffer_; }
  [[nodiscard]] static const Entry* first_kernel(const CommandList& list) noexcept { return list.first_kernel_; }
  /// Destroys the commands now. What the list owns of the caller's stays.
  static void clear_commands(CommandList& list) noexcept {
    list.commands_ = {};
    list.arguments_ = {};
    list.host_runs_ = {};
    list.held_ = {};
  }
};

}  // namespace pintle::core
