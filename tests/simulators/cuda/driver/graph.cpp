// Graphs: their nodes, what is launched of them, and what may be changed in it.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "driver/state.h"
#include "exports.h"

namespace pintle::simulator {
namespace {

using vendor::cuda::CopyNode;
using vendor::cuda::CopySide;
using vendor::cuda::FillNode;
using vendor::cuda::GraphStep;
using vendor::cuda::KernelNode;
using vendor::cuda::MemoryType;

void check(const char* call, Graph graph) {
  if (graph == nullptr || !graph->is_alive) die(call, "a graph that was destroyed");  // assumed, as of streams
}

void* place_of(const CopySide& side) { return side.type == MemoryType::host ? side.host : pointer(side.device); }

bool is_there(const CopySide& side, std::size_t size) {
  if (side.type == MemoryType::host) return side.host != nullptr;
  return side.type == MemoryType::device && is_known(side.device, size);
}

// What a node is to do; `made` is it.
Status read(const KernelNode& node, Context context, GraphStep& made) {
  Launch launch;
  const Status status = prepare(node, context, launch);
  made.kind = GraphStep::Kind::kernel;
  made.launch = std::make_shared<const Launch>(std::move(launch));
  return status;
}

Status read(const CopyNode& node, Context, GraphStep& made) {
  made.kind = GraphStep::Kind::copy;
  made.copy = node;
  const bool is_line = node.height == 1 && node.depth == 1 && node.width != 0;  // assumed: the others are not played
  const bool is_valid = is_line && is_there(node.from, node.width) && is_there(node.to, node.width);
  return is_valid ? Status::CUDA_SUCCESS : Status::CUDA_ERROR_INVALID_VALUE;
}

Status read(const FillNode& node, Context, GraphStep& made) {
  made.kind = GraphStep::Kind::fill;
  made.fill = node;
  const bool is_word = node.element_bytes == 1 || node.element_bytes == 2 || node.element_bytes == 4;
  const bool is_line = node.height == 1 && node.width != 0;
  if (!is_word || !is_line || node.to % node.element_bytes != 0) return Status::CUDA_ERROR_INVALID_VALUE;
  return is_known(node.to, node.width * node.element_bytes) ? Status::CUDA_SUCCESS : Status::CUDA_ERROR_INVALID_VALUE;
}

bool is_on_host(const CopySide& side) {
  const Allocation* const found = find_allocation(reinterpret_cast<std::uintptr_t>(place_of(side)), 1);
  return side.type == MemoryType::host || (found != nullptr && found->is_host);
}

/// Another kind of copy is refused (line 446; assumed: also where the kind of the memory is another, and the address is
/// given as a device's). Addresses, sizes, values, functions and grids may change (lines 422 to 431 and 442 to 454).
bool is_of_one_kind(const GraphStep& one, const GraphStep& other) {
  if (one.kind != other.kind || one.kind != GraphStep::Kind::copy) return one.kind == other.kind;
  return is_on_host(one.copy.from) == is_on_host(other.copy.from) &&
         is_on_host(one.copy.to) == is_on_host(other.copy.to);
}

Status enter(const Lock& lock) {
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  return current() == nullptr ? Status::CUDA_ERROR_INVALID_CONTEXT : Status::CUDA_SUCCESS;  // assumed
}

Status add(const char* call, GraphNode* made, Graph graph, const GraphNode* before, std::size_t count, GraphStep step) {
  check(call, graph);
  for (const GraphNode each : std::span(before, count)) {
    if (each == nullptr || each->graph != graph) return Status::CUDA_ERROR_INVALID_VALUE;
    step.before.push_back(each->number);
  }
  auto node = std::make_unique<vendor::cuda::GraphNodeObject>(graph, graph->nodes.size(), std::move(step));
  *made = graph->nodes.emplace_back(std::move(node)).get();
  return Status::CUDA_SUCCESS;
}

template <class Node>
Status add(const char* call, GraphNode* made, Graph graph, const GraphNode* before, std::size_t count, const Node& node,
           Context context) {
  const Lock lock(process().mutex);
  if (const Status status = enter(lock); status != Status::CUDA_SUCCESS) return status;
  GraphStep step;
  if (const Status status = read(node, context, step); status != Status::CUDA_SUCCESS) return status;
  return add(call, made, graph, before, count, std::move(step));
}

/// Sets what a node does, in a graph or in what is launched of it.
template <class Node>
Status set(GraphStep& step, const Node& node) {
  GraphStep changed;
  if (const Status status = read(node, current(), changed); status != Status::CUDA_SUCCESS) return status;
  if (!is_of_one_kind(step, changed)) return Status::CUDA_ERROR_INVALID_VALUE;
  changed.before = std::move(step.before);
  step = std::move(changed);
  return Status::CUDA_SUCCESS;
}

template <class Node>
Status set_in_graph(const char* call, GraphNode node, const Node& wanted) {
  const Lock lock(process().mutex);
  if (const Status status = enter(lock); status != Status::CUDA_SUCCESS) return status;
  if (node == nullptr) return Status::CUDA_ERROR_INVALID_VALUE;
  check(call, node->graph);
  return set(node->step, wanted);
}

template <class Node>
Status set_in_exec(const char* call, GraphExec exec, GraphNode node, const Node& wanted) {
  const Lock lock(process().mutex);
  if (const Status status = enter(lock); status != Status::CUDA_SUCCESS) return status;
  if (exec == nullptr || !exec->is_alive || node == nullptr || node->graph != exec->graph)
    return Status::CUDA_ERROR_INVALID_VALUE;
  check(call, node->graph);
  if (node->number >= exec->steps.size()) return Status::CUDA_ERROR_INVALID_VALUE;
  return set(exec->steps[node->number], wanted);
}

/// Microseconds that a card takes: lines 396, 403, 410, and 438 to 440, each within an eighth.
double time_of(const std::vector<GraphStep>& steps) {
  const double kernel = kernel_time();
  std::vector<bool> is_continued(steps.size(), false);
  std::vector<std::size_t> depth(steps.size(), 1);
  std::size_t branches = 0, longest = 0;
  for (std::size_t index = 0; index < steps.size(); ++index) {
    bool is_branch = true;
    for (const std::size_t before : steps[index].before) {
      depth[index] = std::max(depth[index], depth[before] + 1);
      is_branch &= is_continued[before];
      is_continued[before] = true;
    }
    branches += is_branch;
    longest = std::max(longest, depth[index]);
  }
  if (branches == 1) return static_cast<double>(steps.size()) * (0.51 + kernel);
  return 1.05 * static_cast<double>(branches) + static_cast<double>(longest) * (0.8 + kernel);
}

Status run(const GraphStep& step) {
  switch (step.kind) {
    case GraphStep::Kind::kernel: return run_grid(*step.launch);
    case GraphStep::Kind::copy: std::memmove(place_of(step.copy.to), place_of(step.copy.from), step.copy.width); break;
    case GraphStep::Kind::fill: {
      auto* const to = static_cast<std::byte*>(pointer(step.fill.to));
      for (std::size_t at = 0; at < step.fill.width; ++at)
        std::memcpy(to + at * step.fill.element_bytes, &step.fill.value, step.fill.element_bytes);
      break;
    }
    default: break;
  }
  return Status::CUDA_SUCCESS;
}

/// The steps as they were at the launch (lines 427 and 428), in an order that their edges allow and their caller may
/// not have thought of.
class Run {
 public:
  explicit Run(std::vector<GraphStep> steps) : steps_(std::move(steps)) {
    for (const GraphStep& step : steps_) sums_.push_back(is_pinned_source(step) ? sum_of(step) : 0);
  }

  Status operator()() const {
    std::vector<std::size_t> missing, ready;
    std::vector<std::vector<std::size_t>> behind(steps_.size());
    for (std::size_t index = 0; index < steps_.size(); ++index) {
      missing.push_back(steps_[index].before.size());
      if (missing.back() == 0) ready.push_back(index);
      for (const std::size_t before : steps_[index].before) behind[before].push_back(index);
    }
    while (!ready.empty()) {
      const std::size_t chosen = choose(ready.size());
      const std::size_t index = ready[chosen];
      ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(chosen));
      if (sums_[index] != 0) check_unchanged(steps_[index].copy.from.host, steps_[index].copy.width, sums_[index]);
      if (const Status status = run(steps_[index]); status != Status::CUDA_SUCCESS) return status;
      for (const std::size_t next : behind[index]) {
        if (--missing[next] == 0) ready.push_back(next);
      }
    }
    return Status::CUDA_SUCCESS;
  }

 private:
  static bool is_pinned_source(const GraphStep& step) {
    return step.kind == GraphStep::Kind::copy && step.copy.from.type == MemoryType::host &&
           find_allocation(reinterpret_cast<std::uintptr_t>(step.copy.from.host), step.copy.width) != nullptr;
  }
  static std::uint64_t sum_of(const GraphStep& step) { return digest(step.copy.from.host, step.copy.width); }

  std::vector<GraphStep> steps_;
  std::vector<std::uint64_t> sums_;
};

/// One launch at a time (line 437).
Status run_behind(const Run& steps, const std::shared_ptr<vendor::cuda::EventRecord>& before,
                  const std::shared_ptr<vendor::cuda::EventRecord>& own) {
  if (const Status status = await(before); status != Status::CUDA_SUCCESS) return status;
  const Status status = steps();
  const Lock lock(process().mutex);
  own->is_done = true;
  return status;
}

}  // namespace
}  // namespace pintle::simulator

using namespace pintle::simulator;
using pintle::vendor::cuda::CopyNode;
using pintle::vendor::cuda::FillNode;
using pintle::vendor::cuda::Flags64;
using pintle::vendor::cuda::GraphUpdateInfo;
using pintle::vendor::cuda::GraphUpdateResult;
using pintle::vendor::cuda::KernelNode;

PINTLE_SIMULATED Status cuGraphCreate(Graph* graph, unsigned flags) {
  const Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;  // line 168: without a context
  if (flags != 0) return Status::CUDA_ERROR_INVALID_VALUE;
  *graph = new pintle::vendor::cuda::GraphObject;
  return Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED Status cuGraphDestroy(Graph graph) {
  const Lock lock(process().mutex);
  check("cuGraphDestroy", graph);
  graph->is_alive = false;
  return gate(lock);
}

PINTLE_SIMULATED Status cuGraphAddKernelNode_v2(GraphNode* made, Graph graph, const GraphNode* before,
                                                std::size_t count, const KernelNode* node) {
  const Context context = node->function == nullptr ? current() : node->function->module->context;
  return add("cuGraphAddKernelNode", made, graph, before, count, *node, context);
}

PINTLE_SIMULATED Status cuGraphAddMemcpyNode(GraphNode* made, Graph graph, const GraphNode* before, std::size_t count,
                                             const CopyNode* node, Context context) {
  return add("cuGraphAddMemcpyNode", made, graph, before, count, *node, context);
}

PINTLE_SIMULATED Status cuGraphAddMemsetNode(GraphNode* made, Graph graph, const GraphNode* before, std::size_t count,
                                             const FillNode* node, Context context) {
  return add("cuGraphAddMemsetNode", made, graph, before, count, *node, context);
}

PINTLE_SIMULATED Status cuGraphAddEmptyNode(GraphNode* made, Graph graph, const GraphNode* before, std::size_t count) {
  const Lock lock(process().mutex);
  if (const Status status = enter(lock); status != Status::CUDA_SUCCESS) return status;
  return add("cuGraphAddEmptyNode", made, graph, before, count, pintle::vendor::cuda::GraphStep{});
}

PINTLE_SIMULATED Status cuGraphKernelNodeSetParams_v2(GraphNode node, const KernelNode* wanted) {
  return set_in_graph("cuGraphKernelNodeSetParams", node, *wanted);
}

PINTLE_SIMULATED Status cuGraphMemcpyNodeSetParams(GraphNode node, const CopyNode* wanted) {
  return set_in_graph("cuGraphMemcpyNodeSetParams", node, *wanted);
}

PINTLE_SIMULATED Status cuGraphMemsetNodeSetParams(GraphNode node, const FillNode* wanted) {
  return set_in_graph("cuGraphMemsetNodeSetParams", node, *wanted);
}

PINTLE_SIMULATED Status cuGraphInstantiateWithFlags(GraphExec* made, Graph graph, Flags64 flags) {
  const Lock lock(process().mutex);
  if (const Status status = enter(lock); status != Status::CUDA_SUCCESS) return status;
  check("cuGraphInstantiate", graph);
  if (flags != 0) return Status::CUDA_ERROR_INVALID_VALUE;
  *made = new pintle::vendor::cuda::GraphExecObject{graph, true, current(), {}, nullptr};
  for (const auto& node : graph->nodes) (*made)->steps.push_back(node->step);
  return Status::CUDA_SUCCESS;  // line 305: it does not wait for kernels
}

PINTLE_SIMULATED Status cuGraphExecKernelNodeSetParams_v2(GraphExec exec, GraphNode node, const KernelNode* wanted) {
  return set_in_exec("cuGraphExecKernelNodeSetParams", exec, node, *wanted);
}

PINTLE_SIMULATED Status cuGraphExecMemcpyNodeSetParams(GraphExec exec, GraphNode node, const CopyNode* wanted,
                                                       Context) {
  return set_in_exec("cuGraphExecMemcpyNodeSetParams", exec, node, *wanted);
}

PINTLE_SIMULATED Status cuGraphExecMemsetNodeSetParams(GraphExec exec, GraphNode node, const FillNode* wanted,
                                                       Context) {
  return set_in_exec("cuGraphExecMemsetNodeSetParams", exec, node, *wanted);
}

PINTLE_SIMULATED Status cuGraphExecUpdate_v2(GraphExec exec, Graph graph, GraphUpdateInfo* info) {
  const Lock lock(process().mutex);
  if (const Status status = enter(lock); status != Status::CUDA_SUCCESS) return status;
  check("cuGraphExecUpdate", graph);
  if (exec == nullptr || !exec->is_alive) return Status::CUDA_ERROR_INVALID_VALUE;
  *info = {};
  const bool is_as_long = exec->steps.size() == graph->nodes.size();  // line 434
  if (!is_as_long) info->result = GraphUpdateResult::topology_changed;
  for (std::size_t index = 0; is_as_long && index < exec->steps.size(); ++index) {
    const auto& step = graph->nodes[index]->step;
    if (step.before != exec->steps[index].before) info->result = GraphUpdateResult::topology_changed;  // line 433
    else if (!is_of_one_kind(step, exec->steps[index]))
      info->result = GraphUpdateResult::parameters_changed;  // assumed, as line 446
  }
  if (info->result != GraphUpdateResult::success) return Status::CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  for (std::size_t index = 0; index < exec->steps.size(); ++index) exec->steps[index] = graph->nodes[index]->step;
  return Status::CUDA_SUCCESS;  // line 432
}

/// Assumed: it counts as one launch against the depth of the stream.
PINTLE_SIMULATED Status cuGraphLaunch(GraphExec exec, Stream given) {
  Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  const Stream stream = stream_of("cuGraphLaunch", given);
  if (stream == nullptr) return Status::CUDA_ERROR_INVALID_CONTEXT;
  if (exec == nullptr || !exec->is_alive) return Status::CUDA_ERROR_INVALID_VALUE;
  if (stream->context != exec->context) return Status::CUDA_ERROR_INVALID_HANDLE;  // assumed, as of launches
  for (const auto& step : exec->steps) {
    if (step.launch != nullptr) check_arguments("cuGraphLaunch", *step.launch);
  }
  const auto before = std::exchange(exec->last, std::make_shared<pintle::vendor::cuda::EventRecord>());
  return enqueue(
      lock, stream,
      {.run = [steps = Run(exec->steps), before, own = exec->last] { return run_behind(steps, before, own); },
       .is_kernel = true,
       .microseconds = time_of(exec->steps)});
}

/// A launch that is pending runs to its end, and nobody waits for it (line 308).
PINTLE_SIMULATED Status cuGraphExecDestroy(GraphExec exec) {
  const Lock lock(process().mutex);
  if (exec == nullptr || !exec->is_alive) return Status::CUDA_ERROR_INVALID_VALUE;  // line 1126
  exec->is_alive = false;
  exec->steps.clear();
  return gate(lock);
}
