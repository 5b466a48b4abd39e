/* Symmetric heaps: puts, gets and signals among ranks, what waits for points, and memory that a device uses too. */
#include "pintle/c/symmetric.h"

#include <string.h>

#include "check.h"
#include "ranks.h"
#include "transfer.h"

enum { elements = 250 };

static const int64_t soon = PINTLE_TIMEOUT_DEFAULT;

static pintle_symmetric_heap heap_of(rank_of_test its, const char* device) {
  pintle_symmetric_options options = {.size = sizeof options, .label = "caches"};
  pintle_symmetric_heap heap;
  if (device != NULL) OK(pintle_device_open(device, &options.device, error));
  OK(pintle_symmetric_heap_create(its.group, 1 << 16, &options, &heap, error));
  if (device != NULL) OK(pintle_device_release(options.device, error));
  return heap;
}

static pintle_symmetric_heap_info info_of(pintle_symmetric_heap heap) {
  pintle_symmetric_heap_info info = {.size = sizeof info};
  OK(pintle_symmetric_heap_get_info(heap, &info, error));
  return info;
}

static pintle_symmetric_buffer floats_of(pintle_symmetric_heap heap) {
  const uint64_t dims[] = {5, elements / 5};
  pintle_symmetric_buffer buffer;
  OK(pintle_symmetric_heap_allocate(heap, PINTLE_F32, 2, dims, soon, &buffer, error));
  return buffer;
}

static pintle_symmetric_signals signals_of(pintle_symmetric_heap heap) {
  pintle_symmetric_signals signals;
  OK(pintle_symmetric_heap_allocate_signals(heap, 2, soon, &signals, error));
  return signals;
}

static pintle_symmetric_view on(pintle_symmetric_buffer buffer, uint32_t rank) {
  const pintle_symmetric_view view = {.size = sizeof view, .rank = rank, .buffer = buffer};
  return view;
}

static float* local(pintle_symmetric_heap heap, pintle_symmetric_buffer buffer) {
  void* data;
  OK(pintle_symmetric_heap_local(heap, buffer, &data, error));
  return data;
}

static void fill_floats(float* values, float value) {
  for (int i = 0; i < elements; ++i) values[i] = value;
}

static void expect_floats(const float* values, float value) {
  for (int i = 0; i < elements; ++i) CHECK(values[i] == value);
}

static void end(pintle_symmetric_heap heap) {
  OK(pintle_symmetric_heap_barrier(heap, soon, error));
  OK(pintle_symmetric_heap_release(heap, error));
}

/* Each rank gives to the right one, which waits for the signal, not for the rank. */
static void bytes_come_with_their_signal(rank_of_test its) {
  const pintle_symmetric_heap heap = heap_of(its, NULL);
  const pintle_symmetric_buffer buffer = floats_of(heap);
  const pintle_symmetric_signals signals = signals_of(heap);
  const uint32_t right = (its.rank + 1) % its.ranks, left = (its.rank + its.ranks - 1) % its.ranks;
  const pintle_symmetric_view there = on(buffer, right);
  float values[elements];
  uint64_t word = 9;
  OK(pintle_symmetric_heap_signal_value(heap, signals, 1, &word, error));
  CHECK(word == 0);
  FAILS(PINTLE_TIMEOUT, pintle_symmetric_heap_wait_signal(heap, signals, 0, 1, NULL, 1000000, error));
  OK(pintle_symmetric_heap_barrier(heap, soon, error));
  fill_floats(values, (float)its.rank + 1);
  OK(pintle_symmetric_heap_put_signal(heap, &there, values, sizeof values, signals, 1, 5, error));
  OK(pintle_symmetric_heap_wait_signal(heap, signals, 1, 5, &left, soon, error));
  expect_floats(local(heap, buffer), (float)left + 1);
  OK(pintle_symmetric_heap_signal_value(heap, signals, 1, &word, error));
  CHECK(word == 5);
  OK(pintle_symmetric_heap_raise(heap, signals, 0, right, 2, error));
  OK(pintle_symmetric_heap_raise(heap, signals, 0, right, 1, error)); /* not above: nothing changes */
  OK(pintle_symmetric_heap_wait_signal(heap, signals, 0, 2, NULL, soon, error));
  OK(pintle_symmetric_heap_signal_value(heap, signals, 0, &word, error));
  CHECK(word == 2);
  OK(pintle_symmetric_heap_free_signals(heap, signals, soon, error));
  FAILS(PINTLE_STALE, pintle_symmetric_heap_signal_value(heap, signals, 0, &word, error));
  end(heap);
}

static void parts_are_put_and_got(rank_of_test its) {
  const pintle_symmetric_heap heap = heap_of(its, NULL);
  const pintle_symmetric_heap_info fresh = info_of(heap);
  const pintle_symmetric_buffer buffer = floats_of(heap);
  const pintle_symmetric_heap_info used = info_of(heap);
  const uint32_t other = 1 - its.rank;
  pintle_symmetric_buffer_info info = {.size = sizeof info};
  pintle_symmetric_view part = on(buffer, other);
  const float ten[10] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
  float seen[elements];
  CHECK(fresh.rank == its.rank && fresh.ranks == 2 && fresh.bytes == 1 << 16 && fresh.free == fresh.bytes);
  CHECK(fresh.residence == PINTLE_RESIDENCE_HOST && fresh.residence_detail[0] == 0 && fresh.largest == fresh.bytes);
  CHECK(used.free < fresh.free && used.largest <= used.free);
  OK(pintle_symmetric_buffer_get_info(buffer, &info, error));
  CHECK(info.dtype == PINTLE_F32 && info.bytes == 4 * elements && info.offset % 64 == 0);
  CHECK(info.rank == 2 && info.dims[0] == 5 && info.dims[1] == elements / 5 && info.dims[2] == 0);
  fill_floats(local(heap, buffer), (float)its.rank);
  OK(pintle_symmetric_heap_barrier(heap, soon, error));
  part.offset = 400;
  part.bytes = sizeof ten;
  OK(pintle_symmetric_heap_put(heap, &part, ten, sizeof ten, error));
  OK(pintle_symmetric_heap_fence(heap, soon, error));
  OK(pintle_symmetric_heap_flush(heap, soon, error));
  const pintle_symmetric_view whole = on(buffer, other);
  OK(pintle_symmetric_heap_get(heap, seen, sizeof seen, &whole, error));
  for (int i = 0; i < elements; ++i) CHECK(seen[i] == (i >= 100 && i < 110 ? 7 : (float)other));
  OK(pintle_symmetric_heap_barrier(heap, soon, error));
  OK(pintle_symmetric_heap_free(heap, buffer, soon, error));
  CHECK(info_of(heap).free == fresh.free);
  FAILS(PINTLE_STALE, pintle_symmetric_heap_get(heap, seen, sizeof seen, &whole, error));
  FAILS(PINTLE_STALE, pintle_symmetric_buffer_get_info(buffer, &info, error));
  const pintle_symmetric_buffer last = floats_of(heap);
  end(heap);
  FAILS(PINTLE_STALE, pintle_symmetric_buffer_get_info(last, &info, error)); /* it ends with its heap */
}

static void transfers_wait_for_points(rank_of_test its) {
  const pintle_symmetric_heap heap = heap_of(its, NULL);
  const pintle_symmetric_buffer buffer = floats_of(heap);
  const pintle_symmetric_signals signals = signals_of(heap);
  const pintle_symmetric_view there = on(buffer, 1 - its.rank);
  float from[elements], to[elements];
  uint32_t is_reached = 9;
  pintle_signal gate;
  OK(pintle_signal_create(0, NULL, &gate, error));
  const pintle_point open = {.size = sizeof open, .signal = gate, .value = 1};
  const pintle_submit_options options = {.size = sizeof options, .after = &open, .after_count = 1};
  pintle_point put = {.size = sizeof put}, got = {.size = sizeof got}, sent = {.size = sizeof sent};
  fill_floats(local(heap, buffer), -1);
  fill_floats(from, -2);
  OK(pintle_symmetric_heap_barrier(heap, soon, error));
  OK(pintle_symmetric_heap_put_async(heap, &there, from, sizeof from, &options, &put, error));
  OK(pintle_symmetric_heap_get_async(heap, to, sizeof to, &there, NULL, &got, error));
  OK(pintle_symmetric_heap_put_signal_async(heap, &there, from, sizeof from, signals, 0, 3, NULL, &sent, error));
  CHECK(put.signal.id == got.signal.id && put.value == 1 && got.value == 2 && sent.value == 3);
  OK(pintle_point_is_reached(&put, &is_reached, error));
  CHECK(is_reached == 0);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_signal_release(put.signal, error));
  fill_floats(from, (float)its.rank + 3); /* lent: what is there when it begins is what goes */
  OK(pintle_signal_set(gate, 1, error));
  OK(pintle_point_wait(&got, soon, error));
  expect_floats(to, (float)its.rank + 3);
  OK(pintle_symmetric_heap_wait_signal(heap, signals, 0, 3, NULL, soon, error));
  expect_floats(local(heap, buffer), (float)(1 - its.rank) + 3);
  OK(pintle_point_wait(&sent, soon, error));
  end(heap);
  FAILS(PINTLE_STALE, pintle_point_wait(&sent, 0, error));
  OK(pintle_signal_release(gate, error));
}

/* After a failure a flush begins afresh, with another signal; points of before are what they were. */
static void a_flush_begins_afresh(rank_of_test its) {
  const pintle_symmetric_heap heap = heap_of(its, NULL);
  const pintle_symmetric_buffer buffer = floats_of(heap);
  const pintle_symmetric_view there = on(buffer, its.rank);
  float from[elements];
  pintle_signal source;
  OK(pintle_signal_create(0, NULL, &source, error));
  const pintle_point broken = {.size = sizeof broken, .signal = source, .value = 1};
  const pintle_submit_options options = {.size = sizeof options, .after = &broken, .after_count = 1};
  pintle_point before = {.size = sizeof before}, failing = {.size = sizeof failing}, fresh = {.size = sizeof fresh};
  fill_floats(from, 4);
  OK(pintle_symmetric_heap_put_async(heap, &there, from, sizeof from, NULL, &before, error));
  OK(pintle_symmetric_heap_put_async(heap, &there, from, sizeof from, &options, &failing, error));
  OK(pintle_signal_fail(source, PINTLE_IO, "The source (7) is broken.", error));
  OK(pintle_point_wait(&before, soon, error));
  FAILS(PINTLE_IO, pintle_point_wait(&failing, soon, error));
  FAILS(PINTLE_IO, pintle_symmetric_heap_put_async(heap, &there, from, sizeof from, NULL, &fresh, error));
  FAILS(PINTLE_IO, pintle_symmetric_heap_fence(heap, soon, error));
  CHECK(pintle_symmetric_heap_flush(heap, soon, NULL) == PINTLE_IO);
  OK(pintle_symmetric_heap_flush(heap, soon, error));
  OK(pintle_symmetric_heap_put_async(heap, &there, from, sizeof from, NULL, &fresh, error));
  CHECK(fresh.value == 1 && fresh.signal.id != before.signal.id);
  OK(pintle_point_wait(&fresh, soon, error));
  OK(pintle_point_wait(&before, soon, error));
  FAILS(PINTLE_IO, pintle_point_wait(&failing, soon, error));
  end(heap);
  OK(pintle_signal_release(source, error));
}

/* The device of each rank writes its bytes, and reads what the other has put. */
static void with_a_device(rank_of_test its, const char* id, uint32_t residence) {
  pintle_device device; /* open before the heap opens it, so that it is the same */
  OK(pintle_device_open(id, &device, error));
  const pintle_symmetric_heap heap = heap_of(its, id);
  const pintle_symmetric_buffer mine = floats_of(heap), theirs = floats_of(heap);
  const pintle_queue queue = queue_on(device);
  const pintle_symmetric_view own = on(mine, its.rank), there = on(theirs, 1 - its.rank),
                              arrived = on(theirs, its.rank);
  const float value = (float)its.rank + 10;
  pintle_view on_device = {.size = sizeof on_device}, again = {.size = sizeof again};
  pintle_point done = {.size = sizeof done};
  pintle_list list;
  float seen[elements];
  CHECK(info_of(heap).residence == residence);
  CHECK((info_of(heap).residence_detail[0] != 0) == (residence == PINTLE_RESIDENCE_STAGED));
  OK(pintle_symmetric_heap_on_device(heap, mine, &on_device, error));
  OK(pintle_symmetric_heap_on_device(heap, mine, &again, error));
  CHECK(on_device.dtype == PINTLE_F32 && on_device.bytes == sizeof seen && again.buffer.id == on_device.buffer.id);
  fill_view(queue, on_device, value);
  OK(pintle_symmetric_heap_from_device(heap, &own, queue, NULL, &done, error));
  OK(pintle_point_wait(&done, soon, error));
  expect_floats(local(heap, mine), value);
  OK(pintle_symmetric_heap_put(heap, &there, local(heap, mine), sizeof seen, error));
  OK(pintle_symmetric_heap_barrier(heap, soon, error));
  OK(pintle_symmetric_heap_on_device(heap, theirs, &again, error));
  OK(pintle_symmetric_heap_to_device(heap, &arrived, queue, NULL, NULL, error));
  OK(pintle_list_create(&list, error));
  OK(pintle_list_download(list, seen, sizeof seen, &again, error));
  finish(queue, list);
  expect_floats(seen, (float)(1 - its.rank) + 10);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_symmetric_heap_to_device(heap, &there, queue, NULL, NULL, error));
  OK(pintle_symmetric_heap_free(heap, theirs, soon, error));
  OK(pintle_list_create(&list, error));
  FAILS(PINTLE_STALE, pintle_list_fill(list, &again, &value, error));
  OK(pintle_list_release(list, error));
  end(heap);
  OK(pintle_queue_release(queue, error));
  OK(pintle_device_release(device, error));
}

static void a_device_uses_the_piece(rank_of_test its) { with_a_device(its, "cpu", PINTLE_RESIDENCE_IN_PLACE); }

/* The cpu as a device that cannot use memory of the host in place. */
static void a_device_has_a_copy(rank_of_test its) {
  with_a_device(its, "faulty(cpu)?call=import_memory&code=unsupported&times=0", PINTLE_RESIDENCE_STAGED);
}

/* Mistakes in a collective call are the same error on every rank, and the heap works afterwards. */
static void collective_mistakes_are_everyones(rank_of_test its) {
  const pintle_symmetric_heap heap = heap_of(its, NULL);
  const uint64_t huge = 1 << 20, fine = 4, many[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  pintle_symmetric_buffer buffer = {3};
  pintle_symmetric_heap none = {3};
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_symmetric_heap_create(its.group, 0, NULL, &none, error));
  FAILS(PINTLE_OUT_OF_MEMORY, pintle_symmetric_heap_allocate(heap, PINTLE_U8, 1, &huge, soon, &buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_symmetric_heap_allocate(heap, its.rank == 0 ? 268 : PINTLE_F32, 1, &fine, soon, &buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_symmetric_heap_allocate(heap, PINTLE_U8, 9, many, soon, &buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_symmetric_heap_allocate(heap, its.rank == 0 ? PINTLE_F32 : PINTLE_I32, 1, &fine, soon, &buffer, error));
  CHECK(buffer.id == 3 && none.id == 3 && info_of(heap).free == 1 << 16);
  end(heap);
}

static void wrong_views_are_refused_here(rank_of_test its) {
  const pintle_symmetric_heap heap = heap_of(its, NULL);
  const pintle_symmetric_buffer buffer = floats_of(heap);
  const size_t bytes = 4 * elements;
  pintle_symmetric_view view = on(buffer, 1 - its.rank), wrong[5];
  float values[elements + 1] = {0};
  pintle_point small = {.size = 4};
  void* data = NULL;
  for (int i = 0; i < 5; ++i) wrong[i] = view;
  wrong[0].size = 8;
  wrong[1].rank = its.ranks;
  wrong[2].offset = sizeof values;
  wrong[3].offset = 2;
  wrong[4].buffer.id = 77;
  for (int i = 0; i < 5; ++i)
    FAILS(PINTLE_INVALID_ARGUMENT, pintle_symmetric_heap_put(heap, &wrong[i], values, bytes, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_symmetric_heap_put(heap, &view, values, sizeof values, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_symmetric_heap_put(heap, &view, NULL, bytes, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_symmetric_heap_put(heap, NULL, values, bytes, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_symmetric_heap_get(heap, values, bytes - 4, &view, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_symmetric_heap_put_async(heap, &view, values, 4, NULL, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_symmetric_heap_get_async(heap, values, bytes, &view, NULL, &small, error));
  view.rank = its.rank; /* the memory is that on the other side */
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_symmetric_heap_put(heap, &view, local(heap, buffer), bytes, error));
  end(heap);
  FAILS(PINTLE_STALE, pintle_symmetric_heap_local(heap, buffer, &data, error));
}

static void other_mistakes_are_refused_here(rank_of_test its) {
  const pintle_symmetric_heap heap = heap_of(its, NULL);
  const pintle_symmetric_buffer buffer = floats_of(heap);
  const pintle_symmetric_signals signals = signals_of(heap);
  const uint64_t dims = 1;
  const uint32_t beyond = its.ranks;
  pintle_view device_view = {.size = sizeof device_view};
  pintle_symmetric_buffer none = {3};
  uint64_t word = 8;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_symmetric_heap_raise(heap, signals, 2, 0, 1, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_symmetric_heap_raise(heap, signals, 0, beyond, 1, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_symmetric_heap_signal_value(heap, signals, 2, &word, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_symmetric_heap_wait_signal(heap, signals, 0, 1, &beyond, soon, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_symmetric_heap_on_device(heap, buffer, &device_view, error)); /* no device */
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_symmetric_heap_local(heap, buffer, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_symmetric_heap_flush(heap, -2, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_symmetric_heap_allocate(heap, PINTLE_F32, 1, NULL, soon, &none, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_symmetric_heap_allocate(heap, PINTLE_F32, 1, &dims, -2, &none, error));
  CHECK(none.id == 3 && word == 8 && device_view.buffer.id == 0);
  end(heap);
}

int main(void) {
  on_ranks(3, bytes_come_with_their_signal);
  on_ranks(2, parts_are_put_and_got);
  on_ranks(2, transfers_wait_for_points);
  on_ranks(1, a_flush_begins_afresh);
  on_ranks(2, a_device_uses_the_piece);
  on_ranks(2, a_device_has_a_copy);
  on_ranks(2, collective_mistakes_are_everyones);
  on_ranks(2, wrong_views_are_refused_here);
  on_ranks(2, other_mistakes_are_refused_here);
  return 0;
}
