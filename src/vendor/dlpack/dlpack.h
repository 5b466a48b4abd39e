// The C ABI of DLPack 1.1, declared from its public specification.
#pragma once

#include <cstddef>
#include <cstdint>

struct DLPackVersion {
  std::uint32_t major;
  std::uint32_t minor;
};

struct DLDevice {
  std::int32_t device_type;
  std::int32_t device_id;
};

struct DLDataType {
  std::uint8_t code;
  std::uint8_t bits;    // of one lane
  std::uint16_t lanes;  // 1, or more for short vectors
};

struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null: C order without gaps
  std::uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);  // may be null
};

// With another major version, only the members before `flags` may be used.
struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);  // may be null
  std::uint64_t flags;
  DLTensor dl_tensor;
};

static_assert(sizeof(void*) != 8 || sizeof(DLTensor) == 48);
static_assert(sizeof(void*) != 8 || sizeof(DLManagedTensor) == 64);
static_assert(sizeof(void*) != 8 || offsetof(DLManagedTensorVersioned, dl_tensor) == 32);

namespace pintle::vendor::dlpack {

inline constexpr DLPackVersion version{1, 1};

inline constexpr std::uint64_t flag_read_only = 1;
inline constexpr std::uint64_t flag_is_copied = 2;

inline constexpr std::int32_t device_cpu = 1;
inline constexpr std::int32_t device_cuda = 2;
inline constexpr std::int32_t device_cuda_host = 3;  // pinned: the processor reaches it
inline constexpr std::int32_t device_rocm = 10;
inline constexpr std::int32_t device_rocm_host = 11;

enum Code : std::uint8_t {
  code_int = 0,
  code_uint = 1,
  code_float = 2,
  code_opaque_handle = 3,
  code_bfloat = 4,
  code_complex = 5,
  code_bool = 6,
  code_float8_e3m4 = 7,
  code_float8_e4m3 = 8,
  code_float8_e4m3b11fnuz = 9,
  code_float8_e4m3fn = 10,
  code_float8_e4m3fnuz = 11,
  code_float8_e5m2 = 12,
  code_float8_e5m2fnuz = 13,
  code_float8_e8m0fnu = 14,
  code_float6_e2m3fn = 15,
  code_float6_e3m2fn = 16,
  code_float4_e2m1fn = 17,
};

}  // namespace pintle::vendor::dlpack
