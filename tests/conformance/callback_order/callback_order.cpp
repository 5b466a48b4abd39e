// A layer for OpenCL's loader that tells ThreadSanitizer what the API promises: what a thread did before it asked for a
// callback, or let go of a memory object, happens before the callback. A driver that hands it on by futex shows
// nothing.
#include <CL/cl_layer.h>

#include <atomic>
#include <memory>
#include <new>

namespace {

const cl_icd_dispatch* target = nullptr;
std::atomic<unsigned> releases{0};  // of memory objects, on any thread

template <class Callback>
struct Asked {
  Callback callback;
  void* state;
  std::atomic<bool> is_handed{false};
};

/// Hands what the caller asked for to `ask(state)`, and takes it back if that fails.
template <class Callback, class Ask>
cl_int hand(Callback callback, void* state, Ask ask) {
  auto* const asked = new (std::nothrow) Asked<Callback>{callback, state};
  if (asked == nullptr) return CL_OUT_OF_HOST_MEMORY;
  asked->is_handed.store(true, std::memory_order_release);
  const cl_int answer = ask(asked);
  if (answer != CL_SUCCESS) delete asked;
  return answer;
}

template <class Callback>
std::unique_ptr<Asked<Callback>> taken(void* state) {
  std::unique_ptr<Asked<Callback>> asked(static_cast<Asked<Callback>*>(state));
  static_cast<void>(asked->is_handed.load(std::memory_order_acquire));
  return asked;
}

using EventCallback = void(CL_CALLBACK*)(cl_event, cl_int, void*);
using MemoryCallback = void(CL_CALLBACK*)(cl_mem, void*);

void CL_CALLBACK tell_of_event(cl_event event, cl_int status, void* state) {
  const auto asked = taken<EventCallback>(state);
  asked->callback(event, status, asked->state);
}

void CL_CALLBACK tell_of_memory(cl_mem memory, void* state) {
  const auto asked = taken<MemoryCallback>(state);
  static_cast<void>(releases.load(std::memory_order_acquire));
  asked->callback(memory, asked->state);
}

cl_int CL_API_CALL set_event_callback(cl_event event, cl_int type, EventCallback callback, void* state) {
  return hand(callback, state,
              [&](void* asked) { return target->clSetEventCallback(event, type, &tell_of_event, asked); });
}

cl_int CL_API_CALL set_memory_callback(cl_mem memory, MemoryCallback callback, void* state) {
  return hand(callback, state,
              [&](void* asked) { return target->clSetMemObjectDestructorCallback(memory, &tell_of_memory, asked); });
}

cl_int CL_API_CALL release_memory(cl_mem memory) {
  releases.fetch_add(1, std::memory_order_release);
  return target->clReleaseMemObject(memory);
}

}  // namespace

cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void* value, size_t* needed) {
  if (name != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
  if (needed != nullptr) *needed = sizeof(cl_layer_api_version);
  if (value == nullptr) return CL_SUCCESS;
  if (size < sizeof(cl_layer_api_version)) return CL_INVALID_VALUE;
  *static_cast<cl_layer_api_version*>(value) = CL_LAYER_API_VERSION_100;
  return CL_SUCCESS;
}

cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch* below, cl_uint* own_count,
                               const cl_icd_dispatch** own) {
  if (count < sizeof(cl_icd_dispatch) / sizeof(void*)) return CL_INVALID_VALUE;
  static cl_icd_dispatch table = *below;
  target = below;
  table.clSetEventCallback = &set_event_callback;
  table.clSetMemObjectDestructorCallback = &set_memory_callback;
  table.clReleaseMemObject = &release_memory;
  *own = &table;
  *own_count = sizeof(cl_icd_dispatch) / sizeof(void*);
  return CL_SUCCESS;
}
