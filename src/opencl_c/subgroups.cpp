#include "opencl_c/subgroups.h"

namespace pintle::opencl_c {
namespace {

/// Intel's functions, which clang does not declare, and those for items that go different ways, which the cpu does not
/// have and whose macros stay undefined.
constexpr std::string_view declarations = R"(
#define PINTLE_F(T, ...) T __attribute__((overloadable, convergent)) __VA_ARGS__;
#define PINTLE_SHUFFLES(T) \
  PINTLE_F(T, intel_sub_group_broadcast(T, uint)) PINTLE_F(T, intel_sub_group_shuffle(T, uint)) \
  PINTLE_F(T, intel_sub_group_shuffle_xor(T, uint)) PINTLE_F(T, intel_sub_group_shuffle_down(T, T, uint)) \
  PINTLE_F(T, intel_sub_group_shuffle_up(T, T, uint))
#define PINTLE_SIZES(T) \
  PINTLE_SHUFFLES(T) PINTLE_SHUFFLES(T##2) PINTLE_SHUFFLES(T##3) PINTLE_SHUFFLES(T##4) PINTLE_SHUFFLES(T##8) \
  PINTLE_SHUFFLES(T##16)
#define PINTLE_BLOCK(T, S, f) \
  PINTLE_F(T, intel_sub_group_block_read##f(const S* p)) PINTLE_F(void, intel_sub_group_block_write##f(S* p, T v))
#define PINTLE_BLOCKS(T, S, f) \
  PINTLE_BLOCK(T, S, f) PINTLE_BLOCK(T##2, S, f##2) PINTLE_BLOCK(T##4, S, f##4) PINTLE_BLOCK(T##8, S, f##8)
#define PINTLE_ALL_BLOCKS(S) \
  PINTLE_BLOCKS(uint, S uint, ) PINTLE_BLOCKS(uint, S uint, _ui) PINTLE_BLOCKS(ushort, S ushort, _us) \
  PINTLE_BLOCKS(uchar, S uchar, _uc) PINTLE_BLOCKS(ulong, S ulong, _ul)
#define PINTLE_KINDS(T, how) PINTLE_F(T, how##_add(T)) PINTLE_F(T, how##_min(T)) PINTLE_F(T, how##_max(T))
#define PINTLE_TYPE(T) \
  PINTLE_SIZES(T) PINTLE_KINDS(T, sub_group_non_uniform_reduce) \
  PINTLE_KINDS(T, sub_group_non_uniform_scan_inclusive) PINTLE_KINDS(T, sub_group_non_uniform_scan_exclusive) \
  PINTLE_F(int, sub_group_non_uniform_all_equal(T))
PINTLE_F(int, sub_group_elect(void)) PINTLE_F(int, sub_group_non_uniform_all(int)) PINTLE_F(int, sub_group_non_uniform_any(int))
PINTLE_TYPE(char) PINTLE_TYPE(uchar) PINTLE_TYPE(short) PINTLE_TYPE(ushort) PINTLE_TYPE(int) PINTLE_TYPE(uint)
PINTLE_TYPE(long) PINTLE_TYPE(ulong) PINTLE_TYPE(float)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
PINTLE_TYPE(double)
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
PINTLE_TYPE(half)
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
PINTLE_ALL_BLOCKS(__global) PINTLE_ALL_BLOCKS(__local)
#undef PINTLE_TYPE
#undef PINTLE_KINDS
#undef PINTLE_ALL_BLOCKS
#undef PINTLE_BLOCKS
#undef PINTLE_BLOCK
#undef PINTLE_SIZES
#undef PINTLE_SHUFFLES
#undef PINTLE_F
#line 1
)";

}  // namespace

bool lacks_subgroups(const Error& error) {
  const std::string_view words = error.message();
  return error.code() == Errc::build_failed && words.contains("undeclared") && words.contains("sub_group");
}

std::string with_subgroups(std::string_view text) { return std::string(declarations) + std::string(text); }

}  // namespace pintle::opencl_c
