#include "backends/opencl/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/opened_once.h"

namespace pintle::opencl {
namespace {

struct Status {
  cl_int number;
  std::string_view symbol;
  Errc code = Errc::internal;
};

#define STATUS(symbol, ...) \
  Status { symbol, #symbol __VA_OPT__(, ) __VA_ARGS__ }

constexpr std::array statuses{
    STATUS(CL_DEVICE_NOT_FOUND, Errc::unavailable),
    STATUS(CL_DEVICE_NOT_AVAILABLE, Errc::unavailable),
    STATUS(CL_COMPILER_NOT_AVAILABLE, Errc::unavailable),
    STATUS(CL_MEM_OBJECT_ALLOCATION_FAILURE, Errc::out_of_memory),
    STATUS(CL_OUT_OF_RESOURCES, Errc::out_of_memory),
    STATUS(CL_OUT_OF_HOST_MEMORY, Errc::out_of_memory),
    STATUS(CL_PROFILING_INFO_NOT_AVAILABLE),
    STATUS(CL_MEM_COPY_OVERLAP),
    STATUS(CL_IMAGE_FORMAT_MISMATCH),
    STATUS(CL_IMAGE_FORMAT_NOT_SUPPORTED, Errc::unsupported),
    STATUS(CL_BUILD_PROGRAM_FAILURE, Errc::build_failed),
    STATUS(CL_MAP_FAILURE),
    STATUS(CL_MISALIGNED_SUB_BUFFER_OFFSET, Errc::invalid_argument),
    STATUS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    STATUS(CL_COMPILE_PROGRAM_FAILURE, Errc::build_failed),
    STATUS(CL_LINKER_NOT_AVAILABLE, Errc::build_failed),
    STATUS(CL_LINK_PROGRAM_FAILURE, Errc::build_failed),
    STATUS(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    STATUS(CL_INVALID_VALUE),
    STATUS(CL_INVALID_PLATFORM),
    STATUS(CL_INVALID_DEVICE),
    STATUS(CL_INVALID_CONTEXT),
    STATUS(CL_INVALID_QUEUE_PROPERTIES),
    STATUS(CL_INVALID_COMMAND_QUEUE),
    STATUS(CL_INVALID_MEM_OBJECT),
    STATUS(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, Errc::unsupported),
    STATUS(CL_INVALID_IMAGE_SIZE, Errc::invalid_argument),
    STATUS(CL_INVALID_SAMPLER),
    STATUS(CL_INVALID_BINARY, Errc::build_failed),
    STATUS(CL_INVALID_BUILD_OPTIONS, Errc::build_failed),
    STATUS(CL_INVALID_PROGRAM),
    STATUS(CL_INVALID_PROGRAM_EXECUTABLE, Errc::build_failed),
    STATUS(CL_INVALID_KERNEL_NAME, Errc::build_failed),
    STATUS(CL_INVALID_KERNEL),
    STATUS(CL_INVALID_ARG_INDEX, Errc::invalid_argument),
    STATUS(CL_INVALID_ARG_VALUE, Errc::invalid_argument),
    STATUS(CL_INVALID_ARG_SIZE, Errc::invalid_argument),
    STATUS(CL_INVALID_KERNEL_ARGS, Errc::invalid_argument),
    STATUS(CL_INVALID_WORK_DIMENSION, Errc::invalid_argument),
    STATUS(CL_INVALID_WORK_GROUP_SIZE, Errc::invalid_argument),
    STATUS(CL_INVALID_WORK_ITEM_SIZE, Errc::invalid_argument),
    STATUS(CL_INVALID_GLOBAL_OFFSET),
    STATUS(CL_INVALID_EVENT_WAIT_LIST),
    STATUS(CL_INVALID_EVENT),
    STATUS(CL_INVALID_OPERATION),
    STATUS(CL_INVALID_BUFFER_SIZE, Errc::out_of_memory),
    STATUS(CL_INVALID_GLOBAL_WORK_SIZE, Errc::invalid_argument),
    STATUS(CL_INVALID_IMAGE_DESCRIPTOR, Errc::invalid_argument),
    STATUS(CL_PLATFORM_NOT_FOUND_KHR, Errc::unavailable),
    Status{-9999, "CL_UNKNOWN", Errc::device_lost},  // NVIDIA's answer to everything once a kernel has faulted
};

#undef STATUS

const Status* find(cl_int status) noexcept {
  const auto* const found = std::ranges::find(statuses, status, &Status::number);
  return found == statuses.end() ? nullptr : found;
}

}  // namespace

const Result<vendor::opencl::Table>& loaded() noexcept { return base::opened_once<vendor::opencl::Table>(); }

std::string_view symbol_of(cl_int status) noexcept {
  const Status* const found = find(status);
  return found == nullptr ? "CL_UNKNOWN" : found->symbol;
}

Error failure(cl_int status, std::string message) {
  const Status* const found = find(status);
  const Errc code = found == nullptr ? Errc::internal : found->code;
  const std::string library = loaded() ? api().library.name() : "OpenCL";
  return Error(code, std::move(message)).with_vendor({library, status, std::string(symbol_of(status))});
}

Result<void> check(cl_int status, std::string_view call) {
  if (status == CL_SUCCESS) return {};
  return failure(status, fmt::format("OpenCL refuses the call ({}).", call));
}

}  // namespace pintle::opencl
