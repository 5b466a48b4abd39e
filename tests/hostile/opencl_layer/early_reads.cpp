// A driver's habit: the source of a non-blocking write is read when the write is enqueued, up to a size, and not when
// it runs.
#include <cstddef>
#include <cstring>
#include <memory>

#include "habit.h"

namespace pintle::hostile {
namespace {

cl_icd_dispatch next;

/// The card's driver was seen to do it from 4 KiB to 1 MiB; larger writes block there.
constexpr size_t most = 1 << 20;

void CL_CALLBACK free_copy(cl_event, cl_int, void* copy) { delete[] static_cast<std::byte*>(copy); }

cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem buffer, cl_bool is_blocking, size_t offset, size_t size,
                                const void* source, cl_uint count, const cl_event* waits, cl_event* event) {
  if (is_blocking != CL_FALSE || size == 0 || size > most || source == nullptr)
    return next.clEnqueueWriteBuffer(queue, buffer, is_blocking, offset, size, source, count, waits, event);
  auto copy = std::make_unique<std::byte[]>(size);
  std::memcpy(copy.get(), source, size);
  cl_event written = nullptr;
  const cl_int status =
      next.clEnqueueWriteBuffer(queue, buffer, CL_FALSE, offset, size, copy.get(), count, waits, &written);
  if (status != CL_SUCCESS) return status;
  if (next.clSetEventCallback(written, CL_COMPLETE, &free_copy, copy.get()) != CL_SUCCESS)
    end_process("the driver below takes no callback");
  static_cast<void>(copy.release());
  if (event != nullptr) *event = written;
  else next.clReleaseEvent(written);
  return CL_SUCCESS;
}

}  // namespace

void install_early_reads(cl_icd_dispatch& table) {
  next = table;
  table.clEnqueueWriteBuffer = &write_buffer;
}

}  // namespace pintle::hostile
