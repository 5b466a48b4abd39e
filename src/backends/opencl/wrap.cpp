#include "backends/opencl/wrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "backends/opencl/service.h"

namespace pintle::opencl {
namespace {

Error refused(std::string text) { return {Errc::invalid_argument, std::move(text)}; }

/// The value that `ask(size, to)` tells of an object; `call` is the function's name.
template <class T, class Ask>
Result<T> value(std::string_view call, Ask ask) {
  T told{};
  PINTLE_TRY(check(ask(sizeof told, &told), call));
  return told;
}

template <class T>
Result<T> value_of(cl_command_queue queue, cl_command_queue_info what) {
  return value<T>("clGetCommandQueueInfo", [&](std::size_t size, void* to) {
    return api().clGetCommandQueueInfo(queue, what, size, to, nullptr);
  });
}

template <class T>
Result<T> value_of(cl_mem memory, cl_mem_info what) {
  return value<T>("clGetMemObjectInfo", [&](std::size_t size, void* to) {
    return api().clGetMemObjectInfo(memory, what, size, to, nullptr);
  });
}

}  // namespace

Result<Owned<cl_context>> retain_context(const OpenClDevice& given) {
  const auto context = static_cast<cl_context>(given.context);
  if (context == nullptr) return refused("Member (context) of the OpenClDevice is null.");
  std::size_t bytes = 0;
  PINTLE_TRY(check(api().clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, nullptr, &bytes), "clGetContextInfo"));
  std::vector<cl_device_id> devices(bytes / sizeof(cl_device_id));
  PINTLE_TRY(
      check(api().clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes, devices.data(), nullptr), "clGetContextInfo"));
  if (std::ranges::find(devices, static_cast<cl_device_id>(given.device)) == devices.end())
    return refused("The cl_context is not one of the cl_device_id.");
  PINTLE_TRY(check(api().clRetainContext(context), "clRetainContext"));
  return Owned<cl_context>(context);
}

Result<Owned<cl_command_queue>> retain_queue(const OpenClQueue& given, cl_context context, const FoundDevice& found) {
  const auto queue = static_cast<cl_command_queue>(given.queue);
  if (queue == nullptr) return refused("Member (queue) of the OpenClQueue is null.");
  PINTLE_ASSIGN(its_context, value_of<cl_context>(queue, CL_QUEUE_CONTEXT));
  PINTLE_ASSIGN(its_device, value_of<cl_device_id>(queue, CL_QUEUE_DEVICE));
  PINTLE_ASSIGN(properties, value_of<cl_command_queue_properties>(queue, CL_QUEUE_PROPERTIES));
  if (its_context != context || its_device != found.device)
    return refused(fmt::format("The cl_command_queue is not of the device and the context of [{}].", found.info.id));
  if ((properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0)
    return refused("The cl_command_queue executes out of order; one in order is needed.");
  PINTLE_TRY(check(api().clRetainCommandQueue(queue), "clRetainCommandQueue"));
  return Owned<cl_command_queue>(queue);
}

Result<Owned<cl_mem>> retain_buffer(const OpenClMemory& given, cl_context context, std::uint64_t size) {
  const auto memory = static_cast<cl_mem>(given.memory);
  if (memory == nullptr) return refused("Member (memory) of the OpenClMemory is null.");
  PINTLE_ASSIGN(its_context, value_of<cl_context>(memory, CL_MEM_CONTEXT));
  PINTLE_ASSIGN(type, value_of<cl_mem_object_type>(memory, CL_MEM_TYPE));
  PINTLE_ASSIGN(its_size, value_of<std::size_t>(memory, CL_MEM_SIZE));
  if (its_context != context || type != CL_MEM_OBJECT_BUFFER)
    return refused("The cl_mem is no buffer of the device's context.");
  if (its_size < size)
    return refused(fmt::format("Size ({}) of the cl_mem is smaller than what is wanted of it ({}).", its_size, size));
  PINTLE_TRY(check(api().clRetainMemObject(memory), "clRetainMemObject"));
  return Owned<cl_mem>(memory);
}

Result<bool> measures_time(cl_command_queue queue, const FoundDevice& found) {
  PINTLE_ASSIGN(properties, value_of<cl_command_queue_properties>(queue, CL_QUEUE_PROPERTIES));
  return (queue_properties(found.clock) & ~properties) == 0;
}

void* shared_address(cl_mem memory) {
  const auto is_shared = value_of<cl_bool>(memory, CL_MEM_USES_SVM_POINTER);
  if (!is_shared || *is_shared == CL_FALSE) return nullptr;
  const auto address = value_of<void*>(memory, CL_MEM_HOST_PTR);
  return address ? *address : nullptr;
}

}  // namespace pintle::opencl
