/* Resources before one another: what each of them counts, refuses and says. */
#include <string.h>

#include "check.h"
#include "pintle/c/resource.h"
#include "transfer.h"

static char last_line[256];
static int lines;

static void noted(void* data, const char* line) {
  CHECK(data == last_line && strlen(line) < sizeof last_line);
  strcpy(last_line, line);
  ++lines;
}

static pintle_resource device_resource(pintle_device device) {
  pintle_resource resource;
  OK(pintle_device_resource(device, &resource, error));
  return resource;
}

static pintle_buffer from(pintle_resource resource, pintle_queue queue, uint64_t size, const char* label) {
  const pintle_buffer_options options = {.size = sizeof options, .label = label};
  pintle_buffer buffer;
  OK(pintle_resource_allocate(resource, queue, PINTLE_U8, 1, &size, &options, &buffer, error));
  return buffer;
}

static void refuse(pintle_resource resource, pintle_queue queue, uint64_t size) {
  pintle_buffer buffer = {7};
  FAILS(PINTLE_OUT_OF_MEMORY, pintle_resource_allocate(resource, queue, PINTLE_U8, 1, &size, NULL, &buffer, error));
  CHECK(buffer.id == 7);
}

static pintle_resource_info info_of(pintle_resource resource) {
  pintle_resource_info info = {.size = sizeof info, .failures = 77};
  OK(pintle_resource_get_info(resource, &info, error));
  CHECK(info.size == sizeof info);
  return info;
}

static void a_device_makes_buffers(pintle_device device, pintle_queue queue) {
  const pintle_resource resource = device_resource(device);
  const uint64_t dims[] = {2, 3};
  float values[6] = {1, 2, 3, 4, 5, 6}, seen[6];
  pintle_buffer_info info = {.size = sizeof info};
  pintle_buffer buffer;
  CHECK(info_of(resource).kind == PINTLE_RESOURCE_DEVICE && info_of(resource).failures == 0);
  OK(pintle_resource_allocate(resource, queue, PINTLE_F32, 2, dims, NULL, &buffer, error));
  OK(pintle_resource_release(resource, error));
  FAILS(PINTLE_STALE, pintle_resource_release(resource, error));
  OK(pintle_buffer_get_info(buffer, &info, error));
  CHECK(info.rank == 2 && info.dims[1] == 3 && info.bytes == sizeof values);
  write_buffer(queue, buffer, values, sizeof values);
  read_buffer(queue, buffer, seen, sizeof seen);
  CHECK(memcmp(values, seen, sizeof seen) == 0);
  OK(pintle_buffer_release(buffer, error));
}

/* A limit before a tally before a log before the device; what lies behind is kept. */
static void each_has_one_idea(pintle_device device, pintle_queue queue) {
  const pintle_resource plain = device_resource(device);
  pintle_resource log, counted, limit;
  OK(pintle_resource_log(plain, noted, last_line, &log, error));
  OK(pintle_resource_tally(log, &counted, error));
  OK(pintle_resource_limit(counted, 100, &limit, error));
  OK(pintle_resource_release(plain, error));
  OK(pintle_resource_release(log, error));
  const pintle_buffer first = from(limit, queue, 60, "first"), second = from(limit, queue, 40, "second");
  CHECK(lines == 2 && strstr(last_line, "allocated 40 bytes") != NULL && strstr(last_line, "\"second\"") != NULL);
  refuse(limit, queue, 1);
  pintle_resource_info info = info_of(limit);
  CHECK(info.kind == PINTLE_RESOURCE_LIMIT && info.limit == 100 && info.in_use == 100 && info.buffers == 0);
  OK(pintle_buffer_release(first, error));
  CHECK(lines == 3 && strstr(last_line, "freed 60 bytes") != NULL && strstr(last_line, "\"first\"") != NULL);
  CHECK(info_of(limit).in_use == 40);
  OK(pintle_resource_release(limit, error));
  info = info_of(counted);
  CHECK(info.kind == PINTLE_RESOURCE_TALLY && info.buffers == 1 && info.bytes == 40 && info.failures == 0);
  CHECK(info.peak_buffers == 2 && info.peak_bytes == 100 && info.all_buffers == 2 && info.all_bytes == 100);
  OK(pintle_resource_release(counted, error));
  OK(pintle_buffer_release(second, error));
  CHECK(lines == 4 && strstr(last_line, "freed 40 bytes") != NULL);
}

static void the_largest_holder_is_first(pintle_device device, pintle_queue queue) {
  const pintle_resource plain = device_resource(device);
  pintle_holder holder = {.size = sizeof holder};
  pintle_resource track;
  pintle_holder_list list = {7};
  size_t holders = 0;
  OK(pintle_resource_track(plain, &track, error));
  const pintle_buffer small = from(track, queue, 10, "small"), large = from(track, queue, 1000, "large");
  OK(pintle_resource_holders(track, &list, error));
  OK(pintle_buffer_release(small, error));
  OK(pintle_holder_list_count(list, &holders, error));
  CHECK(holders == 2);
  OK(pintle_holder_list_holder(list, 0, &holder, error));
  CHECK(holder.bytes == 1000 && strstr(holder.buffer, "\"large\"") != NULL);
  OK(pintle_holder_list_holder(list, 1, &holder, error));
  CHECK(holder.bytes == 10 && strstr(holder.buffer, "\"small\"") != NULL);
  OK(pintle_holder_list_release(list, error));
  OK(pintle_resource_holders(track, &list, error));
  OK(pintle_holder_list_count(list, &holders, error));
  CHECK(holders == 1);
  OK(pintle_holder_list_release(list, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_resource_holders(plain, &list, error));
  OK(pintle_buffer_release(large, error));
  OK(pintle_resource_release(track, error));
  OK(pintle_resource_release(plain, error));
}

static void chosen_requests_fail(pintle_device device, pintle_queue queue) {
  const pintle_resource plain = device_resource(device);
  pintle_resource after_one, all, none, counted;
  OK(pintle_resource_fail(plain, 0, 1, &after_one, error));
  OK(pintle_resource_tally(after_one, &counted, error));
  const pintle_buffer first = from(counted, queue, 8, NULL);
  refuse(counted, queue, 8); /* two requests */
  CHECK(info_of(after_one).kind == PINTLE_RESOURCE_FAIL && info_of(after_one).requests == 3);
  CHECK(info_of(counted).failures == 2 && info_of(counted).buffers == 1);
  OK(pintle_resource_fail(plain, 1, UINT64_MAX, &all, error));
  refuse(all, queue, 8);
  OK(pintle_resource_fail(plain, 0, UINT64_MAX, &none, error));
  const pintle_buffer second = from(none, queue, 8, NULL);
  OK(pintle_buffer_release(first, error));
  OK(pintle_buffer_release(second, error));
  const pintle_resource made[] = {plain, after_one, all, none, counted};
  for (int i = 0; i < 5; ++i) OK(pintle_resource_release(made[i], error));
}

/* A source of the program's: it hands on to another resource, and says no to large buffers. */
struct source {
  pintle_resource upstream;
  int requests, ends;
};

static pintle_status handed_on(void* data, const pintle_resource_request* request, pintle_buffer* buffer,
                               pintle_error* error) {
  struct source* const its = data;
  ++its->requests;
  CHECK(request->size == sizeof *request && request->rank == 1 && request->options != NULL);
  if (request->dims[0] > 100) return PINTLE_OUT_OF_MEMORY;
  if (request->dims[0] == 99) return PINTLE_OK; /* and no buffer */
  const uint64_t wrong = 1, *const dims = request->dims[0] == 98 ? &wrong : request->dims;
  return pintle_resource_allocate(its->upstream, request->queue, request->dtype, (size_t)request->rank, dims,
                                  request->options, buffer, error);
}

static void ended(void* data) { ++((struct source*)data)->ends; }

static void a_program_has_a_source_of_its_own(pintle_device device, pintle_queue queue) {
  struct source its = {device_resource(device), 0, 0}, behind = {{0}, 0, 0};
  pintle_resource own, limit, broken;
  pintle_buffer none = {7};
  const uint64_t sizes[] = {99, 98};
  OK(pintle_resource_create(handed_on, ended, &its, &own, error));
  CHECK(info_of(own).kind == PINTLE_RESOURCE_CALLER);
  OK(pintle_resource_limit(own, 60, &limit, error));
  const pintle_buffer buffer = from(limit, queue, 50, "mine");
  CHECK(its.requests == 1);
  fill_view(queue, (pintle_view){.size = sizeof(pintle_view), .dtype = PINTLE_F32, .buffer = buffer, .bytes = 48}, 3);
  refuse(limit, queue, 20);
  CHECK(its.requests == 1);
  refuse(own, queue, 101); /* two requests */
  CHECK(its.requests == 3);
  for (int i = 0; i < 2; ++i)
    FAILS(PINTLE_INVALID_ARGUMENT, pintle_resource_allocate(own, queue, PINTLE_U8, 1, &sizes[i], NULL, &none, error));
  OK(pintle_resource_create(handed_on, NULL, &behind, &broken, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_resource_allocate(broken, queue, PINTLE_U8, 1, &sizes[1], NULL, &none, error));
  OK(pintle_resource_release(broken, error));
  OK(pintle_resource_release(own, error));
  CHECK(its.ends == 0 && behind.ends == 0);
  OK(pintle_resource_release(limit, error));
  CHECK(its.ends == 1 && none.id == 7);
  OK(pintle_buffer_release(buffer, error));
  OK(pintle_resource_release(its.upstream, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_resource_create(NULL, ended, &its, &own, error));
}

static void wrong_values_are_refused(pintle_device device, pintle_queue queue) {
  const pintle_resource plain = device_resource(device), empty = {0};
  const uint64_t one = 1;
  pintle_resource_info info = {.size = 8};
  pintle_resource made = {7};
  pintle_buffer buffer = {7};
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_resource_limit(empty, 1, &made, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_resource_log(plain, NULL, NULL, &made, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_resource_track((pintle_resource){queue.id}, &made, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_resource_tally(plain, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_resource_get_info(plain, &info, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_resource_allocate(plain, queue, 17, 1, &one, NULL, &buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_resource_allocate(plain, queue, PINTLE_U8, 1, NULL, NULL, &buffer, error));
  CHECK(made.id == 7 && buffer.id == 7);
  OK(pintle_resource_release(plain, error));
}

int main(void) {
  const pintle_device device = opened();
  const pintle_queue queue = queue_on(device);
  a_device_makes_buffers(device, queue);
  each_has_one_idea(device, queue);
  the_largest_holder_is_first(device, queue);
  chosen_requests_fail(device, queue);
  a_program_has_a_source_of_its_own(device, queue);
  wrong_values_are_refused(device, queue);
  OK(pintle_queue_release(queue, error));
  OK(pintle_device_release(device, error));
  return 0;
}
