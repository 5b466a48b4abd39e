// What the current context decides: calls with none, and with another one than that of the objects.
#include <array>

#include "facts/session.h"

namespace facts {
namespace {

template <class Call>
std::string without(Session& session, Call call) {
  const NoContext none(session);
  return text(call());
}

/// With the other context current.
template <class Call>
std::string elsewhere(Session& session, Call call) {
  const OtherContext& other = session.other_context();
  const Current current(session, other.context);
  return text(call(other));
}

std::string create_graph(Session& session) {
  Graph graph = nullptr;
  return without(session, [&] { return session.cuda.cuGraphCreate(&graph, 0); });
}

std::string allocate(Session& session) {
  DevicePointer memory = 0;
  return without(session, [&] { return session.cuda.cuMemAlloc(&memory, 64); });
}

std::string free_memory(Session& session) {
  const DevicePointer memory = session.allocate(64);
  return without(session, [&] { return session.cuda.cuMemFree(memory); });
}

std::string pin(Session& session) {
  void* memory = nullptr;
  return without(session, [&] { return session.cuda.cuMemHostAlloc(&memory, 4096, 0); });
}

std::string create_event(Session& session) {
  Event event = nullptr;
  return without(session, [&] { return session.cuda.cuEventCreate(&event, 0); });
}

std::string create_stream(Session& session) {
  Stream stream = nullptr;
  return without(session, [&] { return session.cuda.cuStreamCreate(&stream, 0); });
}

std::string load(Session& session) {
  static_cast<void>(session.function("nothing"));
  Module module = nullptr;
  return without(session, [&] { return session.load(&module); });
}

std::string pop(Session& session) {
  Context popped = nullptr;
  return without(session, [&] { return session.cuda.cuCtxPopCurrent(&popped); });
}

std::string launch(Session& session, Stream on) {
  const Function nothing = session.function("nothing");
  return without(session, [&] { return session.launch(nothing, on); });
}

std::string upload(Session& session) {
  const DevicePointer memory = session.allocate(64);
  const std::array<char, 64> from{};
  return without(session,
                 [&] { return session.cuda.cuMemcpyHtoDAsync(memory, from.data(), from.size(), session.stream); });
}

std::string fill(Session& session) {
  const DevicePointer memory = session.allocate(64);
  return without(session, [&] { return session.cuda.cuMemsetD8Async(memory, 0, 64, session.stream); });
}

/// A record, a stream's wait, a query, and the end of an event.
std::string use_event(Session& session) {
  const Event event = session.create_event();
  const NoContext none(session);
  const auto query = [&] {
    const Status status = session.cuda.cuEventQuery(event);
    return status == Status::CUDA_ERROR_NOT_READY ? Status::CUDA_SUCCESS : status;
  };
  return codes({session.cuda.cuEventRecord(event, session.stream),
                session.cuda.cuStreamWaitEvent(session.stream, event, 0), query(), session.cuda.cuEventDestroy(event)});
}

std::string launch_elsewhere(Session& session, bool is_in_own_stream) {
  const Function nothing = session.function("nothing");
  return elsewhere(session, [&](const OtherContext&) {
    return session.launch(nothing, is_in_own_stream ? session.stream : nullptr);
  });
}

std::string launch_in_its_stream(Session& session) {
  const Function nothing = session.function("nothing");
  return elsewhere(session, [&](const OtherContext& other) { return session.launch(nothing, other.stream); });
}

std::string upload_in_its_stream(Session& session) {
  const DevicePointer memory = session.allocate(64);
  const std::array<char, 64> from{};
  return elsewhere(session, [&](const OtherContext& other) {
    return session.cuda.cuMemcpyHtoDAsync(memory, from.data(), from.size(), other.stream);
  });
}

std::string fill_in_its_stream(Session& session) {
  const DevicePointer memory = session.allocate(64);
  return elsewhere(
      session, [&](const OtherContext& other) { return session.cuda.cuMemsetD8Async(memory, 0, 64, other.stream); });
}

/// A kernel of the other context on memory of this one, and its end.
std::string its_kernel_here(Session& session) {
  const DevicePointer memory = session.allocate(4);
  const OtherContext& other = session.other_context();
  if (other.add == nullptr) throw NotAsked("nothing was compiled");
  const Current current(session, other.context);
  const Status launched = session.launch(other.add, other.stream, memory, 1u);
  return codes({launched, session.finish(other.stream)});
}

std::string free_its_memory(Session& session) {
  const OtherContext& other = session.other_context();
  DevicePointer memory = 0;
  {
    const Current current(session, other.context);
    memory = session.allocate(4096);
  }
  return text(session.cuda.cuMemFree(memory));
}

std::string record_its_event(Session& session, bool is_in_its_stream) {
  const OtherContext& other = session.other_context();
  return text(session.cuda.cuEventRecord(other.event, is_in_its_stream ? other.stream : session.stream));
}

std::string wait_for_its_event(Session& session) {
  const OtherContext& other = session.other_context();
  expect(session.cuda.cuEventRecord(other.event, other.stream), "cuEventRecord");
  const Status waited = session.cuda.cuStreamWaitEvent(session.stream, other.event, 0);
  return codes({waited, session.finish(session.stream), session.cuda.cuEventQuery(other.event)});
}

constexpr Rule rules[] = {
    {"no_context.allocate", "line 148", &allocate, Of::cuda},
    {"no_context.free", "line 149", &free_memory, Of::cuda},
    {"no_context.launch_in_no_stream", "line 150", [](Session& s) { return launch(s, nullptr); }, Of::cuda},
    {"no_context.launch_in_a_stream", "line 151", [](Session& s) { return launch(s, s.stream); }, Of::cuda},
    {"no_context.use_an_event", "lines 154, 157, 155 and 171", &use_event, Of::cuda},
    {"no_context.upload_in_a_stream", "line 159", &upload, Of::cuda},
    {"no_context.fill_in_a_stream", "line 160", &fill, Of::cuda},
    {"no_context.create_an_event", "line 161", &create_event, Of::cuda},
    {"no_context.create_a_stream", "line 162", &create_stream, Of::cuda},
    {"no_context.load", "line 163", &load, Of::cuda},
    {"no_context.pin", "line 166", &pin, Of::cuda},
    {"no_context.create_a_graph", "line 168", &create_graph, Of::cuda},
    {"no_context.pop", "line 170", &pop, Of::cuda},
    {"other_context.launch_in_the_own_stream", "line 172", [](Session& s) { return launch_elsewhere(s, true); },
     Of::cuda},
    {"other_context.launch_in_no_stream", "line 173", [](Session& s) { return launch_elsewhere(s, false); }, Of::cuda},
    {"other_context.launch_in_its_stream", "line 174", &launch_in_its_stream, Of::cuda},
    {"other_context.upload_in_its_stream", "line 176", &upload_in_its_stream, Of::cuda},
    {"other_context.fill_in_its_stream", "line 177", &fill_in_its_stream, Of::cuda},
    {"other_context.its_kernel_on_memory_of_this", "lines 178 and 179", &its_kernel_here, Of::cuda},
    {"other_context.free_its_memory_here", "line 180", &free_its_memory, Of::cuda},
    {"other_context.its_event_in_a_stream_of_this", "line 181", [](Session& s) { return record_its_event(s, false); },
     Of::cuda},
    {"other_context.its_event_in_its_stream", "line 182", [](Session& s) { return record_its_event(s, true); },
     Of::cuda},
    {"other_context.wait_for_its_event", "lines 183, 184 and 186", &wait_for_its_event, Of::cuda},
};

}  // namespace

std::span<const Rule> context_rules() { return rules; }

}  // namespace facts
