/* Group queues: collectives on memory of a device, in the order of points. This thread enqueues for every rank. */
#include "pintle/c/group_queue.h"

#include <string.h>

#include "check.h"
#include "pintle/c/state.h"
#include "ranks.h"
#include "transfer.h"

enum { pair = 2 };

static const int64_t soon = PINTLE_TIMEOUT_DEFAULT;

/* What one rank has. */
typedef struct member {
  pintle_rank_group group;
  pintle_queue queue; /* for compute */
  pintle_group_queue collectives;
} member;

static void make_members(pintle_device device, member* all, uint32_t ranks) {
  pintle_rank_group groups[most_ranks];
  const pintle_group_queue_options options = {.size = sizeof options, .label = "gradients"};
  OK(pintle_rank_group_threads(ranks, NULL, groups, error));
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    all[rank].group = groups[rank];
    all[rank].queue = queue_on(device);
    OK(pintle_group_queue_create(groups[rank], device, &options, &all[rank].collectives, error));
  }
}

static void release_members(const member* all, uint32_t ranks) {
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    OK(pintle_group_queue_release(all[rank].collectives, error));
    OK(pintle_queue_release(all[rank].queue, error));
    OK(pintle_rank_group_release(all[rank].group, error));
  }
}

/* `elements` elements of a buffer of f32. */
static pintle_view part_of(pintle_buffer buffer, uint64_t first, uint64_t elements) {
  pintle_view view = all_of(buffer);
  view.offset = 4 * first;
  view.bytes = 4 * elements;
  return view;
}

/* The point behind what the list does. */
static pintle_point submitted(pintle_queue queue, pintle_list list, const pintle_point* after) {
  const pintle_submit_options options = {.size = sizeof options, .after = after, .after_count = after == NULL ? 0 : 1};
  pintle_point done = {.size = sizeof done};
  OK(pintle_queue_submit(queue, list, &options, &done, error));
  return done;
}

static pintle_point enqueued(pintle_group_queue queue, const pintle_collective* operation, const pintle_view* to,
                             const pintle_view* from, const pintle_point* after) {
  const pintle_submit_options options = {.size = sizeof options, .after = after, .after_count = after == NULL ? 0 : 1};
  pintle_point done = {.size = sizeof done};
  OK(pintle_group_queue_submit(queue, operation, to, from, &options, &done, error));
  return done;
}

static void expect_part(pintle_queue queue, pintle_buffer buffer, uint64_t first, uint64_t elements, float value) {
  static float seen[count];
  const pintle_view view = part_of(buffer, first, elements);
  pintle_list list;
  OK(pintle_list_create(&list, error));
  OK(pintle_list_download(list, seen, 4 * elements, &view, error));
  finish(queue, list);
  for (uint64_t i = 0; i < elements; ++i) CHECK(seen[i] == value);
}

/* The device makes what is reduced, and uses the sum: nobody waits on the host in between. */
static void compute_and_collectives_follow_points(pintle_device device) {
  const pintle_collective sum = operation_of(PINTLE_COLLECTIVE_ALL_REDUCE);
  member all[pair];
  pintle_buffer gradients[pair], sums[pair], used[pair];
  make_members(device, all, pair);
  for (int rank = 0; rank < pair; ++rank) {
    const float value = (float)(rank + 1);
    pintle_list make, use;
    gradients[rank] = buffer_on(device);
    sums[rank] = buffer_on(device);
    used[rank] = buffer_on(device);
    const pintle_view from = all_of(gradients[rank]), to = all_of(sums[rank]), copy = all_of(used[rank]);
    OK(pintle_list_create(&make, error));
    OK(pintle_list_fill(make, &from, &value, error));
    const pintle_point made = submitted(all[rank].queue, make, NULL);
    const pintle_point reduced = enqueued(all[rank].collectives, &sum, &to, &from, &made);
    CHECK(reduced.value == 1 && reduced.signal.id != made.signal.id);
    OK(pintle_list_create(&use, error));
    OK(pintle_list_copy(use, &copy, &to, error));
    submitted(all[rank].queue, use, &reduced);
  }
  for (int rank = 0; rank < pair; ++rank) {
    expect_part(all[rank].queue, used[rank], 0, count, 3);
    OK(pintle_buffer_release(gradients[rank], error));
    OK(pintle_buffer_release(sums[rank], error));
    OK(pintle_buffer_release(used[rank], error));
  }
  release_members(all, pair);
}

/* Parts of a buffer in place, the same bytes as another dtype, and one rank that gives or gets nothing. */
static void views_are_the_memory(pintle_device device) {
  const pintle_collective gather = operation_of(PINTLE_COLLECTIVE_ALL_GATHER);
  const pintle_collective bits = folding(PINTLE_COLLECTIVE_ALL_REDUCE, PINTLE_REDUCE_BIT_AND);
  const pintle_collective broadcast = rooted(PINTLE_COLLECTIVE_BROADCAST, 1),
                          reduce = rooted(PINTLE_COLLECTIVE_REDUCE, 0);
  member all[pair];
  pintle_buffer buffers[pair];
  pintle_point last[pair];
  make_members(device, all, pair);
  for (uint32_t rank = 0; rank < pair; ++rank) {
    const pintle_group_queue queue = all[rank].collectives;
    buffers[rank] = buffer_on(device);
    fill_view(all[rank].queue, part_of(buffers[rank], 0, count), (float)(rank + 1));
    const pintle_view whole = part_of(buffers[rank], 100, 20), mine = part_of(buffers[rank], 100 + 10 * rank, 10);
    enqueued(queue, &gather, &whole, &mine, NULL);
    pintle_view code = part_of(buffers[rank], 200, 10);
    code.dtype = PINTLE_U32;
    enqueued(queue, &bits, &code, &code, NULL);
    const pintle_view three = part_of(buffers[rank], 300, 10), four = part_of(buffers[rank], 400, 10);
    enqueued(queue, &broadcast, &three, NULL, NULL);
    enqueued(queue, &reduce, rank == 0 ? &four : NULL, &four, NULL);
    last[rank].size = sizeof last[rank];
    OK(pintle_group_queue_last(queue, &last[rank], error));
    CHECK(last[rank].value == 4);
  }
  OK(pintle_points_wait_all(last, pair, soon, error));
  for (uint32_t rank = 0; rank < pair; ++rank) {
    const pintle_queue queue = all[rank].queue;
    const float own = (float)(rank + 1);
    expect_part(queue, buffers[rank], 0, 100, own);
    expect_part(queue, buffers[rank], 100, 10, 1);
    expect_part(queue, buffers[rank], 110, 10, 2);
    expect_part(queue, buffers[rank], 120, 80, own);
    expect_part(queue, buffers[rank], 200, 10, 0); /* the bits of 1 and 2 have none in common */
    expect_part(queue, buffers[rank], 300, 10, 2);
    expect_part(queue, buffers[rank], 400, 10, rank == 0 ? 3 : own);
    OK(pintle_buffer_release(buffers[rank], error));
  }
  release_members(all, pair);
}

/* A message, a barrier, and memory that a state has lent. */
static void messages_and_states(pintle_device device) {
  const uint64_t dims = count;
  const pintle_collective sends = rooted(PINTLE_COLLECTIVE_SEND, 1), receives = rooted(PINTLE_COLLECTIVE_RECV, 0);
  const pintle_collective sum = operation_of(PINTLE_COLLECTIVE_ALL_REDUCE);
  const pintle_collective barrier = operation_of(PINTLE_COLLECTIVE_BARRIER);
  member all[pair];
  pintle_state states[pair];
  pintle_view views[pair];
  pintle_point done[pair];
  make_members(device, all, pair);
  for (int rank = 0; rank < pair; ++rank) {
    OK(pintle_state_create(device, "w", PINTLE_F32, 1, &dims, NULL, &states[rank], error));
    views[rank].size = sizeof views[rank];
    OK(pintle_state_view(states[rank], &views[rank], error));
    fill_view(all[rank].queue, views[rank], (float)(rank + 5));
  }
  enqueued(all[0].collectives, &sends, NULL, &views[0], NULL);
  enqueued(all[1].collectives, &receives, &views[1], NULL, NULL);
  for (int rank = 0; rank < pair; ++rank) {
    enqueued(all[rank].collectives, &sum, &views[rank], &views[rank], NULL);
    done[rank] = enqueued(all[rank].collectives, &barrier, NULL, NULL, NULL);
  }
  OK(pintle_points_wait_all(done, pair, soon, error));
  for (int rank = 0; rank < pair; ++rank) {
    static float seen[count];
    pintle_list list;
    OK(pintle_list_create(&list, error));
    OK(pintle_list_download(list, seen, sizeof seen, &views[rank], error));
    finish(all[rank].queue, list);
    CHECK(seen[0] == 10 && seen[count - 1] == 10); /* 5 from rank 0, twice */
    OK(pintle_state_release(states[rank], error));
  }
  release_members(all, pair);
}

static void operations_wait_and_signal(pintle_device device) {
  const pintle_collective barrier = operation_of(PINTLE_COLLECTIVE_BARRIER);
  member one;
  pintle_signal gate, raised, timeline;
  uint32_t is_reached = 9;
  uint64_t value = 9;
  make_members(device, &one, 1);
  pintle_point last = {.size = sizeof last};
  OK(pintle_group_queue_last(one.collectives, &last, error));
  OK(pintle_point_is_reached(&last, &is_reached, error));
  CHECK(is_reached == 1);
  OK(pintle_signal_create(0, NULL, &gate, error));
  OK(pintle_signal_create(0, NULL, &raised, error));
  const pintle_point open = {.size = sizeof open, .signal = gate, .value = 1};
  const pintle_point told = {.size = sizeof told, .signal = raised, .value = 3};
  const pintle_submit_options options = {
      .size = sizeof options, .after = &open, .after_count = 1, .signal = &told, .signal_count = 1};
  pintle_point done = {.size = sizeof done};
  OK(pintle_group_queue_submit(one.collectives, &barrier, NULL, NULL, &options, &done, error));
  OK(pintle_point_is_reached(&done, &is_reached, error));
  CHECK(is_reached == 0);
  OK(pintle_signal_set(gate, 1, error));
  OK(pintle_point_wait(&told, soon, error));
  OK(pintle_point_wait(&done, soon, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_signal_release(done.signal, error));
  OK(pintle_group_queue_timeline(one.collectives, &timeline, error));
  release_members(&one, 1);
  FAILS(PINTLE_STALE, pintle_point_wait(&done, 0, error));
  OK(pintle_signal_value(timeline, &value, error));
  CHECK(value == 1);
  OK(pintle_signal_release(timeline, error));
  OK(pintle_signal_release(gate, error));
  OK(pintle_signal_release(raised, error));
}

static void a_queue_that_ends_cancels(pintle_device device) {
  const pintle_collective barrier = operation_of(PINTLE_COLLECTIVE_BARRIER);
  member one;
  pintle_signal never, timeline;
  make_members(device, &one, 1);
  OK(pintle_signal_create(0, NULL, &never, error));
  const pintle_point open = {.size = sizeof open, .signal = never, .value = 1};
  enqueued(one.collectives, &barrier, NULL, NULL, &open);
  OK(pintle_group_queue_timeline(one.collectives, &timeline, error));
  const pintle_point done = {.size = sizeof done, .signal = timeline, .value = 1};
  release_members(&one, 1);
  FAILS(PINTLE_CANCELLED, pintle_point_wait(&done, soon, error));
  OK(pintle_signal_release(timeline, error));
  OK(pintle_signal_release(never, error));
}

/* While a queue has the group, nobody else does. */
static void a_queue_has_its_group_alone(pintle_device device) {
  const pintle_collective barrier = operation_of(PINTLE_COLLECTIVE_BARRIER);
  pintle_rank_group group;
  pintle_group_queue queue, second = {3};
  OK(pintle_rank_group_join(NULL, &group, error));
  OK(pintle_group_queue_create(group, device, NULL, &queue, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_group_queue_create(group, device, NULL, &second, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_rank_group_run(group, &barrier, 0, NULL, 0, NULL, 0, soon, error));
  OK(pintle_group_queue_release(queue, error));
  FAILS(PINTLE_STALE, pintle_group_queue_release(queue, error));
  OK(pintle_rank_group_run(group, &barrier, 0, NULL, 0, NULL, 0, soon, error));
  OK(pintle_group_queue_create(group, device, NULL, &queue, error));
  OK(pintle_group_queue_release(queue, error));
  CHECK(second.id == 3);
  OK(pintle_rank_group_release(group, error));
}

static void wrong_operations_are_not_enqueued(pintle_device device) {
  pintle_collective wrong = operation_of(PINTLE_COLLECTIVE_ALL_REDUCE);
  const pintle_collective sum = wrong, broadcast = operation_of(PINTLE_COLLECTIVE_BROADCAST);
  const pintle_buffer buffer = buffer_on(device), sealed = buffer_on(device);
  const pintle_view view = all_of(buffer), other = part_of(buffer, 1, count / 2), half = part_of(buffer, 0, count / 2);
  pintle_view beyond = part_of(buffer, count, 1), u32 = all_of(sealed), locked;
  pintle_submit_options options = {.size = 8};
  pintle_point small = {.size = 8}, last = {.size = sizeof last};
  member one;
  make_members(device, &one, 1);
  const pintle_group_queue queue = one.collectives;
  wrong.kind = 12;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_group_queue_submit(queue, &wrong, &view, &view, NULL, NULL, error));
  wrong = rooted(PINTLE_COLLECTIVE_REDUCE, 1);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_group_queue_submit(queue, &wrong, &view, &view, NULL, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_group_queue_submit(queue, NULL, &view, &view, NULL, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_group_queue_submit(queue, &sum, &view, NULL, NULL, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_group_queue_submit(queue, &sum, &view, &half, NULL, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_group_queue_submit(queue, &sum, &half, &other, NULL, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_group_queue_submit(queue, &sum, &view, &beyond, NULL, NULL, error));
  u32.dtype = PINTLE_U32;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_group_queue_submit(queue, &sum, &view, &u32, NULL, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_group_queue_submit(queue, &broadcast, &view, &view, NULL, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_group_queue_submit(queue, &sum, &view, &view, &options, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_group_queue_submit(queue, &sum, &view, &view, NULL, &small, error));
  OK(pintle_buffer_seal(sealed, error));
  locked = all_of(sealed);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_group_queue_submit(queue, &sum, &locked, &view, NULL, NULL, error));
  OK(pintle_buffer_release(sealed, error));
  FAILS(PINTLE_STALE, pintle_group_queue_submit(queue, &sum, &view, &locked, NULL, NULL, error));
  OK(pintle_group_queue_last(queue, &last, error));
  CHECK(last.value == 0);
  OK(pintle_buffer_release(buffer, error));
  release_members(&one, 1);
}

int main(void) {
  const pintle_device device = opened();
  compute_and_collectives_follow_points(device);
  views_are_the_memory(device);
  messages_and_states(device);
  operations_wait_and_signal(device);
  a_queue_that_ends_cancels(device);
  a_queue_has_its_group_alone(device);
  wrong_operations_are_not_enqueued(device);
  OK(pintle_device_release(device, error));
  return 0;
}
