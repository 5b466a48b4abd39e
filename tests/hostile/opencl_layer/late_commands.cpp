// What the standard allows (OpenCL 3.0, 5.15 "Flush and Finish"): commands start when their queue is flushed, and not
// before; and then when the device likes. The first command behind a flush waits for an event of ours, the others for
// it, as a queue in order has them.
#include <map>
#include <mutex>
#include <vector>

#include "common/hands.h"
#include "enqueues.h"
#include "habit.h"

namespace pintle::hostile {
namespace {

std::mutex mutex;
std::map<cl_command_queue, cl_event> gates;  // of queues with commands that no flush has let go

struct LateCommands {
  static inline cl_icd_dispatch next;

  template <class Enqueue, class Run>
  static auto around(Enqueue& enqueue, Run run);
};

cl_context context_of(cl_command_queue queue) {
  cl_context context = nullptr;
  LateCommands::next.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr);
  return context;
}

/// The gate of a queue that has none, with a reference for the caller; null where the queue has one.
cl_event shut(cl_command_queue queue) {
  const std::lock_guard lock(mutex);
  cl_event& gate = gates[queue];
  if (gate != nullptr) return nullptr;
  gate = LateCommands::next.clCreateUserEvent(context_of(queue), nullptr);
  if (gate != nullptr) LateCommands::next.clRetainEvent(gate);
  return gate;
}

/// The queue is flushed: what is on it may start, a moment later.
void open(cl_command_queue queue) {
  cl_event gate = nullptr;
  {
    const std::lock_guard lock(mutex);
    const auto found = gates.find(queue);
    if (found == gates.end()) return;
    gate = found->second;
    gates.erase(found);
  }
  if (gate == nullptr) return;
  Hands::instance().later([gate] {
    LateCommands::next.clSetUserEventStatus(gate, CL_COMPLETE);
    LateCommands::next.clReleaseEvent(gate);
  });
}

template <class Enqueue, class Run>
auto LateCommands::around(Enqueue& enqueue, Run run) {
  if (enqueue.is_blocking()) {
    open(enqueue.queue());
    return run();
  }
  const cl_event gate = shut(enqueue.queue());
  if (gate == nullptr) return run();
  std::vector<cl_event> waits(enqueue.waits(), enqueue.waits() + enqueue.wait_count());
  waits.push_back(gate);
  enqueue.waits() = waits.data();
  enqueue.wait_count() = static_cast<cl_uint>(waits.size());
  auto answer = run();
  next.clReleaseEvent(gate);
  return answer;
}

cl_int CL_API_CALL flush(cl_command_queue queue) {
  const cl_int status = LateCommands::next.clFlush(queue);
  open(queue);
  return status;
}

cl_int CL_API_CALL finish(cl_command_queue queue) {
  open(queue);
  return LateCommands::next.clFinish(queue);
}

/// Flushes the queues of the events.
cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event* events) {
  for (cl_uint i = 0; events != nullptr && i < count; ++i) {
    cl_command_queue queue = nullptr;
    LateCommands::next.clGetEventInfo(events[i], CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, nullptr);
    if (queue != nullptr) open(queue);
  }
  return LateCommands::next.clWaitForEvents(count, events);
}

/// Flushes the queue.
cl_int CL_API_CALL release_queue(cl_command_queue queue) {
  open(queue);
  return LateCommands::next.clReleaseCommandQueue(queue);
}

}  // namespace

void install_late_commands(cl_icd_dispatch& table) {
  LateCommands::next = table;
  stand_around_enqueues<LateCommands>(table);
  table.clFlush = &flush;
  table.clFinish = &finish;
  table.clWaitForEvents = &wait_for_events;
  table.clReleaseCommandQueue = &release_queue;
}

}  // namespace pintle::hostile
