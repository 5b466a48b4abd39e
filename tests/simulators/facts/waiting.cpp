// Which calls wait for a kernel that runs.
#include <optional>
#include <vector>

#include "facts/drawn.h"
#include "facts/held.h"

namespace facts {
namespace {

std::string free_memory(Session& session) {
  const DevicePointer memory = session.allocate(4096);
  return beside(session, [&] { return session.cuda.cuMemFree(memory); });
}

std::string allocate(Session& session) {
  DevicePointer memory = 0;
  return beside(session, [&] { return session.cuda.cuMemAlloc(&memory, 4096); });
}

std::string pin(Session& session) {
  void* memory = nullptr;
  return beside(session, [&] { return session.cuda.cuMemHostAlloc(&memory, 1 << 20, 0); });
}

std::string free_pinned(Session& session) {
  void* const memory = session.pinned(1 << 20);
  return beside(session, [&] { return session.cuda.cuMemFreeHost(memory); });
}

std::string register_memory(Session& session) {
  std::vector<char> memory(1 << 20, 1);
  const std::string line =
      beside(session, [&] { return session.cuda.cuMemHostRegister(memory.data(), memory.size(), 0); });
  static_cast<void>(session.cuda.cuMemHostUnregister(memory.data()));
  return line;
}

std::string unregister_memory(Session& session) {
  std::vector<char> memory(1 << 20, 1);
  expect(session.cuda.cuMemHostRegister(memory.data(), memory.size(), 0), "cuMemHostRegister");
  return beside(session, [&] { return session.cuda.cuMemHostUnregister(memory.data()); });
}

std::string allocate_in_order(Session& session) {
  const auto take = there(session.more.cuMemAllocAsync, "cuMemAllocAsync");
  DevicePointer memory = 0;
  return beside(session, [&] { return take(&memory, 1 << 20, session.other); });
}

std::string free_in_order(Session& session) {
  const auto take = there(session.more.cuMemAllocAsync, "cuMemAllocAsync");
  const auto leave = there(session.more.cuMemFreeAsync, "cuMemFreeAsync");
  DevicePointer memory = 0;
  expect(take(&memory, 1 << 20, session.other), "cuMemAllocAsync");
  expect(session.finish(session.other), "the wait for the stream");
  return beside(session, [&] { return leave(memory, session.other); });
}

std::string load(Session& session) {
  static_cast<void>(session.function("hold"));
  Module module = nullptr;
  return beside(session, [&] { return session.load(&module); });
}

std::string load_ptx(Session& session) {
  constexpr const char* tiny = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry tiny()\n{\n ret;\n}\n";
  Module module = nullptr;
  return beside(session, [&] { return session.cuda.cuModuleLoadDataEx(&module, tiny, 0, nullptr, nullptr); });
}

std::string first_launch(Session& session) {
  const Function nothing = session.function_of(session.load(), "nothing");
  return beside(session, [&] { return session.launch(nothing, session.other); });
}

std::string unload(Session& session) {
  const Module module = session.load();
  return beside(session, [&] { return session.cuda.cuModuleUnload(module); });
}

std::string unload_own(Session& session) {
  const Module module = session.load();
  Held held(session, session.stream, session.function_of(module, "hold"));
  return beside(session, held, [&] { return session.cuda.cuModuleUnload(module); });
}

std::string set_attribute(Session& session) {
  const Function nothing = session.function("nothing");
  return beside(session, [&] {
    return session.cuda.cuFuncSetAttribute(nothing, FunctionAttribute::max_dynamic_shared_bytes, 100000);
  });
}

std::string create_stream(Session& session) {
  Stream made = nullptr;
  return beside(session, [&] { return session.cuda.cuStreamCreate(&made, stream_non_blocking); });
}

std::string destroy_idle_stream(Session& session) {
  const Stream idle = session.create_stream();
  return beside(session, [&] { return session.cuda.cuStreamDestroy(idle); });
}

std::string destroy_own_stream(Session& session) {
  const Stream busy = session.create_stream();
  Held held(session, busy, session.function("hold"));
  return beside(session, held, [&] { return session.cuda.cuStreamDestroy(busy); });
}

std::string create_event(Session& session) {
  Event made = nullptr;
  return beside(session, [&] { return session.cuda.cuEventCreate(&made, 0); });
}

std::string destroy_idle_event(Session& session) {
  const Event idle = session.create_event();
  return beside(session, [&] { return session.cuda.cuEventDestroy(idle); });
}

std::string destroy_pending_event(Session& session) {
  const Event event = session.create_event();
  Held held(session);
  expect(session.cuda.cuEventRecord(event, session.stream), "cuEventRecord");
  return beside(session, held, [&] { return session.cuda.cuEventDestroy(event); });
}

std::string create_context(Session& session) {
  Context made = nullptr, popped = nullptr;
  const std::string line = beside(session, [&] {
    const Status status = session.cuda.cuCtxCreate(&made, context_schedule_auto, 0);
    if (status == Status::CUDA_SUCCESS) static_cast<void>(session.cuda.cuCtxPopCurrent(&popped));
    return status;
  });
  static_cast<void>(session.cuda.cuCtxDestroy(made));
  return line;
}

/// Makes a context, which is not current then.
Context context_of(Session& session) {
  Context made = nullptr, popped = nullptr;
  expect(session.cuda.cuCtxCreate(&made, context_schedule_auto, 0), "cuCtxCreate");
  expect(session.cuda.cuCtxPopCurrent(&popped), "cuCtxPopCurrent");
  return made;
}

std::string destroy_idle_context(Session& session) {
  const Context idle = context_of(session);
  return beside(session, [&] { return session.cuda.cuCtxDestroy(idle); });
}

/// The kernel is in the context that is destroyed.
std::string destroy_own_context(Session& session) {
  const Context busy = context_of(session);
  std::optional<Current> current(std::in_place, session, busy);
  const Stream stream = session.create_stream();
  Held held(session, stream, session.function_of(session.load(), "hold"));
  current.reset();
  return beside(session, held, [&] { return session.cuda.cuCtxDestroy(busy); });
}

std::string instantiate(Session& session) {
  Drawn graph(session);
  graph.kernels(10, 1, session.function("nothing"));
  return beside(session, [&] { return session.cuda.cuGraphInstantiateWithFlags(&graph.exec, graph.graph, 0); });
}

/// What `call` answers of a graph that can be launched.
template <class Call>
std::string with_graph(Session& session, Call call) {
  Drawn graph(session);
  graph.kernels(10, 1, session.function("nothing"));
  graph.instantiate();
  return beside(session, [&] { return call(graph); });
}

std::string launch_graph(Session& session) {
  return with_graph(session, [&](Drawn& graph) { return graph.launch(session.stream); });
}

std::string upload_graph(Session& session) {
  const auto upload = there(session.more.cuGraphUpload, "cuGraphUpload");
  return with_graph(session, [&](Drawn& graph) { return upload(graph.exec, session.other); });
}

std::string destroy_launched_graph(Session& session) {
  return with_graph(session, [&](Drawn& graph) {
    const Status launched = graph.launch(session.stream);
    return launched == Status::CUDA_SUCCESS ? session.cuda.cuGraphExecDestroy(graph.exec) : launched;
  });
}

std::string kernel_elsewhere(Session& session) {
  const Function nothing = session.function("nothing");
  return beside(session, [&] {
    const Status launched = session.launch(nothing, session.other);
    return launched == Status::CUDA_SUCCESS ? session.finish(session.other) : launched;
  });
}

std::string ask_memory(Session& session) {
  std::size_t available = 0, all = 0;
  return beside(session, [&] { return session.cuda.cuMemGetInfo(&available, &all); });
}

std::string set_stack(Session& session) {
  const auto set = there(session.more.cuCtxSetLimit, "cuCtxSetLimit");
  return beside(session, [&] { return set(0, 4096); });
}

void do_nothing(void*) {}

std::string host_function(Session& session) {
  const auto launch = there(session.more.cuLaunchHostFunc, "cuLaunchHostFunc");
  return beside(session, [&] { return launch(session.stream, &do_nothing, nullptr); });
}

constexpr Rule rules[] = {
    {"waits.free", "line 283", &free_memory},
    {"waits.allocate", "line 284", &allocate},
    {"waits.allocate_in_order", "line 287", &allocate_in_order},
    {"waits.free_in_order", "line 288", &free_in_order},
    {"waits.pin", "line 290", &pin},
    {"waits.free_pinned", "line 291", &free_pinned},
    {"waits.register", "line 292", &register_memory},
    {"waits.unregister", "line 293", &unregister_memory},
    {"waits.load", "line 294", &load},
    {"waits.first_launch_of_a_module", "line 295", &first_launch},
    {"waits.unload", "line 296", &unload},
    {"waits.load_ptx", "line 297", &load_ptx, Of::cuda},
    {"waits.unload_the_kernels_module", "line 347", &unload_own},
    {"waits.create_stream", "line 298", &create_stream},
    {"waits.destroy_idle_stream", "line 299", &destroy_idle_stream},
    {"waits.destroy_the_kernels_stream", "line 346", &destroy_own_stream},
    {"waits.create_event", "line 300", &create_event},
    {"waits.destroy_idle_event", "line 301", &destroy_idle_event},
    {"waits.destroy_pending_event", "line 302", &destroy_pending_event},
    {"waits.create_context", "not measured", &create_context, Of::cuda},
    {"waits.destroy_idle_context", "line 304", &destroy_idle_context, Of::cuda},
    {"waits.destroy_the_kernels_context", "lines 348, 1075 and 1077", &destroy_own_context, Of::cuda},
    {"waits.instantiate", "line 305", &instantiate},
    {"waits.launch_graph", "line 306", &launch_graph},
    {"waits.upload_graph", "line 307", &upload_graph},
    {"waits.destroy_launched_graph", "line 308", &destroy_launched_graph},
    {"waits.kernel_in_another_stream", "line 313", &kernel_elsewhere},
    {"waits.ask_for_free_memory", "line 314", &ask_memory},
    {"waits.set_an_attribute", "line 315", &set_attribute, Of::cuda},
    {"waits.set_the_stack", "line 316", &set_stack, Of::cuda},
    {"waits.host_function", "line 317", &host_function},
};

}  // namespace

std::span<const Rule> waiting_rules() { return rules; }

}  // namespace facts
