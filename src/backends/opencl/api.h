// OpenCL in this process: its functions, objects that release themselves, and its statuses as errors.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kit/counted.h"
#include "pintle/error.h"
#include "vendor/opencl/table.h"

namespace pintle::opencl {

/// The table, opened at first use and never closed: drivers have threads of their own that outlive main.
[[nodiscard]] const Result<vendor::opencl::Table>& loaded() noexcept;
/// The table, for code that has an object: every object was made through the table.
[[nodiscard]] inline const vendor::opencl::Table& api() noexcept { return *loaded(); }

struct Release {
  void operator()(cl_context context) const noexcept { api().clReleaseContext(context); }
  void operator()(cl_command_queue queue) const noexcept { api().clReleaseCommandQueue(queue); }
  void operator()(cl_mem memory) const noexcept { api().clReleaseMemObject(memory); }
  void operator()(cl_program program) const noexcept { api().clReleaseProgram(program); }
  void operator()(cl_sampler sampler) const noexcept { api().clReleaseSampler(sampler); }
  void operator()(cl_kernel kernel) const noexcept { api().clReleaseKernel(kernel); }
};

template <class Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Release>;

struct EventCount {
  static void retain(cl_event event) noexcept { api().clRetainEvent(event); }
  static void release(cl_event event) noexcept { api().clReleaseEvent(event); }
};
using Event = kit::Counted<cl_event, EventCount>;

/// "CL_OUT_OF_RESOURCES"; a number that the table of statuses does not have is "CL_UNKNOWN".
[[nodiscard]] std::string_view symbol_of(cl_int status) noexcept;
/// What a refused call means for the caller, with the vendor's number and symbol. `message` is a whole sentence.
[[nodiscard]] Error failure(cl_int status, std::string message);

/// The error of `status`, unless it is CL_SUCCESS; `call` is the function's name.
[[nodiscard]] Result<void> check(cl_int status, std::string_view call);

/// The text that `ask(size, to, &needed)` tells; empty where it refuses.
template <class Ask>
[[nodiscard]] std::string told_text(Ask ask) {
  std::size_t size = 0;
  if (ask(0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string text(size, '\0');
  if (ask(size, text.data(), nullptr) != CL_SUCCESS) return {};
  text.resize(std::min(text.find('\0'), text.size()));
  while (text.ends_with(' ') || text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace pintle::opencl
