// What the standard allows (OpenCL 3.0, clSetEventCallback): a callback comes some time after its event, in any order
// beside other callbacks, and from any thread.
#include <memory>

#include "common/hands.h"
#include "habit.h"

namespace pintle::hostile {
namespace {

using Callback = void(CL_CALLBACK*)(cl_event, cl_int, void*);

cl_icd_dispatch next;

struct Asked {
  Callback callback;
  void* state;
};

void CL_CALLBACK tell_later(cl_event event, cl_int status, void* state) {
  const auto asked = *std::unique_ptr<Asked>(static_cast<Asked*>(state));
  next.clRetainEvent(event);
  Hands::instance().later([event, status, asked] {
    asked.callback(event, status, asked.state);
    next.clReleaseEvent(event);
  });
}

cl_int CL_API_CALL set_event_callback(cl_event event, cl_int type, Callback callback, void* state) {
  if (callback == nullptr) return next.clSetEventCallback(event, type, callback, state);
  auto asked = std::make_unique<Asked>(callback, state);
  const cl_int status = next.clSetEventCallback(event, type, &tell_later, asked.get());
  if (status == CL_SUCCESS) static_cast<void>(asked.release());
  return status;
}

}  // namespace

void install_late_callbacks(cl_icd_dispatch& table) {
  next = table;
  table.clSetEventCallback = &set_event_callback;
}

}  // namespace pintle::hostile
