#include "kit/noted_list.h"

#include <algorithm>

#include "kit/accesses.h"

namespace pintle::kit {

using backend::Argument;

NotedList::NotedList(const backend::Commands& list, std::uint64_t size, std::uint64_t stride)
    : list_(list), size_(size), stride_(stride) {
  for (const backend::Command& command : list.commands) {
    if (const backend::Exec* const exec = exec_of(command)) launches_.push_back(exec);
  }
  bytes_.resize(launches_.size() * stride);
}

backend::Commands NotedList::with(backend::MemoryId memory) {
  const backend::Range all{memory, 0, 0, bytes_.size(), backend::no_slot};
  const backend::Fill zero{.to = all, .pattern = {}, .pattern_size = 4, .dtype = DType::u32};
  commands_.push_back({zero, nullptr, false});
  std::uint64_t number = 0;
  for (const backend::Command& command : list_.commands) {
    backend::Command& noted = commands_.emplace_back(command);
    noted.barrier_before = noted.barrier_before || commands_.size() == 2;  // behind the zeros
    auto* const indirect = std::get_if<backend::ExecIndirect>(&noted.operation);
    auto* const exec = indirect != nullptr ? &indirect->exec : std::get_if<backend::Exec>(&noted.operation);
    if (exec != nullptr) add_note(*exec, {memory, 0, number++ * stride_, size_, backend::no_slot});
  }
  commands_.push_back({backend::Download{{bytes_.data(), bytes_.size(), backend::no_slot}, all}, nullptr, true});
  return {commands_, arguments_};
}

/// Buffers that the kernel reaches by address come behind the parameters.
void NotedList::add_note(backend::Exec& exec, const backend::Range& range) {
  const auto bound = list_.of(exec);
  const auto uses = std::ranges::find(bound, Argument::Kind::use, &Argument::kind);
  exec.first_argument = static_cast<std::uint32_t>(arguments_.size());
  ++exec.argument_count;
  arguments_.insert(arguments_.end(), bound.begin(), uses);
  Argument& note = arguments_.emplace_back();
  note.dtype = DType::u32;
  note.access = Access::read_write;
  note.range = range;
  arguments_.insert(arguments_.end(), uses, bound.end());
}

}  // namespace pintle::kit
