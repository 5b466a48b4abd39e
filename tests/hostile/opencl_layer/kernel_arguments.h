// What kernels have been given, for habits that look at it before a launch.
#pragma once

#include <CL/cl_icd.h>

#include <cstdint>
#include <map>
#include <mutex>

#include "enqueues.h"
#include "objects.h"

namespace pintle::hostile {

/// A value that has a live object's handle is taken for the object: the handle, and the object that it was when it was
/// set; 0: none.
struct Held {
  void* handle = nullptr;
  std::uint64_t number = 0;
};

/// The arguments of each kernel by index, for one habit: `Habit::before_launch(kernel, arguments)` is called under the
/// mutex. The habit needs `next`.
template <class Habit>
class KernelArguments {
 public:
  static inline std::mutex mutex;

  static void stand(cl_icd_dispatch& table) {
    table.clCreateKernel = &create;
    table.clSetKernelArg = &set;
    stand_before<KernelArguments, &cl_icd_dispatch::clEnqueueNDRangeKernel>(table);
  }

  template <class Run, class... Others>
  static cl_int before(Run run, cl_command_queue, cl_kernel kernel, Others...) {
    {
      const std::lock_guard lock(mutex);
      Habit::before_launch(kernel, held[kernel]);
    }
    return run();
  }
  static inline cl_icd_dispatch& next = Habit::next;

 private:
  static cl_kernel CL_API_CALL create(cl_program program, const char* name, cl_int* status) {
    const cl_kernel kernel = next.clCreateKernel(program, name, status);
    const std::lock_guard lock(mutex);
    held[kernel].clear();  // the handle may have been another kernel's
    return kernel;
  }
  static cl_int CL_API_CALL set(cl_kernel kernel, cl_uint index, size_t size, const void* value) {
    const cl_int status = next.clSetKernelArg(kernel, index, size, value);
    if (status != CL_SUCCESS) return status;
    void* const handle = size == sizeof(void*) && value != nullptr ? *static_cast<void* const*>(value) : nullptr;
    const std::uint64_t number = handle == nullptr ? 0 : Objects::instance().number_of(handle);
    const std::lock_guard lock(mutex);
    held[kernel][index] = {handle, number};
    return status;
  }

  static inline auto& held = *new std::map<cl_kernel, std::map<cl_uint, Held>>;
};

}  // namespace pintle::hostile
