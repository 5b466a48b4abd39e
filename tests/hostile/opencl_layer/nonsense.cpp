// A broken driver, by what HOSTILE_NONSENSE names: `long_name` (of 10,000 letters), `no_devices` (none when they are
// asked for, one when they are counted), `growing_texts` (longer when they are read than when they are measured),
// `enumerators` (a type of device and image formats that no header has), `crash` (at the first question).
#include <cstring>

#include "habit.h"

namespace pintle::hostile {
namespace {

cl_icd_dispatch next;

cl_int CL_API_CALL platform_info(cl_platform_id platform, cl_platform_info what, size_t size, void* value,
                                 size_t* needed) {
  if (is_nonsense("crash")) end_process("clGetPlatformInfo crashes");
  return next.clGetPlatformInfo(platform, what, size, value, needed);
}

cl_int CL_API_CALL device_ids(cl_platform_id platform, cl_device_type type, cl_uint size, cl_device_id* devices,
                              cl_uint* count) {
  if (devices == nullptr || !is_nonsense("no_devices"))
    return next.clGetDeviceIDs(platform, type, size, devices, count);
  if (count != nullptr) *count = 0;
  return CL_SUCCESS;
}

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, size_t size, void* value, size_t* needed) {
  if (what == CL_DEVICE_NAME && is_nonsense("long_name"))
    return answer("hostile " + std::string(10'000, 'x'), size, value, needed);
  if (what == CL_DEVICE_VERSION && is_nonsense("growing_texts"))
    return answer(value == nullptr ? "OpenCL" : "OpenCL 3.0 hostile", size, value, needed);
  if (what == CL_DEVICE_TYPE && value != nullptr && is_nonsense("enumerators")) {
    const cl_device_type unheard_of = cl_device_type{1} << 60;
    std::memcpy(value, &unheard_of, sizeof unheard_of);
    return CL_SUCCESS;
  }
  return next.clGetDeviceInfo(device, what, size, value, needed);
}

cl_int CL_API_CALL image_formats(cl_context context, cl_mem_flags flags, cl_mem_object_type type, cl_uint size,
                                 cl_image_format* formats, cl_uint* count) {
  const cl_int status = next.clGetSupportedImageFormats(context, flags, type, size, formats, count);
  if (status != CL_SUCCESS || formats == nullptr || !is_nonsense("enumerators")) return status;
  for (cl_uint i = 0; i < size; i += 2) formats[i] = {0xdead, 0xbeef};
  return status;
}

}  // namespace

void install_nonsense(cl_icd_dispatch& table) {
  next = table;
  table.clGetPlatformInfo = &platform_info;
  table.clGetDeviceIDs = &device_ids;
  table.clGetDeviceInfo = &device_info;
  table.clGetSupportedImageFormats = &image_formats;
}

}  // namespace pintle::hostile
