// The simulator's rules for graphs by hand. Each is a measurement of a card, by the line of the probe's output
// (README.md).
#include <cstdlib>

#include "rules.h"

namespace pintle::test {
namespace {

/// Nodes, and what is launched of them.
class GraphRules : public Rules {
 public:
  GraphRules() { EXPECT_EQ(cuda().cuGraphCreate(&graph, 0), Status::CUDA_SUCCESS); }

  template <class... Values>
  GraphNode kernel(const std::vector<GraphNode>& before, const char* name, Values... values) {
    std::array<void*, sizeof...(Values) + 1> pointers{static_cast<void*>(&values)...};
    const KernelNode wanted = node_of(name, pointers.data());
    GraphNode made = nullptr;
    EXPECT_EQ(cuda().cuGraphAddKernelNode(&made, graph, before.data(), before.size(), &wanted), Status::CUDA_SUCCESS);
    return made;
  }
  KernelNode node_of(const char* name, void** arguments) {
    KernelNode node;
    node.function = function(name);
    node.grid = node.block = {1, 1, 1};
    node.arguments = arguments;
    return node;
  }
  template <class... Values>
  Status set(GraphNode node, const char* name, Values... values) {
    std::array<void*, sizeof...(Values) + 1> pointers{static_cast<void*>(&values)...};
    const KernelNode wanted = node_of(name, pointers.data());
    return cuda().cuGraphExecKernelNodeSetParams(exec, node, &wanted);
  }
  /// `chains` of empty kernels.
  void fill_graph(std::size_t count, std::size_t chains) {
    std::vector<GraphNode> made;
    for (std::size_t index = 0; index < count; ++index)
      made.push_back(kernel(index < chains ? std::vector<GraphNode>() : std::vector{made[index - chains]}, "nothing"));
  }
  GraphNode copy(const std::vector<GraphNode>& before, const CopyNode& wanted) {
    GraphNode made = nullptr;
    EXPECT_EQ(cuda().cuGraphAddMemcpyNode(&made, graph, before.data(), before.size(), &wanted, context),
              Status::CUDA_SUCCESS);
    return made;
  }
  GraphNode fill(const std::vector<GraphNode>& before, const FillNode& wanted) {
    GraphNode made = nullptr;
    EXPECT_EQ(cuda().cuGraphAddMemsetNode(&made, graph, before.data(), before.size(), &wanted, context),
              Status::CUDA_SUCCESS);
    return made;
  }
  static CopyNode copy_of(DevicePointer to, DevicePointer from, std::size_t size) {
    CopyNode node;
    node.to.device = to;
    node.from.device = from;
    node.width = size;
    return node;
  }
  static CopyNode upload_of(DevicePointer to, void* from, std::size_t size) {
    CopyNode node = copy_of(to, 0, size);
    node.from.type = MemoryType::host;
    node.from.host = from;
    return node;
  }
  void instantiate() { EXPECT_EQ(cuda().cuGraphInstantiateWithFlags(&exec, graph, 0), Status::CUDA_SUCCESS); }
  Status launch_graph(Stream on) { return cuda().cuGraphLaunch(exec, on); }
  Status launch_graph() { return launch_graph(stream); }

  Graph graph = nullptr;
  GraphExec exec = nullptr;
};

TEST_F(GraphRules, NodesRunInTheOrderOfTheirEdges) {
  const DevicePointer x = allocate(8);
  const GraphNode filled = fill({}, {x, 0, 5, 4, 2, 1});
  const GraphNode added = kernel({filled}, "add", x, 2u);
  const GraphNode joined = kernel({added}, "copy", x, x + 4);
  kernel({joined}, "add", x, 1u);
  instantiate();
  EXPECT_EQ(launch_graph(), Status::CUDA_SUCCESS);
  EXPECT_EQ(read(x, 2), (std::vector<unsigned>{8, 7}));
}

// A program whose edges lack one gets another order than the one it was written in.
TEST_F(GraphRules, WhatHasNoEdgeRunsInAnotherOrder) {
  const DevicePointer x = allocate(4);
  kernel({}, "add", x, 1u);
  fill({}, {x, 0, 5, 4, 1, 1});
  instantiate();
  EXPECT_EQ(launch_graph(), Status::CUDA_SUCCESS);
  EXPECT_EQ(read(x, 1), std::vector<unsigned>{6});
}

TEST_F(GraphRules, WhatIsSetDoesNotTouchALaunchThatRuns) {  // lines 422, 427, 428
  const DevicePointer x = allocate(4);
  const GraphNode filled = fill({}, {x, 0, 0, 4, 1, 1});
  const GraphNode added = kernel({filled}, "add", x, 7u);
  instantiate();
  volatile unsigned* const gate = hold();
  EXPECT_EQ(launch_graph(), Status::CUDA_SUCCESS);
  EXPECT_EQ(set(added, "add", x, 42u), Status::CUDA_SUCCESS);
  *gate = 1;
  EXPECT_EQ(read(x, 1), std::vector<unsigned>{7});
  EXPECT_EQ(launch_graph(), Status::CUDA_SUCCESS);
  EXPECT_EQ(read(x, 1), std::vector<unsigned>{42});
}

TEST_F(GraphRules, AKernelMayBecomeAnother) {  // lines 429 to 431
  const GraphNode node = kernel({}, "nothing");
  const DevicePointer x = allocate(4);
  write(x, {1});
  instantiate();
  EXPECT_EQ(set(node, "add", x, 3u), Status::CUDA_SUCCESS);
  EXPECT_EQ(launch_graph(), Status::CUDA_SUCCESS);
  EXPECT_EQ(read(x, 1), std::vector<unsigned>{4});
}

TEST_F(GraphRules, ACopyMayBecomeAnotherOfItsKind) {  // lines 441 to 446
  const DevicePointer x = allocate(16);
  auto* const source = pinned<unsigned>(4);
  for (unsigned i = 0; i < 4; ++i) source[i] = i + 1;
  const GraphNode node = copy({}, upload_of(x, source, 4));
  instantiate();
  const auto set_copy = [&](const CopyNode& wanted) {
    return cuda().cuGraphExecMemcpyNodeSetParams(exec, node, &wanted, context);
  };
  EXPECT_EQ(set_copy(upload_of(x + 4, source + 1, 8)), Status::CUDA_SUCCESS);
  EXPECT_EQ(launch_graph(), Status::CUDA_SUCCESS);
  EXPECT_EQ(read(x + 4, 2), (std::vector<unsigned>{2, 3}));
  EXPECT_EQ(set_copy(copy_of(x, x + 4, 4)), Status::CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set_copy(upload_of(x + 16, source, 4)), Status::CUDA_ERROR_INVALID_VALUE);
}

TEST_F(GraphRules, AFillMayBecomeAnother) {  // lines 447 to 451
  const DevicePointer x = allocate(8), y = allocate(8);
  const GraphNode node = fill({}, {x, 0, 5, 4, 1, 1});
  instantiate();
  const FillNode wanted{y, 0, 6, 1, 8, 1};
  EXPECT_EQ(cuda().cuGraphExecMemsetNodeSetParams(exec, node, &wanted, context), Status::CUDA_SUCCESS);
  EXPECT_EQ(launch_graph(), Status::CUDA_SUCCESS);
  EXPECT_EQ(read(y, 2), (std::vector<unsigned>{0x06060606, 0x06060606}));
}

TEST_F(GraphRules, AnUpdateOfTheWholeKeepsTheEdges) {  // lines 432 to 434
  const DevicePointer x = allocate(4);
  write(x, {0});
  kernel({kernel({}, "add", x, 1u)}, "add", x, 2u);
  instantiate();
  const auto update = [&](auto build) {
    EXPECT_EQ(cuda().cuGraphCreate(&graph, 0), Status::CUDA_SUCCESS);
    build();
    GraphUpdateInfo info;
    const Status status = cuda().cuGraphExecUpdate(exec, graph, &info);
    EXPECT_EQ(status == Status::CUDA_SUCCESS, info.result == GraphUpdateResult::success);
    return status;
  };
  EXPECT_EQ(update([&] { kernel({kernel({}, "add", x, 10u)}, "add", x, 20u); }), Status::CUDA_SUCCESS);
  EXPECT_EQ(launch_graph(), Status::CUDA_SUCCESS);
  EXPECT_EQ(read(x, 1), std::vector<unsigned>{30});
  EXPECT_EQ(update([&] { fill_graph(2, 2); }), Status::CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(update([&] { fill_graph(1, 1); }), Status::CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
}

TEST_F(GraphRules, OneLaunchOfAGraphRunsAtATime) {  // lines 436 and 437
  Stream other = nullptr;
  ASSERT_EQ(cuda().cuStreamCreate(&other, stream_non_blocking), Status::CUDA_SUCCESS);
  const DevicePointer x = allocate(4);
  write(x, {0});
  GraphNode last = kernel({}, "add", x, 1u);
  for (int count = 1; count < 1000; ++count) last = kernel({last}, "add", x, 1u);
  instantiate();
  EXPECT_EQ(finish(), Status::CUDA_SUCCESS);
  EXPECT_EQ(launch_graph(stream), Status::CUDA_SUCCESS);
  EXPECT_EQ(launch_graph(other), Status::CUDA_SUCCESS);
  EXPECT_EQ(launch_graph(stream), Status::CUDA_SUCCESS);
  EXPECT_EQ(read(x, 1), std::vector<unsigned>{3000});
}

TEST_F(GraphRules, NothingOfAGraphWaitsForAKernelThatRuns) {  // lines 305, 306, 308, 1126
  const DevicePointer x = allocate(4);
  write(x, {0});
  const GraphNode first = kernel({}, "add", x, 1u);
  volatile unsigned* const gate = hold();
  instantiate();
  EXPECT_EQ(set(first, "add", x, 3u), Status::CUDA_SUCCESS);
  EXPECT_EQ(launch_graph(), Status::CUDA_SUCCESS);
  EXPECT_EQ(cuda().cuGraphExecDestroy(exec), Status::CUDA_SUCCESS);
  EXPECT_EQ(cuda().cuGraphExecDestroy(exec), Status::CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuGraphDestroy(graph), Status::CUDA_SUCCESS);
  *gate = 1;
  EXPECT_EQ(read(x, 1), std::vector<unsigned>{3});
}

TEST_F(GraphRules, AGraphNeedsNoContextAndItsNodesDo) {  // line 168
  Context popped = nullptr;
  ASSERT_EQ(cuda().cuCtxPopCurrent(&popped), Status::CUDA_SUCCESS);
  Graph made = nullptr;
  GraphNode node = nullptr;
  EXPECT_EQ(cuda().cuGraphCreate(&made, 0), Status::CUDA_SUCCESS);
  EXPECT_EQ(cuda().cuGraphAddEmptyNode(&node, made, nullptr, 0), Status::CUDA_ERROR_INVALID_CONTEXT);
  ASSERT_EQ(cuda().cuCtxPushCurrent(context), Status::CUDA_SUCCESS);
}

/// Microseconds that the events of a card would tell of one launch.
class GraphTime : public GraphRules {
 public:
  ~GraphTime() override { unsetenv("SIMULATED_CUDA_KERNEL_US"); }

  float time(std::size_t count, std::size_t chains, const char* kernel_us) {
    setenv("SIMULATED_CUDA_KERNEL_US", kernel_us, 1);
    EXPECT_EQ(cuda().cuGraphCreate(&graph, 0), Status::CUDA_SUCCESS);
    fill_graph(count, chains);
    instantiate();
    Event begin = nullptr, end = nullptr;
    for (Event* const event : {&begin, &end})
      EXPECT_EQ(cuda().cuEventCreate(event, event_default), Status::CUDA_SUCCESS);
    float milliseconds = 0;
    EXPECT_EQ(cuda().cuEventElapsedTime(&milliseconds, begin, end), Status::CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuda().cuEventRecord(begin, stream), Status::CUDA_SUCCESS);
    EXPECT_EQ(launch_graph(), Status::CUDA_SUCCESS);
    EXPECT_EQ(cuda().cuEventRecord(end, stream), Status::CUDA_SUCCESS);
    EXPECT_EQ(finish(), Status::CUDA_SUCCESS);
    EXPECT_EQ(cuda().cuEventElapsedTime(&milliseconds, begin, end), Status::CUDA_SUCCESS);
    return milliseconds * 1000;
  }
};

TEST_F(GraphTime, IsACardsWithinAnEighth) {  // lines 396, 403, 410, 438 to 440
  const auto expect_near = [&](float found, float measured) { EXPECT_NEAR(found, measured, measured / 8); };
  expect_near(time(1000, 1, "0"), 508);
  expect_near(time(1000, 1000, "0"), 1052);
  expect_near(time(1000, 4, "0"), 203);
  expect_near(time(64, 1, "20"), 1330);
  expect_near(time(64, 4, "20"), 341);
  expect_near(time(64, 64, "20"), 98.4f);
}

}  // namespace
}  // namespace pintle::test
