// A driver's defect: beyond a number of bytes, which HOSTILE_LARGEST says (unset: none), a fill ends the process.
// Mesa's software devices were seen to do so, or to lose the device, at transfers of 2^31 bytes.
#include <cstdlib>

#include "habit.h"

namespace pintle::hostile {
namespace {

cl_icd_dispatch next;
std::uint64_t most = 0;

cl_int CL_API_CALL fill(cl_command_queue queue, cl_mem buffer, const void* pattern, size_t pattern_size, size_t offset,
                        size_t size, cl_uint count, const cl_event* waits, cl_event* event) {
  if (offset + size > most) end_process("clEnqueueFillBuffer goes beyond what the driver counts");
  return next.clEnqueueFillBuffer(queue, buffer, pattern, pattern_size, offset, size, count, waits, event);
}

}  // namespace

void install_largest(cl_icd_dispatch& table) {
  const char* const text = std::getenv("HOSTILE_LARGEST");
  if (text == nullptr) return;
  most = std::strtoull(text, nullptr, 10);
  next = table;
  table.clEnqueueFillBuffer = &fill;
}

}  // namespace pintle::hostile
