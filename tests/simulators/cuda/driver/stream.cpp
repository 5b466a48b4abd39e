// Streams and events.
#include <chrono>
#include <cmath>

#include "driver/state.h"
#include "exports.h"

namespace pintle::simulator {
namespace {

using vendor::cuda::EventRecord;

void check(const char* call, Event event) {
  if (event == nullptr || !event->is_alive) die(call, "an event that was destroyed");
}

/// Microseconds of the host's clock in steps of a half, as the interface's own words say of a card's.
double host_time() {
  static const auto start = std::chrono::steady_clock::now();
  const std::chrono::duration<double, std::micro> since = std::chrono::steady_clock::now() - start;
  return std::floor(since.count() * 2) / 2;
}

/// Where time is played, each stream has a clock of its own, which goes on with its work.
Status mark(const std::shared_ptr<EventRecord>& record, Stream stream, bool is_played) {
  const Lock lock(process().mutex);
  record->is_done = true;
  record->at = is_played ? stream->clock : host_time();
  return Status::CUDA_SUCCESS;
}

}  // namespace

Status await(const std::shared_ptr<EventRecord>& record) {
  Process& all = process();
  Lock lock(all.mutex);
  all.changed.wait(lock, [&] { return record == nullptr || record->is_done || all.fault != Status::CUDA_SUCCESS; });
  return all.fault;
}

}  // namespace pintle::simulator

using namespace pintle::simulator;

PINTLE_SIMULATED Status cuStreamCreate(Stream* stream, unsigned) {
  const Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  if (current() == nullptr) return Status::CUDA_ERROR_INVALID_CONTEXT;  // line 162
  *stream = make_stream(current());
  return Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED Status cuStreamGetCtx(Stream given, Context* context) {
  const Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  const Stream stream = stream_of("cuStreamGetCtx", given);
  if (stream == nullptr) return Status::CUDA_ERROR_INVALID_CONTEXT;
  *context = stream->context;
  return Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED Status cuStreamDestroy_v2(Stream stream) {
  const Lock lock(process().mutex);
  if (stream == nullptr || !stream->is_alive) die("cuStreamDestroy", "a stream that was destroyed");  // line 1109
  stream->is_alive = false;
  process().changed.notify_all();
  return gate(lock);
}

/// For the reference of the benchmarks alone: the backend waits with a deadline, so that no table has it.
PINTLE_SIMULATED Status cuStreamSynchronize(Stream given) {
  Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  const Stream stream = stream_of("cuStreamSynchronize", given);
  if (stream == nullptr) return Status::CUDA_ERROR_INVALID_CONTEXT;
  return stream->context->is_alive ? wait_for_stream(lock, stream)
                                   : Status::CUDA_ERROR_CONTEXT_IS_DESTROYED;  // line 1119
}

PINTLE_SIMULATED Status cuEventCreate(Event* event, unsigned flags) {
  const Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  if (current() == nullptr) return Status::CUDA_ERROR_INVALID_CONTEXT;  // line 161
  const bool has_time = (flags & pintle::vendor::cuda::event_disable_timing) == 0;
  *event = new pintle::vendor::cuda::EventObject{current(), true, nullptr, has_time};
  return Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED Status cuEventDestroy_v2(Event event) {
  const Lock lock(process().mutex);
  check("cuEventDestroy", event);  // line 1107
  event->is_alive = false;
  event->last = nullptr;
  return gate(lock);
}

PINTLE_SIMULATED Status cuEventRecord(Event event, Stream given) {
  Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  check("cuEventRecord", event);
  const Stream stream = stream_of("cuEventRecord", given);
  if (stream == nullptr || stream->context != event->context) return Status::CUDA_ERROR_INVALID_HANDLE;  // line 181
  event->last = std::make_shared<pintle::vendor::cuda::EventRecord>();
  const auto run = [record = event->last, stream, is_played = plays_time()] { return mark(record, stream, is_played); };
  return enqueue(lock, stream, {.run = run, .counts = false});  // line 351
}

PINTLE_SIMULATED Status cuEventQuery(Event event) {
  const Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;  // line 732
  check("cuEventQuery", event);                                                         // line 1108
  if (!event->context->is_alive) return Status::CUDA_ERROR_CONTEXT_IS_DESTROYED;        // line 1120
  const bool is_done = event->last == nullptr || event->last->is_done;                  // line 221
  return is_done ? Status::CUDA_SUCCESS : Status::CUDA_ERROR_NOT_READY;
}

/// Lines 225 to 228. Less than 0 in reverse (line 229).
PINTLE_SIMULATED Status cuEventElapsedTime(float* milliseconds, Event begin, Event end) {
  const Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  for (const Event event : {begin, end}) {
    check("cuEventElapsedTime", event);
    if (!event->has_time || event->last == nullptr) return Status::CUDA_ERROR_INVALID_HANDLE;
    if (!event->last->is_done) return Status::CUDA_ERROR_NOT_READY;
  }
  *milliseconds = static_cast<float>((end->last->at - begin->last->at) / 1000);
  return Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED Status cuStreamWaitEvent(Stream given, Event event, unsigned) {
  Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  check("cuStreamWaitEvent", event);
  const Stream stream = stream_of("cuStreamWaitEvent", given);
  if (stream == nullptr) return Status::CUDA_ERROR_INVALID_CONTEXT;
  if (event->last == nullptr) return Status::CUDA_SUCCESS;  // line 223
  return enqueue(lock, stream, {.run = [record = event->last] { return await(record); }, .counts = false});
}
