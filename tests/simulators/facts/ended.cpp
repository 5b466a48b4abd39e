// What is answered to a handle after its end.
#include <array>

#include "facts/drawn.h"
#include "facts/session.h"

namespace facts {
namespace {

std::string destroy_event_twice(Session& session) {
  const Event event = session.create_event();
  expect(session.cuda.cuEventDestroy(event), "cuEventDestroy");
  return text(session.cuda.cuEventDestroy(event));
}

std::string query_event(Session& session) {
  const Event event = session.create_event();
  expect(session.cuda.cuEventRecord(event, session.stream), "cuEventRecord");
  expect(session.finish(session.stream), "the wait for the stream");
  expect(session.cuda.cuEventDestroy(event), "cuEventDestroy");
  return text(session.cuda.cuEventQuery(event));
}

Stream destroyed_stream(Session& session) {
  const Stream stream = session.create_stream();
  expect(session.cuda.cuStreamDestroy(stream), "cuStreamDestroy");
  return stream;
}

std::string destroy_stream_twice(Session& session) {
  return text(session.cuda.cuStreamDestroy(destroyed_stream(session)));
}

std::string query_stream(Session& session) {
  const auto query = there(session.more.cuStreamQuery, "cuStreamQuery");
  return text(query(destroyed_stream(session)));
}

std::string launch_in_stream(Session& session) {
  const Function nothing = session.function("nothing");
  return text(session.launch(nothing, destroyed_stream(session)));
}

std::string launch_of_module(Session& session) {
  const Module module = session.load();
  const Function nothing = session.function_of(module, "nothing");
  expect(session.cuda.cuModuleUnload(module), "cuModuleUnload");
  return text(session.launch(nothing, session.stream));
}

std::string unload_twice(Session& session) {
  const Module module = session.load();
  expect(session.cuda.cuModuleUnload(module), "cuModuleUnload");
  return text(session.cuda.cuModuleUnload(module));
}

std::string destroy_graph_in_use(Session& session) {
  Drawn graph(session);
  graph.kernels(2, 1, session.function("nothing"));
  graph.instantiate();
  expect(session.cuda.cuGraphExecDestroy(graph.exec), "cuGraphExecDestroy");
  return text(graph.launch(session.stream));
}

/// A context that was destroyed while it was the only current one, and what had been made in it.
struct Destroyed {
  explicit Destroyed(Session& session) : none(session) {
    expect(session.cuda.cuCtxCreate(&context, context_schedule_auto, 0), "cuCtxCreate");
    stream = session.create_stream();
    event = session.create_event();
    memory = session.allocate(64);
    expect(session.cuda.cuCtxDestroy(context), "cuCtxDestroy");
  }

  NoContext none;
  Context context = nullptr;
  Stream stream = nullptr;
  Event event = nullptr;
  DevicePointer memory = 0;
};

std::string destroy_context_twice(Session& session) {
  const Destroyed destroyed(session);
  return text(session.cuda.cuCtxDestroy(destroyed.context));
}

std::string fill_without_context(Session& session) {
  const Destroyed destroyed(session);
  return text(session.cuda.cuMemsetD8Async(destroyed.memory, 0, 16, nullptr));
}

std::string wait_for_stream_of_context(Session& session) {
  const auto wait = there(session.more.cuStreamSynchronize, "cuStreamSynchronize");
  const Destroyed destroyed(session);
  return text(wait(destroyed.stream));
}

std::string query_event_of_context(Session& session) {
  const Destroyed destroyed(session);
  return text(session.cuda.cuEventQuery(destroyed.event));
}

std::string upload_from_no_memory(Session& session) {
  const DevicePointer to = session.allocate(64);
  const auto* const nowhere = reinterpret_cast<const void*>(std::uintptr_t{0x10000});
  return text(session.cuda.cuMemcpyHtoDAsync(to, nowhere, 64, session.stream));
}

constexpr Rule rules[] = {
    {"ended.launch_of_an_unloaded_module", "line 1112", &launch_of_module},
    {"ended.module_unloaded_twice", "line 1114", &unload_twice},
    {"ended.context_destroyed_twice", "line 1116", &destroy_context_twice, Of::cuda},
    {"ended.fill_when_the_current_context_has_ended", "line 1118, by the synchronous call", &fill_without_context,
     Of::cuda},
    {"ended.wait_for_a_stream_of_a_destroyed_context", "line 1119", &wait_for_stream_of_context, Of::cuda},
    {"ended.query_of_an_event_of_a_destroyed_context", "line 1120", &query_event_of_context, Of::cuda},
    {"ended.launch_of_a_destroyed_graph", "not measured", &destroy_graph_in_use, Of::both, Runs::alone},
    {"ended.event_destroyed_twice", "line 1107", &destroy_event_twice, Of::both, Runs::alone},
    {"ended.event_queried", "line 1108", &query_event, Of::both, Runs::alone},
    {"ended.stream_destroyed_twice", "line 1109", &destroy_stream_twice, Of::both, Runs::alone},
    {"ended.stream_queried", "line 1110", &query_stream, Of::both, Runs::alone},
    {"ended.launch_in_a_destroyed_stream", "line 1111", &launch_in_stream, Of::both, Runs::alone},
    {"ended.upload_from_no_memory", "line 1125, by the synchronous call", &upload_from_no_memory, Of::both,
     Runs::alone},
};

}  // namespace

std::span<const Rule> ended_rules() { return rules; }

}  // namespace facts
