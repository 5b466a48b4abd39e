// Devices of a list, which are not opened.
#include "pintle/c/device_list.h"

#include "capi/check.h"
#include "capi/device_values.h"
#include "capi/objects.h"
#include "capi/with.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

/// `body(info)` answers a Result<void>.
template <class Body>
pintle_status with_listed(pintle_device_list list, std::size_t index, pintle_error* error, Body body) {
  return with(list, error, [&](const ListedDevices& its) -> Result<void> {
    PINTLE_TRY(within(index, its.devices.size(), "device"));
    return body(its.devices[index]);
  });
}

}  // namespace

pintle_status pintle_device_list_id_by_name(pintle_device_list list, size_t index, const char** id,
                                            pintle_error* error) {
  return with(list, error, [&](const ListedDevices& its) -> Result<void> {
    PINTLE_TRY(given(id, "id"));
    PINTLE_TRY(within(index, its.names.size(), "device"));
    *id = its.names[index].c_str();
    return {};
  });
}

pintle_status pintle_device_list_capability(pintle_device_list list, size_t index, uint32_t feature,
                                            pintle_capability* capability, pintle_error* error) {
  return with_listed(list, index, error,
                     [&](const DeviceInfo& info) { return answer_capability(info, feature, capability); });
}

pintle_status pintle_device_list_format_count(pintle_device_list list, size_t index, size_t* count,
                                              pintle_error* error) {
  return with_listed(list, index, error, [&](const DeviceInfo& info) { return answer_count(info.formats, count); });
}

pintle_status pintle_device_list_format_name(pintle_device_list list, size_t index, size_t format, const char** name,
                                             pintle_error* error) {
  return with_listed(list, index, error,
                     [&](const DeviceInfo& info) { return answer_text(info.formats, "format", format, name); });
}

pintle_status pintle_device_list_absent_format_count(pintle_device_list list, size_t index, size_t* count,
                                                     pintle_error* error) {
  return with_listed(list, index, error,
                     [&](const DeviceInfo& info) { return answer_count(info.absent_formats, count); });
}

pintle_status pintle_device_list_absent_format(pintle_device_list list, size_t index, size_t absence,
                                               pintle_absent_format* format, pintle_error* error) {
  return with_listed(list, index, error,
                     [&](const DeviceInfo& info) { return answer_absent_format(info, absence, format); });
}

pintle_status pintle_device_list_target_count(pintle_device_list list, size_t index, size_t* count,
                                              pintle_error* error) {
  return with_listed(list, index, error,
                     [&](const DeviceInfo& info) { return answer_count(info.better_targets, count); });
}

pintle_status pintle_device_list_target_name(pintle_device_list list, size_t index, size_t target, const char** name,
                                             pintle_error* error) {
  return with_listed(list, index, error,
                     [&](const DeviceInfo& info) { return answer_text(info.better_targets, "target", target, name); });
}

pintle_status pintle_device_list_texel_support(pintle_device_list list, size_t index, uint32_t texel,
                                               pintle_texel_support* support, pintle_error* error) {
  return with_listed(list, index, error,
                     [&](const DeviceInfo& info) { return answer_texel_support(info, texel, support); });
}

pintle_status pintle_device_list_image_limits(pintle_device_list list, size_t index, pintle_image_limits* limits,
                                              pintle_error* error) {
  return with_listed(list, index, error, [&](const DeviceInfo& info) { return answer_image_limits(info, limits); });
}
