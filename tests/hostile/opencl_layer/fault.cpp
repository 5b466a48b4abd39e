// A driver's habit: the launch of the kernel that HOSTILE_FAULT names does not end, as a bad address has it. From the
// moment on at which the device comes to it, every command that is not done ends with CL_UNKNOWN, and so does every
// call of the process, also that for a new context.
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "enqueues.h"
#include "habit.h"
#include "launches.h"

namespace pintle::hostile {
namespace {

constexpr cl_int unknown = -9999;  // no header has it

std::atomic<bool> poisoned{false};

/// Answers CL_UNKNOWN where the process is poisoned, else what `run` does: a status, or an object and a status.
template <class Run, class... Arguments>
auto answer(Run run, Arguments... arguments) {
  using Returned = decltype(run());
  if (!poisoned.load()) return run();
  if constexpr (std::is_same_v<Returned, cl_int>) {
    return unknown;
  } else {
    auto last = std::get<sizeof...(Arguments) - 1>(std::tuple(arguments...));
    if constexpr (std::is_same_v<decltype(last), cl_int*>) {
      if (last != nullptr) *last = unknown;
    }
    return Returned{};
  }
}

struct Fault {
  static inline cl_icd_dispatch next;

  template <class Run, class... Arguments>
  static auto before(Run run, Arguments... arguments) {
    return answer(run, arguments...);
  }
  template <class Enqueue, class Run>
  static auto around(Enqueue& enqueue, Run run) {
    return std::apply([&](auto... arguments) { return answer(run, arguments...); }, enqueue.arguments);
  }
};

cl_int state_of(cl_event event) {
  cl_int state = CL_QUEUED;
  Fault::next.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr);
  return state;
}

/// What a program is told of an event.
cl_int told_state_of(cl_event event) {
  const cl_int state = state_of(event);
  return state > CL_COMPLETE && poisoned.load() ? unknown : state;
}

/// Callbacks that have not come.
using Callback = void(CL_CALLBACK*)(cl_event, cl_int, void*);
struct Asked {
  cl_event event;
  Callback callback;
  void* state;
};
std::mutex mutex;
std::map<std::uint64_t, Asked> asked;
std::uint64_t last_asked = 0;

/// Whoever takes it out calls it.
void tell(std::uint64_t number, cl_int status) {
  Asked taken;
  {
    const std::lock_guard lock(mutex);
    const auto found = asked.find(number);
    if (found == asked.end()) return;
    taken = found->second;
    asked.erase(found);
  }
  taken.callback(taken.event, status, taken.state);
}

void CL_CALLBACK tell_now(cl_event, cl_int status, void* number) {
  tell(reinterpret_cast<std::uintptr_t>(number), status);
}

cl_int CL_API_CALL set_event_callback(cl_event event, cl_int type, Callback callback, void* state) {
  if (poisoned.load()) return unknown;
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex);
    number = ++last_asked;
    asked[number] = {event, callback, state};
  }
  const cl_int status = Fault::next.clSetEventCallback(event, type, &tell_now, reinterpret_cast<void*>(number));
  if (status != CL_SUCCESS) {
    const std::lock_guard lock(mutex);
    asked.erase(number);
  }
  return status;
}

/// The device has come to the launch.
void poison() {
  std::thread([] {
    poisoned.store(true);
    std::map<std::uint64_t, Asked> left;
    {
      const std::lock_guard lock(mutex);
      left.swap(asked);
    }
    for (const auto& [number, each] : left) each.callback(each.event, unknown, each.state);
  }).detach();
}

cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset,
                          const size_t* global, const size_t* local, cl_uint count, const cl_event* waits,
                          cl_event* event) {
  if (poisoned.load()) return unknown;
  if (is_named(Fault::next, kernel, "HOSTILE_FAULT"))
    return never_end(Fault::next, queue, count, waits, event, &poison);
  return Fault::next.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count, waits, event);
}

cl_int CL_API_CALL event_info(cl_event event, cl_event_info what, size_t size, void* value, size_t* needed) {
  const cl_int status = Fault::next.clGetEventInfo(event, what, size, value, needed);
  if (status == CL_SUCCESS && what == CL_EVENT_COMMAND_EXECUTION_STATUS && value != nullptr)
    *static_cast<cl_int*>(value) = told_state_of(event);
  return status;
}

/// A wait of the driver's below would not end.
cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event* events) {
  for (cl_uint i = 0; i < count; ++i) {
    cl_command_queue queue = nullptr;
    Fault::next.clGetEventInfo(events[i], CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, nullptr);
    if (queue != nullptr) Fault::next.clFlush(queue);
  }
  for (cl_uint i = 0; i < count; ++i) {
    while (told_state_of(events[i]) > CL_COMPLETE) std::this_thread::sleep_for(std::chrono::microseconds(100));
    if (const cl_int state = told_state_of(events[i]); state < 0)
      return state == unknown ? unknown : CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  }
  return CL_SUCCESS;
}

cl_int CL_API_CALL finish(cl_command_queue queue) {
  if (poisoned.load()) return unknown;
  cl_event all = nullptr;
  if (const cl_int status = Fault::next.clEnqueueMarkerWithWaitList(queue, 0, nullptr, &all); status != CL_SUCCESS)
    return status;
  const cl_int status = wait_for_events(1, &all);
  Fault::next.clReleaseEvent(all);
  return status;
}

}  // namespace

void install_fault(cl_icd_dispatch& table) {
  using Table = cl_icd_dispatch;
  Fault::next = table;
  stand_around_enqueues<Fault>(table);
  stand_before<Fault, &Table::clCreateContext, &Table::clCreateCommandQueue, &Table::clCreateCommandQueueWithProperties,
               &Table::clCreateBuffer, &Table::clCreateSubBuffer, &Table::clCreateImage, &Table::clCreateUserEvent,
               &Table::clCreateProgramWithSource, &Table::clBuildProgram, &Table::clCreateKernel, &Table::clFlush>(
      table);
  table.clEnqueueNDRangeKernel = &launch;
  table.clSetEventCallback = &set_event_callback;
  table.clGetEventInfo = &event_info;
  table.clWaitForEvents = &wait_for_events;
  table.clFinish = &finish;
}

}  // namespace pintle::hostile
