// Commands on buffers that each replay binds.
#include "capi/check.h"
#include "capi/list_step.h"
#include "capi/scalar_values.h"
#include "capi/values.h"

using namespace pintle;
using namespace pintle::capi;

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
    its.fill(target, element_at(value, type));
    return {};
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
