#include "backends/opencl/service.h"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "base/contain.h"

namespace pintle::opencl {
namespace {

constexpr auto patience = std::chrono::seconds(5);

Result<void> await(const Event& event) {
  const Deadline start = Clock::now();
  while (true) {
    PINTLE_ASSIGN(done, is_done(event));
    if (done) return {};
    const Duration spent = Clock::now() - start;
    if (spent > patience) {
      return Error(Errc::timeout,
                   fmt::format("The device does not finish a tiny piece of work within ({} s).", patience.count()));
    }
    if (spent < std::chrono::microseconds(50)) std::this_thread::yield();
    else std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

}  // namespace

Result<bool> is_done(const Event& event) {
  return base::contain("asking an event", [&]() -> Result<bool> {
    cl_int state = CL_QUEUED;
    PINTLE_TRY(
        check(api().clGetEventInfo(event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr),
              "clGetEventInfo"));
    if (state >= 0) return state == CL_COMPLETE;
    return failure(state, fmt::format("A command ends with the status ({}).", state));
  });
}

Result<std::uint64_t> end_of(const Event& event) {
  cl_ulong end = 0;
  PINTLE_TRY(check(api().clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr),
                   "clGetEventProfilingInfo"));
  return end;
}

Result<Owned<cl_command_queue>> create_queue(cl_context context, cl_device_id device,
                                             cl_command_queue_properties properties) {
  cl_int status = CL_SUCCESS;
  Owned<cl_command_queue> queue(api().clCreateCommandQueue(context, device, properties, &status));
  PINTLE_TRY(check(status, "clCreateCommandQueue"));
  return queue;
}

Result<std::unique_ptr<Service>> Service::create(cl_context context, const FoundDevice& found) {
  PINTLE_ASSIGN(queue, create_queue(context, found.device, queue_properties(found.clock)));
  cl_int status = CL_SUCCESS;
  Owned<cl_mem> scratch(api().clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof word_, nullptr, &status));
  PINTLE_TRY(check(status, "clCreateBuffer"));
  return std::unique_ptr<Service>(new Service(std::move(queue), std::move(scratch)));
}

/// `enqueue(queue, &event)` returns a status.
template <class Enqueue>
Result<Event> Service::run(std::string_view call, Enqueue enqueue) {
  cl_event started = nullptr;
  PINTLE_TRY(check(enqueue(queue_.get(), &started), call));
  Event event(started);
  PINTLE_TRY(check(api().clFlush(queue_.get()), "clFlush"));
  PINTLE_TRY(await(event));
  return event;
}

Result<void> Service::fill(cl_mem memory, std::uint64_t word) {
  PINTLE_TRY(run("clEnqueueFillBuffer", [&](cl_command_queue queue, cl_event* event) {
    return api().clEnqueueFillBuffer(queue, memory, &word, sizeof word, 0, sizeof word, 0, nullptr, event);
  }));
  return {};
}

Result<std::uint64_t> Service::read(cl_mem memory) {
  PINTLE_TRY(run("clEnqueueReadBuffer", [&](cl_command_queue queue, cl_event* event) {
    return api().clEnqueueReadBuffer(queue, memory, CL_FALSE, 0, sizeof seen_, &seen_, 0, nullptr, event);
  }));
  return seen_;
}

Result<void> Service::probe() {
  const std::lock_guard lock(mutex_);
  ++word_;
  PINTLE_TRY(fill(scratch_.get(), word_));
  PINTLE_ASSIGN(word, read(scratch_.get()));
  if (word == word_) return {};
  return Error(Errc::device_lost, fmt::format("The device reads back ({}) where it wrote ({}).", word, word_));
}

Result<void> Service::place(cl_mem memory) {
  const std::lock_guard lock(mutex_);
  PINTLE_TRY(run("clEnqueueMigrateMemObjects", [&](cl_command_queue queue, cl_event* event) {
    constexpr cl_mem_migration_flags nothing_to_keep = CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    return api().clEnqueueMigrateMemObjects(queue, 1, &memory, nothing_to_keep, 0, nullptr, event);
  }));
  return {};
}

Result<std::uint64_t> Service::now() {
  const std::lock_guard lock(mutex_);
  PINTLE_ASSIGN(event, run("clEnqueueMarkerWithWaitList", [](cl_command_queue queue, cl_event* event) {
                  return api().clEnqueueMarkerWithWaitList(queue, 0, nullptr, event);
                }));
  return end_of(event);
}

Result<bool> Service::shares(cl_mem memory, std::byte* host) {
  const std::lock_guard lock(mutex_);
  constexpr std::uint64_t by_device = 0x1122334455667788, by_host = 0x99aabbccddeeff00;
  std::uint64_t seen = 0;
  PINTLE_TRY(fill(memory, by_device));
  std::memcpy(&seen, host, sizeof seen);
  std::memcpy(host, &by_host, sizeof by_host);
  PINTLE_ASSIGN(read_back, read(memory));
  return seen == by_device && read_back == by_host;
}

}  // namespace pintle::opencl
