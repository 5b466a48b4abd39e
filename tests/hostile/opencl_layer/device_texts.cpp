// What a device says of itself: the word "hostile" before its name, so that the id "opencl:hostile" names it; and a
// version that the driver never had, since what is known of one version holds for others, too.
#include <cstring>

#include "habit.h"

namespace pintle::hostile {
namespace {

cl_icd_dispatch next;

/// What stands before the driver's own text; empty for what is told as it is.
std::string_view word_before(cl_device_info what) {
  if (what == CL_DEVICE_NAME) return "hostile ";
  if (what == CL_DRIVER_VERSION) return "99.";
  return "";
}

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, size_t size, void* value, size_t* needed) {
  const std::string_view word = word_before(what);
  if (word.empty()) return next.clGetDeviceInfo(device, what, size, value, needed);
  size_t own = 0;
  if (const cl_int status = next.clGetDeviceInfo(device, what, 0, nullptr, &own); status != CL_SUCCESS) return status;
  std::string text(own, '\0');
  if (const cl_int status = next.clGetDeviceInfo(device, what, own, text.data(), nullptr); status != CL_SUCCESS)
    return status;
  text.insert(0, word);
  if (needed != nullptr) *needed = text.size();
  if (value == nullptr) return CL_SUCCESS;
  if (size < text.size()) return CL_INVALID_VALUE;
  std::memcpy(value, text.data(), text.size());
  return CL_SUCCESS;
}

}  // namespace

void install_device_texts(cl_icd_dispatch& table) {
  next = table;
  table.clGetDeviceInfo = &device_info;
}

}  // namespace pintle::hostile
