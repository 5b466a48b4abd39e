#include "opencl_c/subgroups.h"

namespace pintle::opencl_c {
namespace {

/// cl_khr_subgroups, its shuffles, and Intel's. The extensions' macros stay undefined: a source that asks has another
/// way.
constexpr std::string_view declarations = R"(
uint get_sub_group_size(void);
uint get_max_sub_group_size(void);
uint get_num_sub_groups(void);
uint get_enqueued_num_sub_groups(void);
uint get_sub_group_id(void);
uint get_sub_group_local_id(void);
int sub_group_all(int);
int sub_group_any(int);
void __attribute__((overloadable)) sub_group_barrier(uint);
void __attribute__((overloadable)) sub_group_barrier(uint, int);
#define PINTLE_ONE(T, name) T __attribute__((overloadable)) name(T);
#define PINTLE_TWO(T, name) T __attribute__((overloadable)) name(T, uint);
#define PINTLE_KINDS(T, how) PINTLE_ONE(T, how##_add) PINTLE_ONE(T, how##_min) PINTLE_ONE(T, how##_max)
#define PINTLE_TYPE(T) \
  PINTLE_KINDS(T, sub_group_reduce) PINTLE_KINDS(T, sub_group_scan_exclusive) PINTLE_KINDS(T, sub_group_scan_inclusive) \
  PINTLE_TWO(T, sub_group_broadcast) PINTLE_TWO(T, sub_group_shuffle) PINTLE_TWO(T, sub_group_shuffle_xor) \
  PINTLE_TWO(T, sub_group_shuffle_up) PINTLE_TWO(T, sub_group_shuffle_down) PINTLE_TWO(T, intel_sub_group_shuffle) \
  PINTLE_TWO(T, intel_sub_group_shuffle_xor)
PINTLE_TYPE(int) PINTLE_TYPE(uint) PINTLE_TYPE(long) PINTLE_TYPE(ulong) PINTLE_TYPE(float) PINTLE_TYPE(double)
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
PINTLE_TYPE(half)
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#undef PINTLE_TYPE
#undef PINTLE_KINDS
#undef PINTLE_TWO
#undef PINTLE_ONE
#line 1
)";

}  // namespace

bool lacks_subgroups(const Error& error) {
  const std::string_view words = error.message();
  return error.code() == Errc::build_failed && words.contains("undeclared") && words.contains("sub_group");
}

std::string with_subgroups(std::string_view text) { return std::string(declarations) + std::string(text); }

}  // namespace pintle::opencl_c
