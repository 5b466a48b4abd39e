// The layer as OpenCL's loader sees it, and which habits are on.
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>

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
    Habit{"late_commands", &install_late_commands}, Habit{"late_callbacks", &install_late_callbacks},
    Habit{"early_reads", &install_early_reads},     Habit{"argument_info", &install_argument_info},
    Habit{"releases", &install_releases},           Habit{"arguments", &install_arguments},
    Habit{"waiting_calls", &install_waiting_calls}, Habit{"fault", &install_fault},
    Habit{"discrete", &install_discrete, false},    Habit{"nonsense", &install_nonsense, false},
};

std::string_view variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? std::string_view() : text;
}

/// HOSTILE is a list of habits with commas; unset or empty, all usual ones are on.
bool is_on(const Habit& habit) {
  std::string_view wanted = variable("HOSTILE");
  if (wanted.empty()) return habit.is_usual;
  while (!wanted.empty()) {
    const auto end = wanted.find(',');
    if (wanted.substr(0, end) == habit.name) return true;
    wanted = end == std::string_view::npos ? std::string_view() : wanted.substr(end + 1);
  }
  return false;
}

cl_icd_dispatch table_over(const cl_icd_dispatch& below) {
  cl_icd_dispatch table = below;
  install_device_texts(table);
  for (const Habit& habit : habits) {
    if (is_on(habit)) habit.install(table);
  }
  return table;
}

}  // namespace

std::uint64_t next_number() noexcept {
  static const std::uint64_t seed = std::strtoull(std::string(variable("HOSTILE_SEED")).c_str(), nullptr, 10);
  static std::atomic<std::uint64_t> asked{0};
  std::uint64_t bits = (seed << 32) + ++asked;  // splitmix64
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

std::string name_of(const cl_icd_dispatch& table, cl_kernel kernel) {
  std::string name(256, '\0');
  size_t size = 0;
  if (table.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, name.size(), name.data(), &size) != CL_SUCCESS) return "?";
  name.resize(size > 0 ? size - 1 : 0);
  return name;
}

void end_process(const std::string& text) {
  std::fprintf(stderr, "hostile: %s.\n", text.c_str());
  std::abort();
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
