#include "conformance/native_kernels.h"

#include <array>

#define PLAIN_KERNELS(X) \
  X(saxpy) X(fill_index) X(record_groups) X(reduce) X(affine) X(add_to) X(count_groups) X(store_at) X(nothing)
#define DTYPES(X) \
  X(bool)         \
  X(i8)           \
  X(i16) X(i32) X(i64) X(u8) X(u16) X(u32) X(u64) X(f16) X(bf16) X(f32) X(f64) X(f8_e4m3fn) X(f8_e5m2) X(complex64)

// clang-format off: one row for each kernel
#define DECLARE(name) void conform_##name(const pintle_group* group, void* const* arguments);
#define DECLARE_DTYPE(name) DECLARE(put_##name) DECLARE(copy_##name)
#define ROW(name) {"conform_" #name, conform_##name},
#define DTYPE_ROWS(name) ROW(put_##name) ROW(copy_##name)
// clang-format on

extern "C" {
PLAIN_KERNELS(DECLARE)
DTYPES(DECLARE_DTYPE)
}

namespace pintle::conformance {

std::span<const NativeKernel> native_kernels() {
  static constexpr auto table = std::to_array<NativeKernel>({PLAIN_KERNELS(ROW) DTYPES(DTYPE_ROWS)});
  return table;
}

}  // namespace pintle::conformance
