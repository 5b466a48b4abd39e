// What may be changed in a graph that was launched, and in which order launches of it run.
#include "facts/drawn.h"
#include "facts/held.h"

namespace facts {
namespace {

std::string number(unsigned value) { return std::to_string(value); }

/// Sets an argument while the graph's first kernel is held: the code, what that launch writes, and what the next does.
std::string set_while_it_runs(Session& session) {
  const DevicePointer x = session.allocate(4);
  session.write(x, {0});
  unsigned* const gate = session.words(2);
  Drawn graph(session);
  const GraphNode held = graph.kernel({}, session.function("hold"), gate);
  const Function add = session.function("add");
  const GraphNode added = graph.kernel({held}, add, x, 7u);
  graph.instantiate();
  expect(graph.launch(session.stream), "cuGraphLaunch");
  const bool runs = comes([&] { return static_cast<volatile unsigned*>(gate)[1] != 0; }, 30 * patience);
  const Status set = graph.set(added, add, x, 100u);
  *static_cast<volatile unsigned*>(gate) = 1;
  if (!runs) return "it does not begin";
  const unsigned first = session.read(x, 1)[0];
  expect(graph.launch(session.stream), "cuGraphLaunch");
  const unsigned second = session.read(x, 1)[0];
  return text(set) + ", adds " + number(first) + ", then " + number(second - first);
}

/// Another argument, another kernel, another shape: the codes, and that of the launch.
std::string set_kernel(Session& session) {
  const DevicePointer x = session.allocate(4);
  session.write(x, {0});
  const Function add = session.function("add"), nothing = session.function("nothing");
  Drawn graph(session);
  const GraphNode node = graph.kernel({}, add, x, 1u);
  graph.instantiate();
  const Status argument = graph.set(node, add, x, 77u);
  expect(graph.launch(session.stream), "cuGraphLaunch");
  const unsigned found = session.read(x, 1)[0];
  const Status kernel = graph.set(node, nothing);
  KernelNode wanted = Drawn::node_of(nothing, nullptr);
  wanted.grid[0] = 7;
  wanted.block[0] = 64;
  const Status shape = session.cuda.cuGraphExecKernelNodeSetParams(graph.exec, node, &wanted);
  const Status launched = graph.launch(session.stream);
  return codes({argument, kernel, shape, launched, session.finish(session.stream)}) + ", adds " + number(found);
}

/// An update by a graph with so many kernels in so many chains: its code and its result, and what a launch then adds.
std::string update(Session& session, std::size_t count, std::size_t chains) {
  const DevicePointer x = session.allocate(4);
  session.write(x, {0});
  const Function add = session.function("add");
  Drawn graph(session), changed(session);
  graph.kernels(8, 1, add, x, 1u);
  graph.instantiate();
  changed.kernels(count, chains, add, x, 10u);
  GraphUpdateInfo info;
  const Status updated = session.cuda.cuGraphExecUpdate(graph.exec, changed.graph, &info);
  const std::string line = text(updated) + " " + number(static_cast<unsigned>(info.result));
  if (updated != Status::CUDA_SUCCESS) return line;
  expect(graph.launch(session.stream), "cuGraphLaunch");
  return line + ", adds " + number(session.read(x, 1)[0]);
}

/// Two launches of a chain of 1,000 kernels that each add 1: the sum.
std::string launch_twice(Session& session, Stream second) {
  const DevicePointer x = session.allocate(4);
  session.write(x, {0});
  Drawn graph(session);
  graph.kernels(1000, 1, session.function("add"), x, 1u);
  graph.instantiate();
  expect(graph.launch(session.stream), "cuGraphLaunch");
  expect(graph.launch(second), "cuGraphLaunch");
  expect(session.finish(second), "the wait for the stream");
  return number(session.read(x, 1)[0]);
}

std::string destroy_twice(Session& session) {
  Drawn graph(session);
  graph.kernels(2, 1, session.function("nothing"));
  graph.instantiate();
  return codes({session.cuda.cuGraphExecDestroy(graph.exec), session.cuda.cuGraphExecDestroy(graph.exec)});
}

constexpr Rule rules[] = {
    {"graph.set_while_it_runs", "lines 427 and 428", &set_while_it_runs},
    {"graph.set_argument_kernel_and_shape", "lines 422 and 429 to 431", &set_kernel},
    {"graph.update_with_the_same_edges", "line 432", [](Session& s) { return update(s, 8, 1); }},
    {"graph.update_with_other_edges", "line 433", [](Session& s) { return update(s, 8, 4); }},
    {"graph.update_with_one_node_less", "line 434", [](Session& s) { return update(s, 7, 1); }},
    {"graph.launched_twice_in_one_stream", "line 436", [](Session& s) { return launch_twice(s, s.stream); }},
    {"graph.launched_twice_in_two_streams", "line 437", [](Session& s) { return launch_twice(s, s.other); }},
    {"graph.destroyed_twice", "line 1126", &destroy_twice},
};

}  // namespace

std::span<const Rule> graph_rules() { return rules; }

}  // namespace facts
