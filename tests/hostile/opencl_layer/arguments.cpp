// What the standard allows (OpenCL 3.0, clSetKernelArg): a kernel holds none of its arguments, so a launch with an
// object that has gone meanwhile crashes the process.
#include <map>
#include <mutex>
#include <sstream>

#include "habit.h"
#include "objects.h"

namespace pintle::hostile {
namespace {

cl_icd_dispatch next;

/// A handle, and the object that it was when it was set.
struct Held {
  void* handle = nullptr;
  std::uint64_t number = 0;
};

std::mutex mutex;
std::map<cl_kernel, std::map<cl_uint, Held>> held;

cl_kernel CL_API_CALL create_kernel(cl_program program, const char* name, cl_int* status) {
  const cl_kernel kernel = next.clCreateKernel(program, name, status);
  const std::lock_guard lock(mutex);
  held[kernel].clear();
  return kernel;
}

/// A value that has a live object's handle is taken for the object.
cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint index, size_t size, const void* value) {
  const cl_int status = next.clSetKernelArg(kernel, index, size, value);
  if (status != CL_SUCCESS) return status;
  void* const handle = size == sizeof(void*) && value != nullptr ? *static_cast<void* const*>(value) : nullptr;
  const std::uint64_t number = handle == nullptr ? 0 : Objects::instance().number_of(handle);
  const std::lock_guard lock(mutex);
  held[kernel][index] = {handle, number};
  return status;
}

void check_arguments(cl_kernel kernel) {
  const std::lock_guard lock(mutex);
  for (const auto& [index, argument] : held[kernel]) {
    if (argument.number == 0 || Objects::instance().number_of(argument.handle) == argument.number) continue;
    std::ostringstream text;
    text << "clEnqueueNDRangeKernel launches \"" << name_of(next, kernel) << "\", whose argument " << index
         << " is an object that has been released";
    end_process(text.str());
  }
}

cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset,
                          const size_t* global, const size_t* local, cl_uint count, const cl_event* waits,
                          cl_event* event) {
  check_arguments(kernel);
  return next.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count, waits, event);
}

}  // namespace

/// Needs to know which objects there are: comes after `releases`.
void install_arguments(cl_icd_dispatch& table) {
  next = table;
  table.clCreateKernel = &create_kernel;
  table.clSetKernelArg = &set_argument;
  table.clEnqueueNDRangeKernel = &launch;
}

}  // namespace pintle::hostile
