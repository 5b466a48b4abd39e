/* Pools: reuse in the order of a queue, caps and what happens at them, figures, holders. */
#include <string.h>

#include "check.h"
#include "pintle/c/bytes.h"
#include "pintle/c/pool.h"
#include "transfer.h"

enum { bytes = 16384, elements = bytes / 4 };

static float seen[elements];
static const uint64_t dims = elements;

static pintle_pool_options small_options(void) {
  const pintle_pool_options options = {.size = sizeof options, .block = bytes, .label = "small", .patience = 1};
  return options;
}

static pintle_pool pool_of(pintle_device device, const pintle_pool_options* options) {
  pintle_pool pool;
  OK(pintle_pool_create(device, options, &pool, error));
  return pool;
}

static pintle_buffer from(pintle_pool pool, pintle_queue queue, const char* label) {
  const pintle_buffer_options options = {.size = sizeof options, .label = label};
  pintle_buffer buffer;
  OK(pintle_pool_allocate(pool, queue, PINTLE_F32, 1, &dims, &options, &buffer, error));
  return buffer;
}

static pintle_pool_statistics statistics_of(pintle_pool pool) {
  pintle_pool_statistics now = {.size = sizeof now};
  OK(pintle_pool_get_statistics(pool, &now, error));
  return now;
}

static void memory_is_used_again(pintle_device device, pintle_queue queue) {
  const pintle_pool_options options = small_options();
  const pintle_pool pool = pool_of(device, &options);
  CHECK(statistics_of(pool).held == 0);
  const pintle_buffer first = from(pool, queue, NULL);
  pintle_pool_statistics now = statistics_of(pool);
  CHECK(now.in_use == bytes && now.held == bytes && now.buffers == 1 && now.misses == 1 && now.allocations == 1);
  fill_buffer(queue, first, 5);
  OK(pintle_queue_free(queue, first, error));
  FAILS(PINTLE_STALE, pintle_buffer_release(first, error));
  FAILS(PINTLE_STALE, pintle_queue_free(queue, first, error));
  now = statistics_of(pool);
  CHECK(now.in_use == 0 && now.buffers == 0 && now.waiting == bytes && now.high_water == bytes);
  const pintle_buffer second = from(pool, queue, NULL);
  now = statistics_of(pool);
  CHECK(now.reuses == 1 && now.misses == 1 && now.allocations == 2 && now.held == bytes && now.waits == 0);
  fill_buffer(queue, second, 6);
  OK(pintle_pool_release(pool, error)); /* the buffer lives on */
  read_buffer(queue, second, seen, sizeof seen);
  for (int i = 0; i < elements; ++i) CHECK(seen[i] == 6);
  OK(pintle_buffer_release(second, error));
  FAILS(PINTLE_STALE, pintle_pool_get_statistics(pool, &now, error));
  FAILS(PINTLE_STALE, pintle_pool_release(pool, error));
}

static void unused_memory_goes_back(pintle_device device, pintle_queue queue) {
  const pintle_pool_options options = small_options();
  const pintle_pool pool = pool_of(device, &options);
  const pintle_buffer first = from(pool, queue, NULL), second = from(pool, queue, NULL);
  uint64_t given_back = 7;
  OK(pintle_pool_trim(pool, 0, &given_back, error));
  CHECK(given_back == 0);
  OK(pintle_buffer_release(first, error));
  OK(pintle_buffer_release(second, error));
  CHECK(statistics_of(pool).held == 2 * bytes && statistics_of(pool).high_held == 2 * bytes);
  OK(pintle_pool_trim(pool, bytes, &given_back, error));
  CHECK(given_back == bytes && statistics_of(pool).held == bytes);
  OK(pintle_pool_trim(pool, 0, NULL, error));
  CHECK(statistics_of(pool).held == 0 && statistics_of(pool).fragmentation == 0);
  OK(pintle_pool_release(pool, error));
}

static void scrubbing_leaves_zeros(pintle_device device, pintle_queue queue) {
  pintle_pool_options options = small_options();
  options.scrub = PINTLE_SCRUB_ZEROS;
  options.placement = PINTLE_PLACEMENT_HOST;
  const pintle_pool pool = pool_of(device, &options);
  const pintle_buffer first = from(pool, queue, NULL);
  fill_buffer(queue, first, 7);
  OK(pintle_queue_free(queue, first, error));
  const pintle_buffer second = from(pool, queue, NULL);
  CHECK(statistics_of(pool).reuses == 1);
  memset(seen, 1, sizeof seen);
  read_buffer(queue, second, seen, sizeof seen);
  for (int i = 0; i < elements; ++i) CHECK(seen[i] == 0);
  OK(pintle_buffer_release(second, error));
  OK(pintle_pool_release(pool, error));
}

struct reserve {
  pintle_buffer buffers[2];
  int left, asked;
  pintle_pool_exhaustion first;
};

static uint32_t give_up_one(void* data, const pintle_pool_exhaustion* exhaustion) {
  struct reserve* const reserve = data;
  if (reserve->asked++ == 0) reserve->first = *exhaustion;
  if (reserve->left == 0) return 0;
  OK(pintle_buffer_release(reserve->buffers[--reserve->left], error));
  return 1;
}

static void a_callback_makes_room(pintle_device device, pintle_queue queue) {
  const uint64_t large = 4 * elements;
  struct reserve reserve = {.left = 2};
  pintle_pool_options options = small_options();
  pintle_buffer buffer = {7};
  options.cap = 2 * bytes;
  options.on_exhausted = give_up_one;
  options.data = &reserve;
  const pintle_pool pool = pool_of(device, &options);
  for (int i = 0; i < 2; ++i) reserve.buffers[i] = from(pool, queue, NULL);
  const pintle_buffer third = from(pool, queue, NULL);
  CHECK(reserve.asked == 1 && reserve.left == 1 && reserve.first.size == sizeof reserve.first);
  CHECK(reserve.first.requested == bytes && reserve.first.in_use == 2 * bytes && reserve.first.held == 2 * bytes);
  CHECK(reserve.first.cap == 2 * bytes && reserve.first.largest_free == 0);
  FAILS(PINTLE_OUT_OF_MEMORY, pintle_pool_allocate(pool, queue, PINTLE_F32, 1, &large, NULL, &buffer, error));
  CHECK(reserve.asked == 4 && reserve.left == 0 && buffer.id == 7); /* twice, then once by the second call */
  fill_buffer(queue, third, 1);
  OK(pintle_buffer_release(third, error));
  OK(pintle_pool_release(pool, error));
}

static void holders_are_known_by_name(pintle_device device, pintle_queue queue) {
  const pintle_pool_options options = small_options();
  const pintle_pool pool = pool_of(device, &options);
  const uint64_t double_size = 2 * elements;
  const pintle_buffer_options named = {.size = sizeof named, .label = "weights"};
  const pintle_buffer small = from(pool, queue, "cache");
  pintle_holder holder = {.size = sizeof holder};
  pintle_buffer large;
  pintle_holder_list list;
  pintle_bytes text;
  const void* words;
  size_t holders = 0;
  OK(pintle_pool_allocate(pool, queue, PINTLE_F32, 1, &double_size, &named, &large, error));
  OK(pintle_pool_holders(pool, &list, error));
  OK(pintle_pool_text(pool, &text, error));
  OK(pintle_buffer_release(small, error));
  OK(pintle_buffer_release(large, error));
  OK(pintle_pool_release(pool, error));
  OK(pintle_holder_list_count(list, &holders, error));
  CHECK(holders == 2);
  OK(pintle_holder_list_holder(list, 0, &holder, error));
  CHECK(holder.bytes == 2 * bytes && strstr(holder.buffer, "\"weights\"") != NULL);
  OK(pintle_holder_list_holder(list, 1, &holder, error));
  CHECK(holder.bytes == bytes && strstr(holder.buffer, "\"cache\"") != NULL);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_holder_list_holder(list, 2, &holder, error));
  OK(pintle_holder_list_release(list, error));
  FAILS(PINTLE_STALE, pintle_holder_list_count(list, &holders, error));
  OK(pintle_bytes_data(text, &words, NULL, error));
  CHECK(strstr(words, "\"small\"") != NULL && strstr(words, "\"weights\"") != NULL);
  OK(pintle_bytes_release(text, error));
}

static void a_pool_is_a_resource(pintle_device device, pintle_queue queue) {
  const pintle_pool pool = pool_of(device, NULL);
  pintle_resource_info info = {.size = sizeof info};
  pintle_resource resource;
  pintle_buffer buffer;
  OK(pintle_pool_resource(pool, &resource, error));
  OK(pintle_resource_get_info(resource, &info, error));
  CHECK(info.kind == PINTLE_RESOURCE_POOL);
  OK(pintle_resource_allocate(resource, queue, PINTLE_F32, 1, &dims, NULL, &buffer, error));
  CHECK(statistics_of(pool).in_use == bytes && statistics_of(pool).held == 2 << 20);
  OK(pintle_buffer_release(buffer, error));
  OK(pintle_resource_release(resource, error));
  OK(pintle_pool_release(pool, error));
}

static void wrong_values_are_refused(pintle_device device, pintle_queue queue) {
  const uint64_t nothing = 0;
  pintle_buffer_options buffers = {.size = sizeof buffers, .alignment = 3};
  pintle_pool_options options = small_options();
  const pintle_pool good = pool_of(device, &options);
  pintle_pool pool = {7};
  pintle_buffer buffer = {7};
  options.cap = bytes - 1; /* less than a block */
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pool_create(device, &options, &pool, error));
  options = small_options();
  options.scrub = 3;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pool_create(device, &options, &pool, error));
  options = small_options();
  options.placement = 3;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pool_create(device, &options, &pool, error));
  options = small_options();
  options.patience = -2;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pool_create(device, &options, &pool, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pool_allocate(good, queue, 0, 1, &dims, NULL, &buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pool_allocate(good, queue, PINTLE_F32, 1, &nothing, NULL, &buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pool_allocate(good, queue, PINTLE_F32, 1, &dims, &buffers, &buffer, error));
  CHECK(pool.id == 7 && buffer.id == 7 && statistics_of(good).allocations == 0);
  OK(pintle_pool_release(good, error));
}

int main(void) {
  const pintle_device device = opened();
  const pintle_queue queue = queue_on(device);
  memory_is_used_again(device, queue);
  unused_memory_goes_back(device, queue);
  scrubbing_leaves_zeros(device, queue);
  a_callback_makes_room(device, queue);
  holders_are_known_by_name(device, queue);
  a_pool_is_a_resource(device, queue);
  wrong_values_are_refused(device, queue);
  OK(pintle_queue_release(queue, error));
  OK(pintle_device_release(device, error));
  return 0;
}
