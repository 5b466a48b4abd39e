// The word "hostile" before the name of each device, so that the id "opencl:hostile" names one.
#include <cstring>

#include "habit.h"

namespace pintle::hostile {
namespace {

cl_icd_dispatch next;

constexpr std::string_view word = "hostile ";

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, size_t size, void* value, size_t* needed) {
  if (what != CL_DEVICE_NAME) return next.clGetDeviceInfo(device, what, size, value, needed);
  size_t own = 0;
  if (const cl_int status = next.clGetDeviceInfo(device, what, 0, nullptr, &own); status != CL_SUCCESS) return status;
  std::string name(own, '\0');
  if (const cl_int status = next.clGetDeviceInfo(device, what, own, name.data(), nullptr); status != CL_SUCCESS)
    return status;
  name.insert(0, word);
  if (needed != nullptr) *needed = name.size();
  if (value == nullptr) return CL_SUCCESS;
  if (size < name.size()) return CL_INVALID_VALUE;
  std::memcpy(value, name.data(), name.size());
  return CL_SUCCESS;
}

}  // namespace

void install_device_name(cl_icd_dispatch& table) {
  next = table;
  table.clGetDeviceInfo = &device_info;
}

}  // namespace pintle::hostile
