// A driver of a card: the device is a GPU with memory of its own.
#include "habit.h"

namespace pintle::hostile {
namespace {

cl_icd_dispatch next;

template <class Value>
cl_int answer(Value own, size_t size, void* value, size_t* needed) {
  if (needed != nullptr) *needed = sizeof own;
  if (value == nullptr) return CL_SUCCESS;
  if (size < sizeof own) return CL_INVALID_VALUE;
  *static_cast<Value*>(value) = own;
  return CL_SUCCESS;
}

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, size_t size, void* value, size_t* needed) {
  if (what == CL_DEVICE_TYPE) return answer<cl_device_type>(CL_DEVICE_TYPE_GPU, size, value, needed);
  if (what == CL_DEVICE_HOST_UNIFIED_MEMORY) return answer<cl_bool>(CL_FALSE, size, value, needed);
  return next.clGetDeviceInfo(device, what, size, value, needed);
}

}  // namespace

void install_discrete(cl_icd_dispatch& table) {
  next = table;
  table.clGetDeviceInfo = &device_info;
}

}  // namespace pintle::hostile
