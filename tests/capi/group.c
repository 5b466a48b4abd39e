/* Groups of ranks: every operation on memory of the host, parts of a group, and what comes after a failure. */
#include "pintle/c/group.h"

#include <poll.h>
#include <stdatomic.h>
#include <string.h>

#include "check.h"
#include "ranks.h"

enum { ranks_here = 4, elements = 6, many = 20000 };

static const int64_t soon = PINTLE_TIMEOUT_DEFAULT;

static pintle_rank_group_info info_of(pintle_rank_group group) {
  pintle_rank_group_info info = {.size = sizeof info};
  OK(pintle_rank_group_get_info(group, &info, error));
  return info;
}

static void barrier(pintle_rank_group group) {
  const pintle_collective operation = operation_of(PINTLE_COLLECTIVE_BARRIER);
  OK(pintle_rank_group_run(group, &operation, 0, NULL, 0, NULL, 0, soon, error));
}

/* The sum of a number of every rank. */
static int32_t sum_of(pintle_rank_group group, int32_t value) {
  const pintle_collective operation = operation_of(PINTLE_COLLECTIVE_ALL_REDUCE);
  int32_t sum = value;
  OK(pintle_rank_group_run(group, &operation, PINTLE_I32, &sum, sizeof sum, &sum, sizeof sum, soon, error));
  return sum;
}

static void ranks_know_their_place(rank_of_test its) {
  const pintle_rank_group_info info = info_of(its.group);
  CHECK(info.rank == its.rank && info.ranks == its.ranks && info.generation == 1);
  CHECK(strcmp(info.transport, "threads") == 0);
  pintle_rank_group_statistics before = {.size = sizeof before}, after = {.size = sizeof after};
  OK(pintle_rank_group_get_statistics(its.group, &before, error));
  CHECK(before.operations == 0);
  CHECK(sum_of(its.group, (int32_t)its.rank + 1) == 10);
  OK(pintle_rank_group_get_statistics(its.group, &after, error));
  CHECK(after.operations == 1 && after.bytes_sent + after.bytes_received > 0);
  OK(pintle_rank_group_health(its.group, error));
}

/* What one rank gives to operators on u32, and what all of them become. */
static void operators_fold(rank_of_test its) {
  const uint32_t given[] = {1 + its.rank, 4 - its.rank, 12 >> its.rank, its.rank == 2};
  const struct {
    uint32_t op;
    uint32_t folded[4];
  } cases[] = {
      {0, {10, 10, 12 + 6 + 3 + 1, 1}},
      {PINTLE_REDUCE_SUM, {10, 10, 12 + 6 + 3 + 1, 1}},
      {PINTLE_REDUCE_PROD, {24, 24, 12 * 6 * 3 * 1, 0}},
      {PINTLE_REDUCE_MIN, {1, 1, 1, 0}},
      {PINTLE_REDUCE_MAX, {4, 4, 12, 1}},
      {PINTLE_REDUCE_MEAN, {2, 2, 5, 0}},
      {PINTLE_REDUCE_BIT_AND, {1 & 2 & 3 & 4, 0, 12 & 6 & 3 & 1, 0}},
      {PINTLE_REDUCE_BIT_OR, {7, 7, 15, 1}},
      {PINTLE_REDUCE_BIT_XOR, {1 ^ 2 ^ 3 ^ 4, 4 ^ 3 ^ 2 ^ 1, 12 ^ 6 ^ 3 ^ 1, 1}},
      {PINTLE_REDUCE_LOGICAL_AND, {1, 1, 1, 0}},
      {PINTLE_REDUCE_LOGICAL_OR, {1, 1, 1, 1}},
      {PINTLE_REDUCE_LOGICAL_XOR, {0, 0, 0, 1}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const pintle_collective operation = folding(PINTLE_COLLECTIVE_ALL_REDUCE, cases[i].op);
    uint32_t folded[4] = {0};
    OK(pintle_rank_group_run(its.group, &operation, PINTLE_U32, folded, sizeof folded, given, sizeof given, soon,
                             error));
    CHECK(memcmp(folded, cases[i].folded, sizeof folded) == 0);
  }
}

/* Element `index` of part `part` that a rank gives. */
static int32_t given_by(uint32_t rank, uint32_t part, uint32_t index) {
  return (int32_t)(1000 * rank + 100 * part + index);
}

static void give(int32_t values[ranks_here][elements], uint32_t rank) {
  for (uint32_t part = 0; part < ranks_here; ++part)
    for (uint32_t i = 0; i < elements; ++i) values[part][i] = given_by(rank, part, i);
}

static void parts_are_scattered_and_gathered(rank_of_test its) {
  int32_t from[ranks_here][elements], all[ranks_here][elements] = {{0}}, one[elements] = {0};
  const pintle_collective scatter = rooted(PINTLE_COLLECTIVE_SCATTER, 2), gather = rooted(PINTLE_COLLECTIVE_GATHER, 1);
  const pintle_collective reduce_scatter = operation_of(PINTLE_COLLECTIVE_REDUCE_SCATTER);
  const pintle_collective all_gather = operation_of(PINTLE_COLLECTIVE_ALL_GATHER);
  const pintle_collective all_to_all = operation_of(PINTLE_COLLECTIVE_ALL_TO_ALL);
  const uint32_t me = its.rank;
  give(from, me);
  OK(pintle_rank_group_run(its.group, &reduce_scatter, PINTLE_I32, one, sizeof one, from, sizeof from, soon, error));
  for (uint32_t i = 0; i < elements; ++i) CHECK(one[i] == 6000 + 4 * given_by(0, me, i));
  OK(pintle_rank_group_run(its.group, &scatter, PINTLE_I32, one, sizeof one, me == 2 ? from : NULL,
                           me == 2 ? sizeof from : 0, soon, error));
  for (uint32_t i = 0; i < elements; ++i) CHECK(one[i] == given_by(2, me, i));
  OK(pintle_rank_group_run(its.group, &all_gather, PINTLE_I32, all, sizeof all, from[0], sizeof from[0], soon, error));
  for (uint32_t rank = 0; rank < its.ranks; ++rank)
    for (uint32_t i = 0; i < elements; ++i) CHECK(all[rank][i] == given_by(rank, 0, i));
  OK(pintle_rank_group_run(its.group, &all_to_all, PINTLE_I32, all, sizeof all, from, sizeof from, soon, error));
  for (uint32_t rank = 0; rank < its.ranks; ++rank)
    for (uint32_t i = 0; i < elements; ++i) CHECK(all[rank][i] == given_by(rank, me, i));
  memset(all, 0, sizeof all);
  OK(pintle_rank_group_run(its.group, &gather, PINTLE_I32, me == 1 ? all : NULL, me == 1 ? sizeof all : 0, from[3],
                           sizeof from[3], soon, error));
  for (uint32_t rank = 0; rank < its.ranks; ++rank)
    for (uint32_t i = 0; i < elements; ++i) CHECK(all[rank][i] == (me == 1 ? given_by(rank, 3, i) : 0));
}

static void one_rank_gives_or_gets(rank_of_test its) {
  const pintle_collective reduce = {.size = sizeof reduce, .kind = PINTLE_COLLECTIVE_REDUCE, .rank = 3};
  const pintle_collective broadcast = rooted(PINTLE_COLLECTIVE_BROADCAST, 2);
  const uint32_t right = (its.rank + 1) % its.ranks, left = (its.rank + its.ranks - 1) % its.ranks;
  const pintle_collective send = rooted(PINTLE_COLLECTIVE_SEND, right), recv = rooted(PINTLE_COLLECTIVE_RECV, left);
  const uint8_t mine[] = {(uint8_t)its.rank, 7};
  double value = its.rank + 0.5, sum = -1;
  uint8_t bytes[3] = {(uint8_t)its.rank, 2, 3}, theirs[2] = {9, 9};
  OK(pintle_rank_group_run(its.group, &reduce, PINTLE_F64, its.rank == 3 ? &sum : NULL, its.rank == 3 ? sizeof sum : 0,
                           &value, sizeof value, soon, error));
  CHECK(sum == (its.rank == 3 ? 8 : -1));
  OK(pintle_rank_group_run(its.group, &broadcast, 0, bytes, sizeof bytes, NULL, 0, soon, error));
  CHECK(bytes[0] == 2 && bytes[1] == 2 && bytes[2] == 3);
  for (uint32_t turn = 0; turn < 2; ++turn) { /* one of two neighbours sends, while the other receives */
    if (turn == its.rank % 2)
      OK(pintle_rank_group_run(its.group, &send, PINTLE_U8, NULL, 0, mine, sizeof mine, soon, error));
    else OK(pintle_rank_group_run(its.group, &recv, PINTLE_U8, theirs, sizeof theirs, NULL, 0, soon, error));
  }
  CHECK(theirs[0] == left && theirs[1] == 7);
  barrier(its.group);
}

/* Sums whose bits depend on the order, and an operation large enough to work in place. */
static void algorithms_agree(rank_of_test its) {
  static const float terms[ranks_here] = {1e8f, 1, -1e8f, 1e-3f};
  static float large[ranks_here][many];
  float first[elements];
  for (uint32_t algorithm = 0; algorithm <= PINTLE_ALGORITHM_TREE; ++algorithm) {
    pintle_collective operation = operation_of(PINTLE_COLLECTIVE_ALL_REDUCE);
    float values[elements];
    operation.algorithm = algorithm;
    operation.is_reproducible = 1;
    for (int i = 0; i < elements; ++i) values[i] = terms[its.rank] * (float)(i + 1);
    OK(pintle_rank_group_run(its.group, &operation, PINTLE_F32, values, sizeof values, values, sizeof values, soon,
                             error));
    if (algorithm == 0) memcpy(first, values, sizeof first);
    CHECK(memcmp(first, values, sizeof first) == 0);
  }
  const pintle_collective sum = operation_of(PINTLE_COLLECTIVE_ALL_REDUCE);
  float* const values = large[its.rank];
  for (int i = 0; i < many; ++i) values[i] = (float)(i % 100) + (float)its.rank;
  OK(pintle_rank_group_run(its.group, &sum, PINTLE_F32, values, sizeof large[0], values, sizeof large[0], soon, error));
  for (int i = 0; i < many; ++i) CHECK(values[i] == 4 * (float)(i % 100) + 6);
}

/* The operation, the dtype and sizes are wrong on every rank alike; nothing is sent, and the group works afterwards. */
static void wrong_calls_send_nothing(rank_of_test its) {
  const pintle_collective good = operation_of(PINTLE_COLLECTIVE_ALL_REDUCE);
  pintle_collective wrong[6];
  for (int i = 0; i < 6; ++i) wrong[i] = good;
  wrong[0].kind = 0;
  wrong[1].kind = 12;
  wrong[2].op = 12;
  wrong[3].algorithm = 7;
  wrong[4].is_reproducible = 2;
  wrong[5].size = 8;
  int32_t to[4] = {0}, from[4] = {1, 2, 3, 4};
  const pintle_rank_group group = its.group;
  for (int i = 0; i < 6; ++i)
    FAILS(PINTLE_INVALID_ARGUMENT, pintle_rank_group_run(group, &wrong[i], PINTLE_I32, to, 16, from, 16, soon, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_rank_group_run(group, NULL, PINTLE_I32, to, 16, from, 16, soon, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_rank_group_run(group, &good, 17, to, 16, from, 16, soon, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_rank_group_run(group, &good, PINTLE_I32, to, 15, from, 15, soon, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_rank_group_run(group, &good, PINTLE_I32, to, 12, from, 16, soon, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_rank_group_run(group, &good, PINTLE_I32, NULL, 16, from, 16, soon, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_rank_group_run(group, &good, PINTLE_I32, to, 16, NULL, 16, soon, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_rank_group_run(group, &good, PINTLE_I32, from + 1, 8, from, 8, soon, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_rank_group_run(group, &good, PINTLE_I32, to, 16, from, 16, -2, error));
  const pintle_collective broadcast = operation_of(PINTLE_COLLECTIVE_BROADCAST);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_rank_group_run(group, &broadcast, PINTLE_I32, to, 16, from, 16, soon, error));
  const pintle_collective beyond = rooted(PINTLE_COLLECTIVE_REDUCE, its.ranks);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_rank_group_run(group, &beyond, PINTLE_I32, to, 16, from, 16, soon, error));
  const pintle_collective to_itself = rooted(PINTLE_COLLECTIVE_SEND, its.rank);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_rank_group_run(group, &to_itself, PINTLE_I32, NULL, 0, from, 16, soon, error));
  pintle_rank_group_statistics statistics = {.size = sizeof statistics};
  OK(pintle_rank_group_get_statistics(group, &statistics, error));
  CHECK(statistics.operations == 0 && statistics.bytes_sent == 0 && to[0] == 0);
  CHECK(sum_of(group, 1) == (int32_t)its.ranks);
}

/* 0 and 2 are a group, the other way round; 1 is alone; 3 is in none. */
static void a_group_is_split(rank_of_test its) {
  const uint32_t color = its.rank % 2;
  const pintle_rank_group_options options = {.size = sizeof options, .label = "halves"};
  pintle_rank_group part = {77};
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_rank_group_split(its.group, &color, 0, &options, NULL, error));
  OK(pintle_rank_group_split(its.group, its.rank == 3 ? NULL : &color, 10 - its.rank, &options, &part, error));
  if (its.rank == 3) {
    CHECK(part.id == 0);
  } else {
    const pintle_rank_group_info info = info_of(part);
    CHECK(info.ranks == (its.rank == 1 ? 1 : 2) && info.rank == (its.rank == 0 ? 1 : 0));
    CHECK(sum_of(part, (int32_t)its.rank) == (its.rank == 1 ? 1 : 2));
    pintle_rank_group rebuilt;
    FAILS(PINTLE_UNSUPPORTED, pintle_rank_group_rebuild(part, 1000000, &rebuilt, error));
  }
  barrier(its.group);
  if (part.id != 0) OK(pintle_rank_group_release(part, error));
}

/* The last rank leaves; the others go on without it. */
static void those_that_are_left_shrink(rank_of_test its) {
  if (its.rank == its.ranks - 1) {
    OK(pintle_rank_group_release(its.group, error));
    return;
  }
  const pintle_collective operation = operation_of(PINTLE_COLLECTIVE_BARRIER);
  FAILS(PINTLE_PEER_LOST, pintle_rank_group_run(its.group, &operation, 0, NULL, 0, NULL, 0, soon, error));
  FAILS(PINTLE_PEER_LOST, pintle_rank_group_health(its.group, error));
  pintle_rank_group smaller;
  OK(pintle_rank_group_shrink(its.group, 10000000000, &smaller, error));
  const pintle_rank_group_info info = info_of(smaller);
  CHECK(info.ranks == its.ranks - 1 && info.rank == its.rank && info.generation == 2);
  CHECK(sum_of(smaller, 5) == 5 * (int32_t)info.ranks);
  barrier(smaller);
  OK(pintle_rank_group_release(smaller, error));
}

static void all_of_them_rebuild(rank_of_test its) {
  const pintle_collective operation = operation_of(PINTLE_COLLECTIVE_BARRIER);
  pintle_rank_group rebuilt;
  OK(pintle_rank_group_rebuild(its.group, 10000000000, &rebuilt, error));
  const pintle_rank_group_info info = info_of(rebuilt);
  CHECK(info.ranks == its.ranks && info.rank == its.rank && info.generation == 2);
  CHECK(sum_of(rebuilt, 2) == 2 * (int32_t)its.ranks);
  FAILS(PINTLE_CANCELLED, pintle_rank_group_run(its.group, &operation, 0, NULL, 0, NULL, 0, soon, error));
  barrier(rebuilt);
  OK(pintle_rank_group_release(rebuilt, error));
}

static atomic_int is_over;

static void a_late_rank_is_a_timeout(rank_of_test its) {
  if (its.rank == 1) {
    while (atomic_load(&is_over) == 0) poll(NULL, 0, 1);
    return;
  }
  const pintle_collective recv = rooted(PINTLE_COLLECTIVE_RECV, 1);
  int32_t value = 0;
  pintle_error late = PINTLE_ERROR_INIT;
  CHECK(pintle_rank_group_run(its.group, &recv, PINTLE_I32, &value, sizeof value, NULL, 0, 20000000, &late) ==
        PINTLE_TIMEOUT);
  CHECK(strstr(late.text, "ank 1") != NULL);
  OK(pintle_error_free(&late, error));
  FAILS(PINTLE_TIMEOUT, pintle_rank_group_health(its.group, error));
  atomic_store(&is_over, 1);
}

/* A process that nobody started as a rank is a group of one. */
static void a_process_joins(void) {
  pintle_rank_group group = {5}, groups[2] = {{5}, {5}};
  pintle_rank_group_options options = {.size = sizeof options, .transport = "shm"};
  FAILS(PINTLE_UNAVAILABLE, pintle_rank_group_join(&options, &group, error));
  options.transport = "carrier pigeon";
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_rank_group_join(&options, &group, error));
  options.transport = NULL;
  options.timeout = -2;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_rank_group_join(&options, &group, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_rank_group_threads(2, &options, groups, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_rank_group_threads(0, NULL, groups, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_rank_group_threads(1025, NULL, groups, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_rank_group_threads(2, NULL, NULL, error));
  CHECK(group.id == 5 && groups[0].id == 5 && groups[1].id == 5);
  OK(pintle_rank_group_join(NULL, &group, error));
  CHECK(info_of(group).ranks == 1 && sum_of(group, 3) == 3);
  OK(pintle_rank_group_release(group, error));
  FAILS(PINTLE_STALE, pintle_rank_group_health(group, error));
}

int main(void) {
  on_ranks(ranks_here, ranks_know_their_place);
  on_ranks(ranks_here, operators_fold);
  on_ranks(ranks_here, parts_are_scattered_and_gathered);
  on_ranks(ranks_here, one_rank_gives_or_gets);
  on_ranks(ranks_here, algorithms_agree);
  on_ranks(2, wrong_calls_send_nothing);
  on_ranks(ranks_here, a_group_is_split);
  on_ranks(3, those_that_are_left_shrink);
  on_ranks(3, all_of_them_rebuild);
  on_ranks(2, a_late_rank_is_a_timeout);
  a_process_joins();
  return 0;
}
