// Devices.
#include <string>
#include <utility>
#include <vector>

#include "capi/check.h"
#include "capi/device_values.h"
#include "capi/memory_objects.h"
#include "capi/objects.h"
#include "capi/structs.h"
#include "capi/with.h"
#include "pintle/device_name.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

void fill(pintle_device_info& out, const DeviceInfo& info) noexcept {
  const Limits& limits = info.limits;
  out.kind = static_cast<std::uint32_t>(info.kind);
  out.id = info.id.c_str();
  out.backend = info.backend.c_str();
  out.uuid = info.uuid.c_str();
  out.name = info.name.c_str();
  out.driver = info.driver.c_str();
  out.target = info.target.c_str();
  out.max_allocation = limits.max_allocation;
  out.max_binding = limits.max_binding;
  out.offset_alignment = limits.offset_alignment;
  const auto copy = [](std::uint32_t(&to)[3], const Grid& from) {
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
  };
  copy(out.max_groups, limits.max_grid);
  copy(out.max_group, limits.max_group);
  out.max_group_items = limits.max_group_items;
  out.max_local_bytes = limits.max_local_bytes;
  out.max_buffers = limits.max_buffers;
  out.max_scalar_bytes = limits.max_scalar_bytes;
  out.max_in_flight = limits.max_in_flight;
  out.min_subgroup = limits.min_subgroup;
  out.max_subgroup = limits.max_subgroup;
  out.is_driven = info.progress == Progress::driven ? 1 : 0;
  out.nanoseconds_per_tick = info.nanoseconds_per_tick;
}

void fill(pintle_heap& out, const Heap& heap) noexcept {
  out.is_available_known = heap.available ? 1 : 0;
  out.name = heap.name.c_str();
  out.total = heap.total;
  out.available = heap.available.value_or(0);
  out.used = heap.used;
  out.source = heap.source.c_str();
}

}  // namespace

pintle_status pintle_devices_list(pintle_device_list* list, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(list, "list"));
    PINTLE_ASSIGN(found, devices());
    std::vector<std::string> names = ids_by_name(found.devices);
    if (names.size() != found.devices.size()) return Error(Errc::out_of_memory, "Host memory ran out.");
    return make(list, ListedDevices{std::move(found), std::move(names)});
  });
}

pintle_status pintle_device_list_count(pintle_device_list list, size_t* devices, size_t* absences,
                                       pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(its, use(list));
    if (devices != nullptr) *devices = its->devices.size();
    if (absences != nullptr) *absences = its->absences.size();
    return {};
  });
}

pintle_status pintle_device_list_device(pintle_device_list list, size_t index, pintle_device_info* info,
                                        pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(out, writable(info, "pintle_device_info"));
    PINTLE_ASSIGN(its, use(list));
    PINTLE_TRY(within(index, its->devices.size(), "device"));
    fill(*out, its->devices[index]);
    return {};
  });
}

pintle_status pintle_device_list_absence(pintle_device_list list, size_t index, pintle_absence* absence,
                                         pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(out, writable(absence, "pintle_absence"));
    PINTLE_ASSIGN(its, use(list));
    PINTLE_TRY(within(index, its->absences.size(), "absence"));
    const Absence& found = its->absences[index];
    out->backend = found.backend.c_str();
    out->reason = found.reason.c_str();
    out->next_step = found.next_step.c_str();
    return {};
  });
}

pintle_status pintle_device_list_release(pintle_device_list list, pintle_error* error) {
  return enter(error, [&] { return release(list); });
}

pintle_status pintle_device_open(const char* id, pintle_device* device, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(id, "id"));
    PINTLE_TRY(given(device, "device"));
    PINTLE_ASSIGN(opened, open(id));
    return make(device, std::move(opened));
  });
}

pintle_status pintle_device_open_for(const char* id, pintle_pack pack, pintle_device* device, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(id, "id"));
    PINTLE_TRY(given(device, "device"));
    PINTLE_ASSIGN(variants, use(pack));
    PINTLE_ASSIGN(opened, open(id, *variants));
    return make(device, std::move(opened));
  });
}

pintle_status pintle_device_get_info(pintle_device device, pintle_device_info* info, pintle_error* error) {
  return with(device, error, [&](const Device& its) -> Result<void> {
    PINTLE_ASSIGN(out, writable(info, "pintle_device_info"));
    fill(*out, its.info());
    return {};
  });
}

pintle_status pintle_device_capability(pintle_device device, uint32_t feature, pintle_capability* capability,
                                       pintle_error* error) {
  return with(device, error, [&](const Device& its) { return answer_capability(its.info(), feature, capability); });
}

pintle_status pintle_device_capabilities(pintle_device device, pintle_capability* capabilities, size_t room,
                                         size_t* count, pintle_error* error) {
  return with(device, error,
              [&](const Device& its) { return answer_capabilities(its.info(), capabilities, room, count); });
}

pintle_status pintle_device_budget(pintle_device device, pintle_heap_list* list, pintle_error* error) {
  return with(device, error, [&](const Device& its) -> Result<void> {
    PINTLE_TRY(given(list, "list"));
    PINTLE_ASSIGN(heaps, its.budget());
    return make(list, std::move(heaps));
  });
}

pintle_status pintle_heap_list_count(pintle_heap_list list, size_t* count, pintle_error* error) {
  return with(list, error, [&](const HeapList& its) { return answer_count(its, count); });
}

pintle_status pintle_heap_list_heap(pintle_heap_list list, size_t index, pintle_heap* heap, pintle_error* error) {
  return with(list, error, [&](const HeapList& its) -> Result<void> {
    PINTLE_ASSIGN(out, writable(heap, "pintle_heap"));
    PINTLE_TRY(within(index, its.size(), "heap"));
    fill(*out, its[index]);
    return {};
  });
}

pintle_status pintle_heap_list_release(pintle_heap_list list, pintle_error* error) {
  return enter(error, [&] { return release(list); });
}

pintle_status pintle_device_generation(pintle_device device, uint64_t* generation, pintle_error* error) {
  return with(device, error, [&](const Device& its) -> Result<void> {
    PINTLE_TRY(given(generation, "generation"));
    *generation = its.generation();
    return {};
  });
}

pintle_status pintle_device_poll(pintle_device device, pintle_error* error) {
  return with(device, error, [](const Device& its) { return its.poll(); });
}

pintle_status pintle_device_wait_idle(pintle_device device, int64_t timeout, pintle_error* error) {
  return with(device, error, [&](const Device& its) -> Result<void> {
    PINTLE_ASSIGN(bound, timeout_of(timeout));
    return its.wait_idle(bound);
  });
}

pintle_status pintle_device_health(pintle_device device, pintle_error* error) {
  return with(device, error, [](const Device& its) { return its.health(); });
}

pintle_status pintle_device_recover(pintle_device device, pintle_error* error) {
  return with(device, error, [](const Device& its) { return its.recover(); });
}

pintle_status pintle_device_release(pintle_device device, pintle_error* error) {
  return enter(error, [&] { return release(device); });
}
