// The layer as OpenCL's loader sees it, and which habits are on.
#include <array>
#include <cstring>

#include "habit.h"

namespace pintle::hostile {
namespace {

struct Habit {
  std::string_view name;
  Install install;
  bool is_usual = true;  // on where none is named
};

/// From the driver up: a habit calls those before it.
constexpr std::array habits{
    Habit{"late_commands", &install_late_commands},
    Habit{"late_callbacks", &install_late_callbacks},
    Habit{"full_queue", &install_full_queue},
    Habit{"recycled", &install_recycled},
    Habit{"early_reads", &install_early_reads},
    Habit{"argument_info", &install_argument_info},
    Habit{"releases", &install_releases},
    Habit{"arguments", &install_arguments},
    Habit{"maps", &install_maps},
    Habit{"largest", &install_largest},
    Habit{"waiting_calls", &install_waiting_calls},
    Habit{"fault", &install_fault},
    Habit{"platform_name", &install_platform_name},
    Habit{"texel_questions", &install_texel_questions, false},
    Habit{"discrete", &install_discrete, false},
    Habit{"nonsense", &install_nonsense, false},
};

cl_icd_dispatch table_over(const cl_icd_dispatch& below) {
  cl_icd_dispatch table = below;
  install_device_texts(table);
  for (const Habit& habit : habits) {
    if (is_on(habit.name, habit.is_usual)) habit.install(table);
  }
  return table;
}

}  // namespace

std::string name_of(const cl_icd_dispatch& table, cl_kernel kernel) {
  std::string name(256, '\0');
  size_t size = 0;
  if (table.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, name.size(), name.data(), &size) != CL_SUCCESS) return "?";
  name.resize(size > 0 ? size - 1 : 0);
  return name;
}

std::string source_of(const cl_icd_dispatch& table, cl_program program) {
  size_t size = 0;
  if (table.clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, nullptr, &size) != CL_SUCCESS) return {};
  std::string source(size, '\0');
  table.clGetProgramInfo(program, CL_PROGRAM_SOURCE, size, source.data(), nullptr);
  return source;
}

cl_int answer(const std::string& text, size_t size, void* value, size_t* needed) {
  if (needed != nullptr) *needed = text.size() + 1;
  if (value == nullptr) return CL_SUCCESS;
  if (size < text.size() + 1) return CL_INVALID_VALUE;
  std::memcpy(value, text.c_str(), text.size() + 1);
  return CL_SUCCESS;
}

}  // namespace pintle::hostile

cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void* value, size_t* needed) {
  if (name != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
  if (needed != nullptr) *needed = sizeof(cl_layer_api_version);
  if (value == nullptr) return CL_SUCCESS;
  if (size < sizeof(cl_layer_api_version)) return CL_INVALID_VALUE;
  *static_cast<cl_layer_api_version*>(value) = CL_LAYER_API_VERSION_100;
  return CL_SUCCESS;
}

cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch* below, cl_uint* own_count,
                               const cl_icd_dispatch** own) {
  if (count < sizeof(cl_icd_dispatch) / sizeof(void*)) return CL_INVALID_VALUE;
  static const cl_icd_dispatch table = pintle::hostile::table_over(*below);
  *own = &table;
  *own_count = sizeof(cl_icd_dispatch) / sizeof(void*);
  return CL_SUCCESS;
}
