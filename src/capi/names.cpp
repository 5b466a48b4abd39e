// Names of dtypes, features, operations and what else has numbers.
#include "capi/names.h"

#include <fmt/format.h>

#include "capi/enter.h"
#include "pintle/c/buffer.h"
#include "pintle/c/collective.h"
#include "pintle/c/device.h"
#include "pintle/collective.h"
#include "pintle/dtype.h"
#include "pintle/info.h"

namespace pintle::capi {

Error no_name(std::string_view text, std::string_view what, std::string_view names) {
  return {Errc::not_found, fmt::format("The text ({}) is no {}: {}.", text, what, names)};
}

}  // namespace pintle::capi

using namespace pintle;
using namespace pintle::capi;

static_assert(PINTLE_COMPLEX64 == static_cast<int>(DType::complex64));
static_assert(PINTLE_DEVICE_SIMULATED == static_cast<int>(DeviceKind::simulated));
static_assert(PINTLE_FEATURE_OPTIONAL_BUFFERS == static_cast<int>(Feature::optional_buffers));
static_assert(PINTLE_SUPPORT_ABSENT == static_cast<int>(Support::absent));
static_assert(PINTLE_COLLECTIVE_BARRIER == static_cast<int>(Collective::Kind::barrier));
static_assert(PINTLE_REDUCE_LOGICAL_XOR == static_cast<int>(ReduceOp::logical_xor));
static_assert(PINTLE_ALGORITHM_NATIVE == static_cast<int>(Algorithm::native));

pintle_status pintle_dtype_name(uint32_t dtype, const char** name, pintle_error* error) {
  return enter(error, [&] { return answer_name(dtype, DType::complex64, "dtype", name); });
}

pintle_status pintle_dtype_parse(const char* name, uint32_t* dtype, pintle_error* error) {
  return enter(error, [&] { return answer_parsed(name, DType::complex64, "dtype", dtype); });
}

pintle_status pintle_dtype_bytes(uint32_t dtype, uint64_t* bytes, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(bytes, "bytes"));
    PINTLE_ASSIGN(asked, enumerator(dtype, DType::complex64, "dtype"));
    *bytes = bytes_of(asked);
    return {};
  });
}

pintle_status pintle_device_kind_name(uint32_t kind, const char** name, pintle_error* error) {
  return enter(error, [&] { return answer_name(kind, DeviceKind::simulated, "kind", name); });
}

pintle_status pintle_device_kind_parse(const char* name, uint32_t* kind, pintle_error* error) {
  return enter(error, [&] { return answer_parsed(name, DeviceKind::simulated, "kind", kind); });
}

pintle_status pintle_feature_name(uint32_t feature, const char** name, pintle_error* error) {
  return enter(error, [&] { return answer_name(feature, Feature::optional_buffers, "feature", name); });
}

pintle_status pintle_feature_parse(const char* name, uint32_t* feature, pintle_error* error) {
  return enter(error, [&] { return answer_parsed(name, Feature::optional_buffers, "feature", feature); });
}

pintle_status pintle_support_name(uint32_t support, const char** name, pintle_error* error) {
  return enter(error, [&] { return answer_name(support, Support::absent, "support", name); });
}

pintle_status pintle_support_parse(const char* name, uint32_t* support, pintle_error* error) {
  return enter(error, [&] { return answer_parsed(name, Support::absent, "support", support); });
}

pintle_status pintle_collective_kind_name(uint32_t kind, const char** name, pintle_error* error) {
  return enter(error, [&] { return answer_name(kind, Collective::Kind::barrier, "kind", name); });
}

pintle_status pintle_collective_kind_parse(const char* name, uint32_t* kind, pintle_error* error) {
  return enter(error, [&] { return answer_parsed(name, Collective::Kind::barrier, "kind", kind); });
}

pintle_status pintle_reduce_op_name(uint32_t op, const char** name, pintle_error* error) {
  return enter(error, [&] { return answer_name(op, ReduceOp::logical_xor, "operator", name); });
}

pintle_status pintle_reduce_op_parse(const char* name, uint32_t* op, pintle_error* error) {
  return enter(error, [&] { return answer_parsed(name, ReduceOp::logical_xor, "operator", op); });
}

pintle_status pintle_algorithm_name(uint32_t algorithm, const char** name, pintle_error* error) {
  return enter(error, [&] { return answer_name(algorithm, Algorithm::native, "algorithm", name); });
}

pintle_status pintle_algorithm_parse(const char* name, uint32_t* algorithm, pintle_error* error) {
  return enter(error, [&] { return answer_parsed(name, Algorithm::native, "algorithm", algorithm); });
}

pintle_status pintle_status_parse(const char* name, pintle_status* status, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(name, "name"));
    PINTLE_TRY(given(status, "status"));
    if (std::string_view(name) != "ok") return answer_parsed(name, Errc::internal, "status", status, "ok");
    *status = PINTLE_OK;
    return {};
  });
}
