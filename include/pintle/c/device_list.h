/* What is known of a listed device, which is not opened. `list` is what pintle_devices_list found, and `index` a device
 * of it; PINTLE_INVALID_ARGUMENT is the answer to an index beyond the end. The strings live as long as the list. */
#ifndef PINTLE_C_DEVICE_LIST_H
#define PINTLE_C_DEVICE_LIST_H

#include "pintle/c/device.h"
#include "pintle/c/image.h"
#include "pintle/c/load.h"
#include "pintle/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The device's id by its name, "opencl:pocl" for "opencl:0": pintle_device_open takes both, but an ordinal shifts when
 * another driver is installed. A device that is alone in its backend keeps its own id, and so does one whose driver and
 * name have no word, nor two, that it alone has. Any thread. */
PINTLE_C_API pintle_status pintle_device_list_id_by_name(pintle_device_list list, size_t index, const char** id,
                                                         pintle_error* error);
/* As pintle_device_capability. Any thread. */
PINTLE_C_API pintle_status pintle_device_list_capability(pintle_device_list list, size_t index, uint32_t feature,
                                                         pintle_capability* capability, pintle_error* error);
/* As pintle_device_format_count. Any thread. */
PINTLE_C_API pintle_status pintle_device_list_format_count(pintle_device_list list, size_t index, size_t* count,
                                                           pintle_error* error);
/* As pintle_device_format_name. Any thread. */
PINTLE_C_API pintle_status pintle_device_list_format_name(pintle_device_list list, size_t index, size_t format,
                                                          const char** name, pintle_error* error);
/* As pintle_device_absent_format_count. Any thread. */
PINTLE_C_API pintle_status pintle_device_list_absent_format_count(pintle_device_list list, size_t index, size_t* count,
                                                                  pintle_error* error);
/* As pintle_device_absent_format; `absence` is the number of the format. Any thread. */
PINTLE_C_API pintle_status pintle_device_list_absent_format(pintle_device_list list, size_t index, size_t absence,
                                                            pintle_absent_format* format, pintle_error* error);
/* As pintle_device_target_count. Any thread. */
PINTLE_C_API pintle_status pintle_device_list_target_count(pintle_device_list list, size_t index, size_t* count,
                                                           pintle_error* error);
/* As pintle_device_target_name. Any thread. */
PINTLE_C_API pintle_status pintle_device_list_target_name(pintle_device_list list, size_t index, size_t target,
                                                          const char** name, pintle_error* error);
/* As pintle_device_texel_support. Any thread. */
PINTLE_C_API pintle_status pintle_device_list_texel_support(pintle_device_list list, size_t index, uint32_t texel,
                                                            pintle_texel_support* support, pintle_error* error);
/* As pintle_device_image_limits. Any thread. */
PINTLE_C_API pintle_status pintle_device_list_image_limits(pintle_device_list list, size_t index,
                                                           pintle_image_limits* limits, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
