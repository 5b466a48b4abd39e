/* Devices: what is known of those that are listed and of one that is open, its loss and its next generation. */
#include <string.h>

#include "check.h"
#include "pintle/c/device_list.h"
#include "pintle/c/memory.h"
#include "transfer.h"

static size_t device_count(pintle_device_list list) {
  size_t devices = 0;
  OK(pintle_device_list_count(list, &devices, NULL, error));
  CHECK(devices > 0);
  return devices;
}

/* The place of the cpu in a list. */
static size_t cpu_in(pintle_device_list list) {
  pintle_device_info info = {.size = sizeof info};
  for (size_t i = 0;; ++i) {
    CHECK(i < device_count(list));
    OK(pintle_device_list_device(list, i, &info, error));
    if (strcmp(info.id, "cpu") == 0) return i;
  }
}

static void formats_are_those_of_the_open_device(pintle_device_list list, size_t cpu, pintle_device device) {
  size_t listed = 0, formats = 0, targets = 0;
  const char *one = NULL, *other = NULL;
  OK(pintle_device_list_format_count(list, cpu, &listed, error));
  OK(pintle_device_format_count(device, &formats, error));
  CHECK(listed == formats && formats > 0);
  for (size_t i = 0; i < formats; ++i) {
    OK(pintle_device_list_format_name(list, cpu, i, &one, error));
    OK(pintle_device_format_name(device, i, &other, error));
    CHECK(strcmp(one, other) == 0);
  }
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_list_format_name(list, cpu, formats, &one, error));
  OK(pintle_device_list_target_count(list, cpu, &listed, error));
  OK(pintle_device_target_count(device, &targets, error));
  CHECK(listed == targets);
  for (size_t i = 0; i < targets; ++i) {
    OK(pintle_device_list_target_name(list, cpu, i, &one, error));
    OK(pintle_device_target_name(device, i, &other, error));
    CHECK(strcmp(one, other) == 0);
  }
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_list_target_name(list, cpu, targets, &one, error));
}

static void absent_formats_say_why(pintle_device_list list, size_t cpu, pintle_device device) {
  size_t listed = 0, absent = 0;
  pintle_absent_format one = {.size = sizeof one}, other = {.size = sizeof other};
  OK(pintle_device_list_absent_format_count(list, cpu, &listed, error));
  OK(pintle_device_absent_format_count(device, &absent, error));
  CHECK(listed == absent);
  for (size_t i = 0; i < absent; ++i) {
    OK(pintle_device_list_absent_format(list, cpu, i, &one, error));
    OK(pintle_device_absent_format(device, i, &other, error));
    CHECK(strcmp(one.format, other.format) == 0 && one.format[0] != 0 && one.reason[0] != 0);
  }
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_list_absent_format(list, cpu, absent, &one, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_absent_format(device, absent, &one, error));
}

static void abilities_are_those_of_the_open_device(pintle_device_list list, size_t cpu, pintle_device device) {
  for (uint32_t feature = 1; feature <= PINTLE_FEATURE_OPTIONAL_BUFFERS; ++feature) {
    pintle_capability one = {.size = sizeof one}, other = {.size = sizeof other};
    OK(pintle_device_list_capability(list, cpu, feature, &one, error));
    OK(pintle_device_capability(device, feature, &other, error));
    CHECK(one.support == other.support && strcmp(one.detail, other.detail) == 0);
  }
  pintle_texel_support one = {.size = sizeof one}, other = {.size = sizeof other};
  OK(pintle_device_list_texel_support(list, cpu, PINTLE_TEXEL_RGBA8, &one, error));
  OK(pintle_device_texel_support(device, PINTLE_TEXEL_RGBA8, &other, error));
  CHECK(one.image_access == other.image_access && one.buffer_access == other.buffer_access);
  pintle_image_limits limit = {.size = sizeof limit}, same = {.size = sizeof same};
  OK(pintle_device_list_image_limits(list, cpu, &limit, error));
  OK(pintle_device_image_limits(device, &same, error));
  CHECK(limit.max_image_2d == same.max_image_2d && limit.texel_alignment == same.texel_alignment);
}

/* Elements of a later version of the interface are longer. */
typedef struct longer_capability {
  pintle_capability its;
  uint64_t later;
} longer_capability;

static void expect_capability(pintle_device device, uint32_t feature, const pintle_capability* found) {
  pintle_capability one = {.size = sizeof one};
  OK(pintle_device_capability(device, feature, &one, error));
  CHECK(found->support == one.support && strcmp(found->detail, one.detail) == 0);
}

static void all_capabilities_come_at_once(pintle_device device) {
  enum { features = PINTLE_FEATURE_OPTIONAL_BUFFERS, room = features + 3 };
  pintle_capability all[room] = {{.size = sizeof *all}},
                    few[3] = {{.size = sizeof *few}, {.support = 77}, {.support = 77}};
  longer_capability longer[room] = {{.its = {.size = sizeof *longer}}};
  size_t number = 0;
  OK(pintle_device_capabilities(device, all, room, &number, error));
  CHECK(number == features && all[features].size == 0);
  OK(pintle_device_capabilities(device, &longer[0].its, room, &number, error));
  for (uint32_t i = 0; i < features; ++i) {
    expect_capability(device, i + 1, &all[i]);
    expect_capability(device, i + 1, &longer[i].its);
    CHECK(all[i].size == sizeof all[i] && longer[i].its.size == sizeof longer[i] && longer[i].later == 0);
  }
  number = 0;
  OK(pintle_device_capabilities(device, few, 2, &number, error));
  CHECK(number == features && few[1].support != 77 && few[2].support == 77);
  OK(pintle_device_capabilities(device, NULL, 0, &number, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_capabilities(device, NULL, 1, &number, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_capabilities(device, all, room, NULL, error));
  all[0].size = 7;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_capabilities(device, all, room, &number, error));
}

static void listed_devices_say_what_they_can(pintle_device device) {
  const char* id = NULL;
  pintle_capability capability = {.size = sizeof capability};
  pintle_device_list list;
  OK(pintle_devices_list(&list, error));
  const size_t cpu = cpu_in(list);
  OK(pintle_device_list_id_by_name(list, cpu, &id, error));
  CHECK(strcmp(id, "cpu") == 0); /* alone in its backend */
  formats_are_those_of_the_open_device(list, cpu, device);
  absent_formats_say_why(list, cpu, device);
  abilities_are_those_of_the_open_device(list, cpu, device);
  const size_t beyond = device_count(list);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_list_id_by_name(list, beyond, &id, error));
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_device_list_capability(list, beyond, PINTLE_FEATURE_EXECUTION, &capability, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_list_capability(list, cpu, 99, &capability, error));
  OK(pintle_device_list_release(list, error));
}

static void heaps_have_figures(pintle_device device) {
  size_t heaps = 0;
  pintle_heap heap = {.size = sizeof heap};
  pintle_heap_list list;
  OK(pintle_device_budget(device, &list, error));
  OK(pintle_heap_list_count(list, &heaps, error));
  CHECK(heaps > 0);
  for (size_t i = 0; i < heaps; ++i) {
    OK(pintle_heap_list_heap(list, i, &heap, error));
    CHECK(heap.size == sizeof heap && heap.total > 0 && heap.name != NULL && heap.source[0] != 0);
    CHECK(heap.is_available_known <= 1 && (heap.is_available_known == 1 || heap.available == 0));
  }
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_heap_list_heap(list, heaps, &heap, error));
  OK(pintle_heap_list_release(list, error));
  FAILS(PINTLE_STALE, pintle_heap_list_count(list, &heaps, error));
}

static uint64_t generation_of(pintle_device device) {
  uint64_t generation = 0;
  OK(pintle_device_generation(device, &generation, error));
  return generation;
}

/* The first submission to this device loses it. */
static void a_lost_device_has_another_generation(void) {
  pintle_device device;
  pintle_list list;
  pintle_point done = {.size = sizeof done};
  OK(pintle_device_open("faulty(cpu)?call=submit&ordinal=1&code=device_lost", &device, error));
  const uint64_t first = generation_of(device);
  const pintle_buffer buffer = buffer_on(device);
  const pintle_queue queue = queue_on(device);
  OK(pintle_list_create(&list, error));
  if (pintle_queue_submit(queue, list, NULL, &done, NULL) == PINTLE_OK)
    CHECK(pintle_point_wait(&done, PINTLE_TIMEOUT_DEFAULT, NULL) == PINTLE_DEVICE_LOST);
  FAILS(PINTLE_DEVICE_LOST, pintle_device_health(device, error));
  OK(pintle_device_recover(device, error));
  OK(pintle_device_health(device, error));
  CHECK(generation_of(device) == first + 1);
  OK(pintle_device_recover(device, error)); /* nothing to do */
  CHECK(generation_of(device) == first + 1);
  const pintle_queue next = queue_on(device);
  const pintle_view old = all_of(buffer);
  FAILS(PINTLE_STALE, pintle_queue_check(next, &old, PINTLE_ACCESS_WRITE, error));
  const pintle_buffer fresh = buffer_on(device);
  fill_buffer(next, fresh, 3);
  OK(pintle_buffer_release(fresh, error));
  OK(pintle_buffer_release(buffer, error));
  OK(pintle_queue_release(queue, error));
  OK(pintle_queue_release(next, error));
  OK(pintle_device_release(device, error));
}

int main(void) {
  const pintle_device device = opened();
  listed_devices_say_what_they_can(device);
  all_capabilities_come_at_once(device);
  heaps_have_figures(device);
  OK(pintle_device_release(device, error));
  a_lost_device_has_another_generation();
  return 0;
}
