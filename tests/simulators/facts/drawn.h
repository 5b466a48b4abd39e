// A graph on its way, and what is launched of it.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "facts/session.h"

namespace facts {

class Drawn {
 public:
  using Nodes = std::vector<GraphNode>;

  explicit Drawn(Session& session) : session_(session) {
    expect(session.cuda.cuGraphCreate(&graph, 0), "cuGraphCreate");
  }

  /// One item of a kernel, behind other nodes.
  template <class... Values>
  GraphNode kernel(const Nodes& before, Function function, Values... values) {
    std::array<void*, sizeof...(Values) + 1> pointers{static_cast<void*>(&values)...};
    const KernelNode wanted = node_of(function, pointers.data());
    GraphNode made = nullptr;
    expect(session_.cuda.cuGraphAddKernelNode(&made, graph, before.data(), before.size(), &wanted),
           "cuGraphAddKernelNode");
    return made;
  }
  GraphNode copy(const Nodes& before, const CopyNode& wanted) {
    GraphNode made = nullptr;
    expect(session_.cuda.cuGraphAddMemcpyNode(&made, graph, before.data(), before.size(), &wanted, session_.context),
           "cuGraphAddMemcpyNode");
    return made;
  }
  GraphNode fill(const Nodes& before, const FillNode& wanted) {
    GraphNode made = nullptr;
    expect(session_.cuda.cuGraphAddMemsetNode(&made, graph, before.data(), before.size(), &wanted, session_.context),
           "cuGraphAddMemsetNode");
    return made;
  }
  /// So many of one kernel: `chains` of them stand alone, and each other one is behind the one so many before it.
  template <class... Values>
  void kernels(std::size_t count, std::size_t chains, Function function, Values... values) {
    Nodes made;
    for (std::size_t index = 0; index < count; ++index)
      made.push_back(kernel(index < chains ? Nodes() : Nodes{made[index - chains]}, function, values...));
  }
  void instantiate() { expect(session_.cuda.cuGraphInstantiateWithFlags(&exec, graph, 0), "cuGraphInstantiate"); }

  /// Sets what a kernel's node of the launched graph does.
  template <class... Values>
  Status set(GraphNode node, Function function, Values... values) {
    std::array<void*, sizeof...(Values) + 1> pointers{static_cast<void*>(&values)...};
    const KernelNode wanted = node_of(function, pointers.data());
    return session_.cuda.cuGraphExecKernelNodeSetParams(exec, node, &wanted);
  }
  Status set(GraphNode node, const CopyNode& wanted) {
    return session_.cuda.cuGraphExecMemcpyNodeSetParams(exec, node, &wanted, session_.context);
  }
  Status set(GraphNode node, const FillNode& wanted) {
    return session_.cuda.cuGraphExecMemsetNodeSetParams(exec, node, &wanted, session_.context);
  }
  Status launch(Stream on) { return session_.cuda.cuGraphLaunch(exec, on); }

  static KernelNode node_of(Function function, void** arguments) {
    KernelNode node;
    node.function = function;
    node.grid = node.block = {1, 1, 1};
    node.arguments = arguments;
    return node;
  }
  static CopyNode copy_of(DevicePointer to, DevicePointer from, std::size_t bytes) {
    CopyNode node;
    node.to.device = to;
    node.from.device = from;
    node.width = bytes;
    return node;
  }
  static CopyNode upload_of(DevicePointer to, void* from, std::size_t bytes) {
    CopyNode node = copy_of(to, 0, bytes);
    node.from.type = MemoryType::host;
    node.from.host = from;
    return node;
  }

  Graph graph = nullptr;
  GraphExec exec = nullptr;

 private:
  Session& session_;
};

}  // namespace facts
