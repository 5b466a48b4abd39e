#include "backends/cuda/recording.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "kit/accesses.h"
#include "kit/host_order.h"

namespace pintle::cuda {
namespace {

using backend::Command;
using backend::Range;
using vendor::cuda::CopyNode;
using vendor::cuda::FillNode;
using vendor::cuda::GraphExec;
using vendor::cuda::GraphNode;
using vendor::cuda::KernelNode;

/// One node costs 0.36 us, a whole graph of 1,000 costs 71: from so many changes on the whole is faster.
constexpr std::size_t most_by_node = 200;
/// One replay in so many has its time taken.
constexpr std::uint64_t timed_each = 64;

/// A command that does nothing: it moves no bytes.
struct Nothing {};

struct Add {
  const vendor::cuda::Driver& api;
  vendor::cuda::Graph graph;
  std::span<const GraphNode> before;
  vendor::cuda::Context context;
  GraphNode* made;

  Status operator()(const KernelNode& node) const {
    return api.cuGraphAddKernelNode(made, graph, before.data(), before.size(), &node);
  }
  Status operator()(const CopyNode& node) const {
    return api.cuGraphAddMemcpyNode(made, graph, before.data(), before.size(), &node, context);
  }
  Status operator()(const FillNode& node) const {
    return api.cuGraphAddMemsetNode(made, graph, before.data(), before.size(), &node, context);
  }
  Status operator()(Nothing) const { return api.cuGraphAddEmptyNode(made, graph, before.data(), before.size()); }
};

/// In what is launched, or where that is null in the graph, for an update of the whole.
struct Set {
  const vendor::cuda::Driver& api;
  GraphExec exec;
  GraphNode set;
  vendor::cuda::Context context;

  Status operator()(const KernelNode& node) const {
    return exec == nullptr ? api.cuGraphKernelNodeSetParams(set, &node)
                           : api.cuGraphExecKernelNodeSetParams(exec, set, &node);
  }
  Status operator()(const CopyNode& node) const {
    return exec == nullptr ? api.cuGraphMemcpyNodeSetParams(set, &node)
                           : api.cuGraphExecMemcpyNodeSetParams(exec, set, &node, context);
  }
  Status operator()(const FillNode& node) const {
    return exec == nullptr ? api.cuGraphMemsetNodeSetParams(set, &node)
                           : api.cuGraphExecMemsetNodeSetParams(exec, set, &node, context);
  }
  Status operator()(Nothing) const { return Status::CUDA_SUCCESS; }
};

/// Whether a graph can have the command: one that is no step, and is not cut into pieces.
bool fits(const Command& command) noexcept {
  const auto is_staged_whole = [](const Range& range) {
    return range.size <= most_staged && (range.slot == backend::no_slot || range.size != 0);
  };
  if (const auto* const upload = std::get_if<backend::Upload>(&command.operation)) return is_staged_whole(upload->to);
  if (const auto* const download = std::get_if<backend::Download>(&command.operation))
    return is_staged_whole(download->from);
  if (const auto* const fill = std::get_if<backend::Fill>(&command.operation)) return is_short(*fill);
  return std::holds_alternative<backend::Exec>(command.operation) ||
         std::holds_alternative<backend::Copy>(command.operation);
}

/// Two imports may have the same bytes. What lies in a slot may be any bytes anyway.
bool has_imports(const backend::Commands& list) {
  bool found = false;
  for (const Command& command : list.commands) {
    kit::for_each_range(command, list.arguments, [&](const Range& range, Access) {
      found |= range.slot == backend::no_slot && Memories::at(range.memory).imported != nullptr;
    });
  }
  return found;
}

}  // namespace

Result<std::unique_ptr<Recording>> Recording::create(Context& context, const backend::Commands& list) {
  if (!std::ranges::all_of(list.commands, fits) || kit::reads_own_downloads(list)) {
    return Error(Errc::unsupported,
                 "A graph has no host calls, indirect launches, timestamps, fills with patterns of eight bytes, copies "
                 "of more than 1 MiB from or to the host, or uploads of what it downloads.");
  }
  PINTLE_TRY(check_shared(list));
  auto recording = std::make_unique<Recording>(context, list);
  if (recording->changing_.empty() && !list.commands.empty()) PINTLE_TRY(recording->build({}));
  return recording;
}

Recording::Recording(Context& context, const backend::Commands& list)
    : context_(context),
      list_(list),
      shape_(list, kit::unknown_cost,
             has_imports(list) ? kit::GraphShape::Order::barriers : kit::GraphShape::Order::bytes) {
  find_changing();
}

Recording::~Recording() {
  if (context_.is_left()) return;
  drop();
  for (const vendor::cuda::Event event : {begin_, end_}) {
    if (event != nullptr) static_cast<void>(api().cuEventDestroy(event));
  }
}

void Recording::drop() noexcept {
  if (exec_ != nullptr) static_cast<void>(api().cuGraphExecDestroy(std::exchange(exec_, nullptr)));
  if (graph_ != nullptr) static_cast<void>(api().cuGraphDestroy(std::exchange(graph_, nullptr)));
}

void Recording::find_changing() {
  for (std::uint32_t index = 0; index < list_.commands.size(); ++index) {
    const Command& command = list_.commands[index];
    const auto first = static_cast<std::uint32_t>(slots_.size());
    add_slots(command);
    bool is_staged = false;
    kit::for_each_host(command, [&](const auto&, Access) { is_staged = true; });
    touches_host_ |= is_staged;
    staged_bytes_ += cuda::staged_bytes(command);
    const auto count = static_cast<std::uint32_t>(slots_.size()) - first;
    if (count != 0 || is_staged) changing_.push_back({index, first, count, nullptr, true});
  }
}

/// A buffer that a kernel reaches by address is no parameter of the kernel.
void Recording::add_slots(const Command& command) {
  const auto add = [&](std::uint32_t slot) {
    if (slot != backend::no_slot) slots_.push_back(slot);
  };
  if (const auto* const exec = kit::exec_of(command)) {
    for (const backend::Argument& argument : list_.of(*exec)) {
      if (argument.kind == backend::Argument::Kind::use) continue;
      add(argument.has_range() ? argument.range.slot : argument.slot);
    }
    return;
  }
  kit::for_each_range(command, list_.arguments, [&](const Range& range, Access) { add(range.slot); });
}

Result<void> Recording::replay(Staging& staging, vendor::cuda::Stream stream, Bindings bindings) {
  if (list_.commands.empty()) return {};
  const std::lock_guard lock(mutex_);
  const Current current(context_);
  PINTLE_TRY(context_.check(current.status(), "cuCtxPushCurrent"));
  note_changes(bindings);
  if (touches_host_) PINTLE_TRY(stage(staging, bindings));
  PINTLE_TRY(make_ready(bindings));
  return launch(staging, stream);
}

/// Address and size, since the id of memory may be given again. The host's memory is left out: `stage` notes where its
/// copies lie.
Recording::Known Recording::known_of(const backend::Binding& binding) noexcept {
  if (const auto* const scalar = std::get_if<backend::Scalar>(&binding)) return *scalar;
  const auto* const range = std::get_if<Range>(&binding);
  return range == nullptr ? Range{} : Range{backend::MemoryId::none, 0, address_of(*range), range->size};
}

/// A node stays changed until the driver has taken it.
void Recording::note_changes(Bindings bindings) {
  std::ranges::fill(is_new_, 0);
  for (std::size_t slot = 0; slot < bindings.size(); ++slot) {
    const Known known = known_of(bindings[slot]);
    if (slot < bound_.size() && bound_[slot] == known) continue;
    bound_.resize(std::max(bound_.size(), slot + 1));
    is_new_.resize(bound_.size());
    bound_[slot] = known;
    is_new_[slot] = 1;
  }
  for (Changing& one : changing_)
    one.is_changed |= std::ranges::any_of(std::span(slots_).subspan(one.first_slot, one.slot_count),
                                          [&](std::uint32_t slot) { return is_new_[slot] != 0; });
}

Result<void> Recording::stage(Staging& staging, Bindings bindings) {
  for (Changing& one : changing_) {
    PINTLE_ASSIGN(place, place_of(list_.commands[one.command], staging, bindings));
    one.is_changed |= place != one.staged;
    one.staged = place;
  }
  return {};
}

/// Null where nothing is staged.
Result<std::byte*> Recording::place_of(const Command& command, Staging& staging, Bindings bindings) {
  if (const auto* const upload = std::get_if<backend::Upload>(&command.operation); upload != nullptr) {
    if (upload->to.size == 0) return nullptr;
    return staging.copy_of({kit::bound(upload->from, upload->from.slot, bindings).data, upload->to.size});
  }
  const auto* const download = std::get_if<backend::Download>(&command.operation);
  if (download == nullptr || download->from.size == 0) return nullptr;
  return staging.place_for(kit::bound(download->to, download->to.slot, bindings).data, download->from.size);
}

/// A driver may refuse a change that another graph can have: the other kind of memory for a copy, say.
Result<void> Recording::make_ready(Bindings bindings) {
  if (has_learned_.exchange(false) && exec_ != nullptr) outgrow();
  if (exec_ != nullptr) {
    const Status patched = patch(bindings);
    if (patched == Status::CUDA_SUCCESS) return {};
    const auto refused = context_.check(patched, "an update of a graph");
    if (refused.error().code() == Errc::device_lost || refused.error().code() == Errc::process_poisoned) return refused;
    drop();
  }
  return build(bindings);
}

/// Drops a graph that another one would beat by a fifth.
void Recording::outgrow() {
  constexpr float worth_it = 0.8f;
  kit::GraphShape better = shape_.reshaped(cost_.of(1));
  if (better.expected(cost_.of(1)) >= worth_it * shape_.expected(cost_.of(1))) return;
  shape_ = std::move(better);
  drop();
}

template <class Use>
Status Recording::with_node(std::size_t index, std::byte* staged, Bindings bindings, Use use) const {
  const auto copied = [&](const vendor::cuda::CopySide& to, const vendor::cuda::CopySide& from, std::uint64_t size) {
    return size == 0 ? use(Nothing{}) : use(CopyNode{.from = from, .to = to, .width = size});
  };
  return std::visit(
      [&]<class T>(const T& each) -> Status {
        if constexpr (std::is_same_v<T, backend::Exec>) {
          return use(KernelCall(each, list_, bindings).node());
        } else if constexpr (std::is_same_v<T, backend::Copy>) {
          const Range to = kit::bound(each.to, bindings);
          return copied(device_side(to), device_side(kit::bound(each.from, bindings)), to.size);
        } else if constexpr (std::is_same_v<T, backend::Upload>) {
          return copied(device_side(kit::bound(each.to, bindings)), host_side(staged), each.to.size);
        } else if constexpr (std::is_same_v<T, backend::Download>) {
          return copied(host_side(staged), device_side(kit::bound(each.from, bindings)), each.from.size);
        } else if constexpr (std::is_same_v<T, backend::Fill>) {
          const Range to = kit::bound(each.to, bindings);
          return to.size == 0 ? use(Nothing{}) : use(fill_node(each, to));
        } else {
          return Status::CUDA_ERROR_NOT_SUPPORTED;  // `fits` has refused it
        }
      },
      list_.commands[index].operation);
}

/// What is half built stays until the next build or the end: nothing launches it.
Result<void> Recording::build(Bindings bindings) {
  drop();
  launches_.store(shape_.launches(), std::memory_order_relaxed);
  nodes_.assign(list_.commands.size(), nullptr);
  const Current current(context_);
  PINTLE_TRY(context_.check(current.status(), "cuCtxPushCurrent"));
  PINTLE_TRY(context_.call_plainly<&Calls::cuGraphCreate>(&graph_, 0u));
  PINTLE_TRY(shape_.build<GraphNode>(
      [&](std::size_t index, std::span<const GraphNode> before) { return add_node(index, before, bindings); },
      [&](std::span<const GraphNode> before) { return join(before); }));
  GraphExec made = nullptr;
  PINTLE_TRY(context_.call_plainly<&Calls::cuGraphInstantiateWithFlags>(&made, graph_, 0u));
  exec_ = made;
  for (Changing& one : changing_) one.is_changed = false;
  return {};
}

Result<GraphNode> Recording::add_node(std::size_t index, std::span<const GraphNode> before, Bindings bindings) {
  const auto changing = std::ranges::lower_bound(changing_, index, {}, &Changing::command);
  std::byte* const staged = changing != changing_.end() && changing->command == index ? changing->staged : nullptr;
  const Status added =
      with_node(index, staged, bindings, Add{api(), graph_, before, context_.handle(), &nodes_[index]});
  PINTLE_TRY(context_.check(added, "an addition to a graph"));
  return nodes_[index];
}

Result<GraphNode> Recording::join(std::span<const GraphNode> before) {
  GraphNode made = nullptr;
  PINTLE_TRY(context_.check(Add{api(), graph_, before, context_.handle(), &made}(Nothing{}), "cuGraphAddEmptyNode"));
  return made;
}

Status Recording::set_node(const Changing& one, GraphExec exec, Bindings bindings) const {
  return with_node(one.command, one.staged, bindings, Set{api(), exec, nodes_[one.command], context_.handle()});
}

Status Recording::patch(Bindings bindings) {
  const auto changed = std::ranges::count_if(changing_, &Changing::is_changed);
  if (static_cast<std::size_t>(changed) > most_by_node) return patch_whole(bindings);
  for (Changing& one : changing_) {
    if (!one.is_changed) continue;
    const Status set = set_node(one, exec_, bindings);
    if (set != Status::CUDA_SUCCESS) return set;
    one.is_changed = false;
  }
  return Status::CUDA_SUCCESS;
}

/// The graph may have another state than what is launched, so all that changes is set.
Status Recording::patch_whole(Bindings bindings) {
  for (const Changing& one : changing_) {
    const Status set = set_node(one, nullptr, bindings);
    if (set != Status::CUDA_SUCCESS) return set;
  }
  vendor::cuda::GraphUpdateInfo info;
  const Status updated = api().cuGraphExecUpdate(exec_, graph_, &info);
  if (updated != Status::CUDA_SUCCESS) return updated;
  for (Changing& one : changing_) one.is_changed = false;
  return updated;
}

Result<void> Recording::launch(Staging& staging, vendor::cuda::Stream stream) {
  Batch& batch = staging.batch();
  const bool is_timed = starts_timing();
  if (is_timed) {
    batch.timed.reserve(batch.timed.size() + 1);
    PINTLE_TRY(context_.call_plainly<&Calls::cuEventRecord>(begin_, stream));
  }
  PINTLE_TRY(context_.call_plainly<&Calls::cuGraphLaunch>(exec_, stream));
  batch.commands += launches();
  if (!is_timed) return {};
  PINTLE_TRY(context_.call_plainly<&Calls::cuEventRecord>(end_, stream));
  is_timed_.store(true);  // not before: only the end of a batch that is kept takes it back
  batch.timed.push_back(this);
  return {};
}

/// Only where the time may lead to another graph, and one launch at a time.
bool Recording::starts_timing() {
  if (!shape_.has_choice() || replays_++ % timed_each != 0 || is_timed_.load()) return false;
  for (vendor::cuda::Event* const event : {&begin_, &end_}) {
    if (*event != nullptr) continue;
    if (api().cuEventCreate(event, vendor::cuda::event_default) != Status::CUDA_SUCCESS) return false;
  }
  timed_ = shape_.empty();
  return true;
}

void Recording::learn() noexcept {
  float milliseconds = 0;
  if (context_.ask<&Calls::cuEventElapsedTime>(&milliseconds, begin_, end_) == Status::CUDA_SUCCESS) {
    const Duration elapsed(static_cast<std::int64_t>(milliseconds * 1e6f));
    cost_.learn(std::max(Duration(0), elapsed - timed_.time), timed_.depth);
    has_learned_.store(true);
  }
  is_timed_.store(false);
}

}  // namespace pintle::cuda
