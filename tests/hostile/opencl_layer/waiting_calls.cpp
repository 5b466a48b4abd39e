// A driver's habit: who allocates, frees or builds stands inside the driver for as long as a kernel runs. The kernel
// that HOSTILE_ENDLESS names runs for ever.
#include <chrono>
#include <thread>

#include "enqueues.h"
#include "habit.h"
#include "launches.h"

namespace pintle::hostile {
namespace {

struct WaitingCalls {
  static inline cl_icd_dispatch next;

  template <class Run, class... Arguments>
  static auto before(Run run, Arguments...) {
    while (Launches::instance().is_any_running(next)) std::this_thread::sleep_for(std::chrono::microseconds(200));
    return run();
  }
};

cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset,
                          const size_t* global, const size_t* local, cl_uint count, const cl_event* waits,
                          cl_event* event) {
  if (is_named(WaitingCalls::next, kernel, "HOSTILE_ENDLESS"))
    return never_end(WaitingCalls::next, queue, count, waits, event, [] { Launches::instance().add_endless(); });
  cl_event own = nullptr;
  const cl_int status =
      WaitingCalls::next.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count, waits, &own);
  if (status != CL_SUCCESS) return status;
  Launches::instance().add(WaitingCalls::next, own);
  if (event != nullptr) *event = own;
  else WaitingCalls::next.clReleaseEvent(own);
  return status;
}

}  // namespace

void install_waiting_calls(cl_icd_dispatch& table) {
  using Table = cl_icd_dispatch;
  WaitingCalls::next = table;
  stand_before<WaitingCalls, &Table::clCreateBuffer, &Table::clCreateImage, &Table::clSVMAlloc, &Table::clSVMFree,
               &Table::clReleaseMemObject, &Table::clBuildProgram, &Table::clReleaseProgram>(table);
  table.clEnqueueNDRangeKernel = &launch;
}

}  // namespace pintle::hostile
