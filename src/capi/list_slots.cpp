// Commands on buffers that each replay binds.
#include <fmt/format.h>
#include <complex>
#include <cstdint>
#include <cstring>

#include "capi/check.h"
#include "capi/list_step.h"
#include "capi/values.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

template <class T>
Result<void> repeat(CommandList& list, Slot to, const void* value) {
  T element;
  std::memcpy(&element, value, sizeof element);
  list.fill(to, element);
  return {};
}

Result<void> fill(CommandList& list, Slot to, DType dtype, const void* value) {
  switch (dtype) {
    case DType::boolean: return repeat<bool>(list, to, value);
    case DType::i8: return repeat<std::int8_t>(list, to, value);
    case DType::i16: return repeat<std::int16_t>(list, to, value);
    case DType::i32: return repeat<std::int32_t>(list, to, value);
    case DType::i64: return repeat<std::int64_t>(list, to, value);
    case DType::u8: return repeat<std::uint8_t>(list, to, value);
    case DType::u16: return repeat<std::uint16_t>(list, to, value);
    case DType::u32: return repeat<std::uint32_t>(list, to, value);
    case DType::u64: return repeat<std::uint64_t>(list, to, value);
    case DType::f32: return repeat<float>(list, to, value);
    case DType::f64: return repeat<double>(list, to, value);
    case DType::complex64: return repeat<std::complex<float>>(list, to, value);
    default:
      return Error(Errc::unsupported,
                   fmt::format("A slot is not filled with elements of {}, which C++ has no type for.", name(dtype)));
  }
}

}  // namespace

pintle_status pintle_list_copy_from_slot(pintle_list list, const pintle_view* to, uint32_t from, pintle_error* error) {
  return with_list(list, error, [&](CommandList& its) -> Result<void> {
    PINTLE_ASSIGN(target, view_of(to));
    PINTLE_ASSIGN(source, slot_of(from));
    its.copy(target, source);
    return {};
  });
}

pintle_status pintle_list_copy_to_slot(pintle_list list, uint32_t to, const pintle_view* from, pintle_error* error) {
  return with_list(list, error, [&](CommandList& its) -> Result<void> {
    PINTLE_ASSIGN(target, slot_of(to));
    PINTLE_ASSIGN(source, view_of(from));
    its.copy(target, source);
    return {};
  });
}

pintle_status pintle_list_copy_slots(pintle_list list, uint32_t to, uint32_t from, pintle_error* error) {
  return with_list(list, error, [&](CommandList& its) -> Result<void> {
    PINTLE_ASSIGN(target, slot_of(to));
    PINTLE_ASSIGN(source, slot_of(from));
    its.copy(target, source);
    return {};
  });
}

pintle_status pintle_list_fill_slot(pintle_list list, uint32_t to, uint32_t dtype, const void* value,
                                    pintle_error* error) {
  return with_list(list, error, [&](CommandList& its) -> Result<void> {
    PINTLE_TRY(given(value, "value"));
    PINTLE_ASSIGN(type, enumerator(dtype, DType::complex64, "dtype"));
    PINTLE_ASSIGN(target, slot_of(to));
    return fill(its, target, type, value);
  });
}

pintle_status pintle_list_uses_slot(pintle_list list, uint32_t slot, uint32_t access, pintle_error* error) {
  return with_list(list, error, [&](CommandList& its) -> Result<void> {
    PINTLE_ASSIGN(used, slot_of(slot));
    PINTLE_ASSIGN(how, enumerator(access, Access::read_write, "access"));
    its.uses(used, how);
    return {};
  });
}

pintle_status pintle_list_timestamp_slot(pintle_list list, uint32_t to, pintle_error* error) {
  return with_list(list, error, [&](CommandList& its) -> Result<void> {
    PINTLE_ASSIGN(target, slot_of(to));
    its.timestamp(target);
    return {};
  });
}
